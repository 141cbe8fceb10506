"""The languages of the index: how their files end, and how their definitions are found."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

PYTHON = "python"
MARKDOWN = "markdown"
RESTRUCTURED_TEXT = "rst"
TEXT = "text"

# Kinds of definitions. One that splits gets a chunk of its own.
CLASS = "class"
FUNCTION = "function"
METHOD = "method"
NAMESPACE = "namespace"
TYPE = "type"
VALUE = "value"
DECLARATION = "declaration"
MACRO = "macro"
SECTION = "section"
#: gives its name to what is in it, and is none itself, such as Rust's `impl`
EXTENSION = "extension"

SPLITTING = frozenset({CLASS, FUNCTION, METHOD, NAMESPACE, TYPE, MACRO, SECTION, EXTENSION})
CONTAINERS = frozenset({CLASS, NAMESPACE, TYPE, EXTENSION})


@dataclass(frozen=True)
class Grammar:
    """How definitions look in the trees of one tree-sitter wheel."""

    wheel: str
    definitions: Mapping[str, str]
    """Kind by type of node."""
    language: str = "language"
    """The wheel's function that gives the grammar."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The field that holds the name, where it is not `name`."""
    valued: frozenset[str] = frozenset()
    """Types that define a function only where their value is one."""
    bodied: frozenset[str] = frozenset()
    """Types that define something only where they have a body."""
    outermost: frozenset[str] = frozenset()
    """Types that count at the top level of a file only: within functions they are local."""
    functions: frozenset[str] = frozenset()
    """Types of values that are functions."""


_JAVASCRIPT = {
    "class_declaration": CLASS,
    "class": CLASS,
    "function_declaration": FUNCTION,
    "generator_function_declaration": FUNCTION,
    "method_definition": METHOD,
    "variable_declarator": VALUE,
    "assignment_expression": VALUE,
    "pair": VALUE,
    "field_definition": VALUE,
}
_JAVASCRIPT_NAMES = {"assignment_expression": "left", "pair": "key", "field_definition": "property"}
_JAVASCRIPT_FUNCTIONS = frozenset(
    {"arrow_function", "function_expression", "function", "generator_function", "class"}
)
_TYPESCRIPT = _JAVASCRIPT | {
    "abstract_class_declaration": CLASS,
    "interface_declaration": CLASS,
    "enum_declaration": TYPE,
    "type_alias_declaration": TYPE,
    "internal_module": NAMESPACE,
    "module": NAMESPACE,
    "function_signature": DECLARATION,
    "method_signature": DECLARATION,
    "abstract_method_signature": DECLARATION,
    "public_field_definition": VALUE,
}
_C = {
    "function_definition": FUNCTION,
    "struct_specifier": TYPE,
    "union_specifier": TYPE,
    "enum_specifier": TYPE,
    "type_definition": TYPE,
    "preproc_def": MACRO,
    "preproc_function_def": MACRO,
    "declaration": DECLARATION,
    "enumerator": VALUE,
}
_C_NAMES = {
    "function_definition": "declarator",
    "type_definition": "declarator",
    "declaration": "declarator",
    "field_declaration": "declarator",
}
_C_BODIED = frozenset({"struct_specifier", "union_specifier", "enum_specifier", "class_specifier"})

GRAMMARS: Mapping[str, Grammar] = {
    "javascript": Grammar(
        "tree_sitter_javascript",
        _JAVASCRIPT,
        names=_JAVASCRIPT_NAMES,
        valued=frozenset({"assignment_expression", "pair", "field_definition"}),
        outermost=frozenset({"variable_declarator"}),
        functions=_JAVASCRIPT_FUNCTIONS,
    ),
    "typescript": Grammar(
        "tree_sitter_typescript",
        _TYPESCRIPT,
        language="language_typescript",
        names=_JAVASCRIPT_NAMES,
        valued=frozenset({"assignment_expression", "pair"}),
        outermost=frozenset({"variable_declarator"}),
        functions=_JAVASCRIPT_FUNCTIONS,
    ),
    "tsx": Grammar(
        "tree_sitter_typescript",
        _TYPESCRIPT,
        language="language_tsx",
        names=_JAVASCRIPT_NAMES,
        valued=frozenset({"assignment_expression", "pair"}),
        outermost=frozenset({"variable_declarator"}),
        functions=_JAVASCRIPT_FUNCTIONS,
    ),
    "go": Grammar(
        "tree_sitter_go",
        {
            "function_declaration": FUNCTION,
            "method_declaration": METHOD,
            "type_spec": TYPE,
            "type_alias": TYPE,
            "method_elem": DECLARATION,
            "const_spec": VALUE,
            "var_spec": VALUE,
        },
        outermost=frozenset({"const_spec", "var_spec"}),
    ),
    "rust": Grammar(
        "tree_sitter_rust",
        {
            "function_item": FUNCTION,
            "function_signature_item": DECLARATION,
            "struct_item": TYPE,
            "enum_item": TYPE,
            "union_item": TYPE,
            "trait_item": CLASS,
            "impl_item": EXTENSION,
            "mod_item": NAMESPACE,
            "type_item": TYPE,
            "const_item": VALUE,
            "static_item": VALUE,
            "macro_definition": MACRO,
            "enum_variant": VALUE,
        },
        names={"impl_item": "type"},
        bodied=frozenset({"mod_item"}),
    ),
    "java": Grammar(
        "tree_sitter_java",
        {
            "class_declaration": CLASS,
            "interface_declaration": CLASS,
            "enum_declaration": CLASS,
            "record_declaration": CLASS,
            "annotation_type_declaration": CLASS,
            "method_declaration": METHOD,
            "constructor_declaration": METHOD,
            "compact_constructor_declaration": METHOD,
            "field_declaration": VALUE,
            "enum_constant": VALUE,
        },
        names={"field_declaration": "declarator"},
    ),
    "c": Grammar("tree_sitter_c", _C, names=_C_NAMES, bodied=_C_BODIED),
    "cpp": Grammar(
        "tree_sitter_cpp",
        _C
        | {
            "class_specifier": CLASS,
            "namespace_definition": NAMESPACE,
            "alias_declaration": TYPE,
            "field_declaration": DECLARATION,
            "concept_definition": TYPE,
        },
        names=_C_NAMES,
        bodied=_C_BODIED,
    ),
}

_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|spec|specs|testdata|fixtures)/"
    r"|(?:^|/)(?:test_|conftest\.)[^/]*$|[._-](?:test|tests|spec)\.[a-z]+$|(?:Test|Tests|IT)\.java$"
)


def is_test(path: str) -> bool:
    """Whether the file at `path` is one of tests, by its name."""
    return _TEST.search(path) is not None


@dataclass(frozen=True)
class Language:
    """What a file is written in, told by its name."""

    name: str
    """'' where it is not known."""
    is_prose: bool = False
    is_source: bool = True
    """Whether people write it, rather than programs: data is searched by its words alone."""


_UNKNOWN = Language("", is_source=False)
_DATA = ("json", "csv", "tsv", "xml", "geojson", "jsonl", "ndjson", "log", "dat", "wkt", "plist")
_EXTENSIONS: Mapping[str, tuple[str, ...]] = {
    PYTHON: ("py", "pyi", "pyw"),
    "javascript": ("js", "jsx", "mjs", "cjs"),
    "typescript": ("ts", "mts", "cts"),
    "tsx": ("tsx",),
    "go": ("go",),
    "rust": ("rs",),
    "java": ("java",),
    "c": ("c", "h"),
    "cpp": ("cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "inl", "ipp", "tpp"),
    MARKDOWN: ("md", "markdown", "mdx"),
    RESTRUCTURED_TEXT: ("rst",),
    "csharp": ("cs",),
    "css": ("css", "scss", "sass", "less"),
    "html": ("html", "htm", "xhtml", "vue", "svelte", "jinja", "j2", "tmpl", "erb"),
    "kotlin": ("kt", "kts"),
    "php": ("php",),
    "ruby": ("rb", "rake", "gemspec"),
    "scala": ("scala",),
    "shell": ("sh", "bash", "zsh", "fish"),
    "sql": ("sql",),
    "swift": ("swift",),
    "toml": ("toml",),
    "yaml": ("yaml", "yml"),
    "lua": ("lua",),
    "perl": ("pl", "pm"),
    "cython": ("pyx", "pxd"),
    "protobuf": ("proto",),
    "config": ("cfg", "ini", "conf", "properties"),
    "make": ("mk", "cmake"),
    "elixir": ("ex", "exs"),
    "erlang": ("erl", "hrl"),
    "haskell": ("hs",),
    "zig": ("zig",),
    "dart": ("dart",),
    "r": ("r",),
    "julia": ("jl",),
    "terraform": ("tf",),
    TEXT: ("txt",),
    "data": _DATA,
}
_NAMES = {
    "makefile": "make",
    "gnumakefile": "make",
    "cmakelists.txt": "make",
    "dockerfile": "docker",
    "jenkinsfile": "groovy",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "readme": TEXT,
    "changelog": TEXT,
    "contributing": TEXT,
}
PROSE_LANGUAGES = frozenset({MARKDOWN, RESTRUCTURED_TEXT, TEXT})
_BY_NAME = {
    name: Language(name, is_prose=name in PROSE_LANGUAGES, is_source=name != "data")
    for name in [*_EXTENSIONS, *_NAMES.values()]
}
_BY_EXTENSION = {
    extension: _BY_NAME[name] for name, extensions in _EXTENSIONS.items() for extension in extensions
}

#: what `search --lang` takes
LANGUAGES = tuple(sorted(_BY_NAME))


def language_of(path: str) -> Language:
    """Tell the language of the file at `path` by its name."""
    name = path.rpartition("/")[2].lower()
    if name in _NAMES:
        return _BY_NAME[_NAMES[name]]
    return _BY_EXTENSION.get(name.rpartition(".")[2], _UNKNOWN) if "." in name else _UNKNOWN
