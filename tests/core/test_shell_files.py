"""The files that Bash lines name."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.test_shell import LONGER, SHORT, bash_text
from vectr_hooks.core.shell_files import MOST_FILES, PROGRAMS, file_targets

CASES = {
    # redirections
    "output to a file": ("make > log", "edit log"),
    "appended output": ("echo x >> src/a.py", "edit src/a.py"),
    "output over a file that is protected": ("echo x >| a", "edit a"),
    "both outputs": ("make &> log", "edit log"),
    "both outputs, appended": ("make &>>log", "edit log"),
    "both outputs, the old way": ("make >& log", "edit log"),
    "the error output": ("make 2> err", "edit err"),
    "input from a file": ("wc -l < src/a.py", "read src/a.py"),
    "input and output": ("sort <in >out", "read in, edit out"),
    "a file opened for both": ("exec 3<>f", "edit f"),
    "a redirection without a command": ("> src/a.py", "edit src/a.py"),
    "a redirection before its command": ("< a >b tr x y", "read a, edit b"),
    "descriptors and devices": ("make >/dev/null 2>&1 3>&- 4<&3- </dev/stdin", ""),
    "a loop's input": ("while read x; do echo; done < list", "read list"),
    "a subshell's output": ("(cd x; make) > log", "edit log"),
    "a heredoc into a file": ("cat > src/a.py <<'EOF'\ncat b > c\nEOF", "edit src/a.py"),
    "a file named after a heredoc": ("cat <<EOF > src/a.py\nx\nEOF\ncat b", "edit src/a.py, read b"),
    "a here string": ("cat <<< src/a.py", ""),
    "a comparison in brackets": ("[[ a > b ]] && [ -f c ]", ""),
    "a comparison in arithmetic": ("if (( n > 10 )); then cat a; fi; (( n < m ))", "read a"),
    "arithmetic whose outcome is redirected": ("((n > 1)) > f", "edit f"),
    "a substitution that is written to": ("make > >(tee log)", "edit log"),
    # in place
    "sed -i": ("sed -i s/a/b/ src/db/pool.py", "edit src/db/pool.py"),
    "sed -i with a suffix": ("sed -i.bak 's/a b/c/' x y", "edit x, edit y"),
    "sed -i of a BSD": ("sed -i '' 's/a/b/' x", "edit x"),
    "sed -i between other options": ("sed -n -E -i -e 's/a/b/' --expression=p x", "edit x"),
    "sed --in-place": ("sed --in-place=.bak s/a/b/ x", "edit x"),
    "sed -i with a script file": ("sed -i -f fix.sed x", "read fix.sed, edit x"),
    "sed with letters in one word": ("sed -Ei s/a/b/ x", "edit x"),
    "sed that prints": ("sed -n 1,5p x", "read x"),
    "sed -ne": ("sed -ne '/i/p' x", "read x"),
    "sed without a file": ("make | sed -e s/a/b/", ""),
    "perl -pi": ("perl -pi -e 's/a/b/' x y", "edit x, edit y"),
    "perl -i.bak -pe": ("perl -0777 -i.bak -pe 's/a/b/' x", "edit x"),
    "perl -ne": ("perl -ne 'print if /x/' x", "read x"),
    # writers
    "tee": ("make | tee -a log out", "edit log, edit out"),
    "cp": ("cp a.py src/b.py", "read a.py, edit src/b.py"),
    "cp of several": ("cp -r a b c/ d/", "read a, read b, read c/, edit d/"),
    "cp -t": ("cp -t d a b", "edit d, read a, read b"),
    "mv": ("mv a.py src/b.py", "edit a.py, edit src/b.py"),
    "mv --target-directory": ("mv --target-directory=d a", "edit d, edit a"),
    "rm": ("rm -rf -- build/ -x", "edit build/, edit -x"),
    "touch": ("touch -r a -d 'an hour ago' b", "read a, edit b"),
    "truncate": ("truncate -s 0 log", "edit log"),
    "dd": ("dd if=a of=b bs=1M count=1", "read a, edit b"),
    "ln": ("ln -sf ../a b", "edit b"),
    "ln into the folder": ("ln -s ../a", ""),
    "install": ("install -Dm 755 a bin/a", "read a, edit bin/a"),
    "folders made by install": ("install -d a b", ""),
    "patch of a named file": ("patch -p1 src/a.py fix.diff", "edit src/a.py, read fix.diff"),
    "patch from its input": ("patch -p1 < fix.diff", "read fix.diff"),
    "curl": ("curl -sSLo src/a.py -H 'x: y' https://example.org/z?b", "edit src/a.py"),
    "curl to its output": ("curl -fsS https://example.org/o", ""),
    "editors": ("vim +10 -c w a; nano b; ed -s c <<< w", "edit a, edit b, edit c"),
    "ex": ("ex -sc '%s/a/b/|x' a", "edit a"),
    "chmod, chown and mkdir": ("chmod +x a; chown me a; mkdir -p d", ""),
    # formatters
    "black": ("black -l 100 src/a.py", "edit src/a.py"),
    "black that checks": ("black --check src/a.py", ""),
    "black as a module": ("python3 -m black src/a.py", "edit src/a.py"),
    "ruff format": ("uv run ruff format --line-length 100 src/a.py", "edit src/a.py"),
    "ruff check": ("ruff check src/a.py", ""),
    "ruff check --fix": ("ruff check --fix src/a.py", "edit src/a.py"),
    "prettier --write": ("npx prettier --write src/a.ts", "edit src/a.ts"),
    "prettier that checks": ("npx prettier --check src/a.ts", ""),
    "gofmt": ("gofmt -l -w a.go; gofmt -d b.go", "edit a.go"),
    "rustfmt": ("rustfmt --edition 2021 a.rs", "edit a.rs"),
    "clang-format": ("clang-format -style=file -i a.c; clang-format -style=file b.c", "edit a.c"),
    # git
    "git add": ("git add -A src/a.py b", "edit src/a.py, edit b"),
    "git checkout of files": ("git checkout main -- src/a.py", "edit src/a.py"),
    "git checkout of a branch": ("git checkout -b fix/src/a.py", ""),
    "git restore": ("git restore --source HEAD~1 --staged src/a.py", "edit src/a.py"),
    "git rm and git mv": ("git rm --cached a; git mv b c", "edit a, edit b, edit c"),
    "git diff": ("git diff HEAD src/a.py; git diff --stat main -- src/b.py", "read src/b.py"),
    "git commit": ('git commit -m "fix src/db/x.py > y" -m "$(cat <<\'E\'\nrm src/z\nE\n)"', ""),
    "git -C": ("git -C src/db add pool.py > log", "edit src/db/pool.py, edit log"),
    "git -C to who knows where": ('git -C "$D" add pool.py /abs', "edit /abs"),
    # readers
    "cat": ("cat -n a b - c", "read a, read b, read c"),
    "cat of its input": ("cat -", ""),
    "head": ("head -n 5 a; head -20 b; head -c1k c", "read a, read b, read c"),
    "tail": ("tail -n +5 a; tail -fn 3 b; tail +5 c", "read a, read b, read c"),
    "less and bat": ("less +G a; bat -r 1:5 b; bat --line-range=1:5 c", "read a, read b, read c"),
    "grep": ("grep -rn -A 3 --include '*.py' 'a b' src/ x", "read src/, read x"),
    "grep -e": ("grep -e pat -e b x", "read x"),
    "grep -f": ("grep -cf pats x", "read pats, read x"),
    "grep with a count in one word": ("grep -A3 -B2 -inE 'a|b' x", "read x"),
    "grep of its input": ("make | grep src/a.py", ""),
    "egrep after options": ("egrep -v -- -x src/a", "read src/a"),
    "rg": ("rg -t py -g '!x' pat src/db", "read src/db"),
    "rg that replaces": ("rg pat -r new src/db", "read src/db"),
    "rg that lists": ("rg --files src/db", ""),
    "ag": ("ag --ignore x pat src/db", "read src/db"),
    "awk": ("awk -F: -v n=1 '$1 > n {print $2 > \"x\"}' a b", "read a, read b"),
    "awk with a program file": ("awk -f p.awk a", "read p.awk, read a"),
    "diff": ("diff -u -U 3 a <(sort b)", "read a, read b"),
    "sort": ("sort -t, -k 2,2 -o out in", "edit out, read in"),
    "uniq": ("uniq -c in out", "read in, edit out"),
    "cut": ("cut -d = -f1 a", "read a"),
    "jq": ("jq -r --arg a b '.x > 1' a.json", "read a.json"),
    "yq -i": ("yq -i '.a = 1' a.yml; yq e .a b.yml", "edit a.yml, read b.yml"),
    "stat, file, wc, nl": ("stat -c %s a; file -b b; wc -l c; nl -ba d", "read a, read b, read c, read d"),
    "source": (". ./env.sh x; source venv/bin/activate", "read ./env.sh, read venv/bin/activate"),
    # interpreters
    "a Python script": ("python3.12 -u -W error gen.py -m src/a.py", "read gen.py"),
    "a Python module": ("python -m pytest src/a.py", ""),
    "Python in the line": ("python -c 'open(\"src/a.py\")' x", ""),
    "Python from a heredoc": ("python - <<EOF x\nopen('src/a.py', 'w')\nEOF", ""),
    "node and bash": ("node -r x build.js a; bash -ex run.sh b", "read build.js, read run.sh"),
    "node in the line": ("node -e 'x' a; node -p 'x' b", ""),
    "tests": ("pytest tests/test_a.py::test_b; go test ./...; make src/a.o", ""),
    # folders
    "cd": ("cd src && sed -i s/a/b/ db/pool.py", "edit src/db/pool.py"),
    "cd of an absolute path": ("cd /w/src; cat a ../b /c", "read /w/src/a, read /w/src/../b, read /c"),
    "cd twice": ("cd -P -- src && cd db/ && cat a", "read src/db/a"),
    "cd after another command": ("cat a; cd src; cat a", "read a, read src/a"),
    "cd in a subshell": ("(cd src && cat a) && cat b", "read src/a, read b"),
    "cd in nested subshells": ("(cd a; (cd b; cat c); cat d); cat e", "read a/b/c, read a/d, read e"),
    "cd in braces": ("{ cd src; cat a; }; cat b", "read src/a, read src/b"),
    "cd in a substitution": ("cat $(cd src; cat a) b", "read b, read src/a"),
    "cd and a substitution": ("cd src; echo $(cat a) `cat b`", "read src/a, read src/b"),
    "cd in a script": ("cd a; bash -c 'cd b && cat c'; cat d", "read a/d, read a/b/c"),
    "cd that may fail": ("cd src || exit 1; cat a", "read src/a"),
    "cd to one or the other": ("cd a || cd b; cat c /d", "read /d"),
    "cd to who knows where": ('cd "$D"; cat a /b; cd c; cat d; cd /e; cat f', "read /b, read /e/f"),
    "cd to a substitution": ("cd $(git rev-parse --show-toplevel) && cat a", ""),
    "cd back, home, and by glob": ("cd -; cat a; cd; cat a; cd ~/x; cat a; cd s*; cat a", ""),
    "pushd and popd": ("pushd src; cat a; popd; cat b", "read src/a"),
    "a redirection after cd": ("cd src && echo x > a", "edit src/a"),
    "env -C": ("env -C src cat a", "read src/a"),
    "case": ("case $x in a) cd src;; esac; cat a", "read src/a"),
    # words
    "quoted words": ("cat 'a b' \"c d\" e\\ f", "read a b, read c d, read e f"),
    "what quotes keep": ("cat 'app/[id]/$x.tsx' \"~/{b,c}\"", "read app/[id]/$x.tsx, read ~/{b,c}"),
    "variables": ('cat $A "$B/c" src/${D} src/$(e) src/`f` $((1))', ""),
    "a variable in an option": ("sort -o$A -t$B c", "read c"),
    "home folders": ("cat ~/a ~b/c d~", "read d~"),
    "globs": ("cat src/*.py src/db/[ab]?.py docs/{a,b}.md src/**/x", "read src/, read src/db/, read docs/"),
    "a glob in the folder": ("rm *.pyc; cd src; cat *.py", "edit ./, read src/"),
    "a glob beside a variable": ("cat src/*/$A src/$A/*", ""),
    "a glob for the program": ("git add 'src/*.py' '*.md'", "edit src/, edit ./"),
    "a folder": ("grep x src/", "read src/"),
    "a file twice": ("cat a; cat a > a; cat a", "read a, edit a"),
    "a file after `-`-words": ("cat -- -a", "read -a"),
    # around
    "wrappers": ("sudo -u me timeout 5 cat a", "read a"),
    "a path to the program": ("/bin/cat a", "read a"),
    "assignments": ("A=b C=d cat e", "read e"),
    "pipes": ("cat a | grep x | tee b", "read a, edit b"),
    "loops": ("for f in a b; do cat c; done", "read c"),
    "functions": ("f() { cat a; }", "read a"),
    "scripts": ("bash -c 'sed -i s/a/b/ x > y'", "edit x, edit y"),
    "prose": ('echo "edit src/db/x.py" src/db/y.py; printf "> src/a"', ""),
    "comments": ("ls # cat a > b", ""),
    "find": ("find . -name x -delete; find src -exec cat {} \\; -exec rm a \\;", ""),
    "xargs": ("ls | xargs sed -i s/a/b/; ls | xargs -I F cp F dst/", ""),
    "other machines": ("ssh host 'cat a'; docker exec c cat b; kubectl exec p -- cat c", ""),
    "unknown programs": ("frobnicate src/a.py", ""),
}  # fmt: skip


@pytest.mark.parametrize(("line", "files"), CASES.values(), ids=CASES)
def test_a_line_names_its_files(line: str, files: str) -> None:
    assert ", ".join(f"{mode} {path}" for mode, path in file_targets(line)) == files


def test_no_more_files_are_named_than_a_person_would() -> None:
    assert len(file_targets("cat " + " ".join(map(str, range(1000))))) == MOST_FILES
    assert len(file_targets("; ".join(f"cat {number}" for number in range(1000)))) == MOST_FILES


@pytest.mark.parametrize("path", ["a" * 5000, "'a\nb'", "/dev/null", "''", "+1"])
def test_what_cannot_be_a_file_is_none(path: str) -> None:
    assert file_targets(f"cat {path}") == ()


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_has_letters_for_its_operands_and_marks_for_its_options(program: str) -> None:
    letters, options = PROGRAMS[program]
    assert len(letters) == 3
    assert set(letters) <= set("rei-")
    names = [option.rstrip("<>+:*!") for option in options.split()]
    assert all(name.startswith("-") and len(name) > 1 for name in names)
    assert len(names) == len(set(names))
    assert ("i" in letters) <= ("*" in options)


programs = st.sampled_from([*PROGRAMS, "cd", "pushd", "xargs", "dd", "[["])
options = st.sampled_from(
    ["-i", "-e", "-f", "-t", "-o", "-n5", "--", "-", "--in-place=x", "-C", "of=x", "*", "~"]
)
calls = st.lists(programs | options | bash_text, max_size=20).map(" ".join)


@given(st.text() | bash_text | calls)
def test_any_text_can_be_searched(line: str) -> None:
    found = file_targets(line)
    assert len(found) == len(set(found)) <= MOST_FILES
    for mode, path in found:
        assert mode in ("read", "edit")
        assert path
        assert "\0" not in path
        assert "\n" not in path


LINES = [
    "rg;", "rg a;", "sed -i ", "a>$x ", "cd a;", "cd a;cat $b;", "(cd a;", "((", "$((", "$( ((", "*", "a/*",
    "~", "{", "git -C a add $x;", "grep -e",
]  # fmt: skip


@pytest.mark.parametrize("piece", [*SHORT, *LONGER, *LINES])
def test_a_long_line_is_searched_in_bounded_time(piece: str) -> None:
    started = time.process_time()
    file_targets(piece * (65_536 // len(piece)))
    assert time.process_time() - started < 2
