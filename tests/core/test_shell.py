"""The simple commands of Bash lines, and commands that start with a pattern."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.core.shell import simple_commands, starts_with


def runs(line: str, pattern: str) -> bool:
    return any(starts_with(command, tuple(pattern.split())) for command in simple_commands(line))


@pytest.mark.parametrize(
    "line",
    [
        "git push",
        "git push origin",
        "cd x && git push",
        "git -C d push",
        "FOO=1 sudo git push",
        "FOO=1 BAR+=x a[0]=y git push",
        "/usr/bin/git push",
        "'git' \"push\"",
        "g\\it pu$'sh'",
        "git \\\n  push",
        "git push>log 2>&1",
        ">log git push",
        "make test;git push",
        "make test||git push",
        "make test|git push",
        "make test|&git push",
        "make test&git push",
        "make test &>log; git push",
        "make test\ngit push",
        "make test # don't\ngit push",
        "(cd x; git push)",
        "(git push)",
        "{ git push; }",
        "! git push",
        "if true; then git push; fi",
        "while ! git push; do sleep 1; done",
        "for x in a b; do git push; done",
        "case $x in a) git push;; esac",
        "cat <<EOF && git push\nit's\nEOF",
        "cat <<-'E F'\n\tit's\n\tE F\ngit push",
        "cat <<A <<B\nA\nit's\nB\ngit push",
        "cat <<< it\\'s; git push",
        "bash -c 'git push'",
        "bash -o pipefail -ec 'cd x && git push'",
        "sudo sh -c 'git push'",
        'bash -c "cd $(git push)"',
        "echo $(git push)",
        'echo "at $(git push) (now)"',
        "echo `git push`",
        'echo "`git push`"',
        "diff <(git push) x",
        "x=$(git push)",
        "git commit -m \"$(cat <<'EOF'\nDon't (ever)\nEOF\n)\" && git push",
        "echo $((1 + (2))) && git push",
        "echo ${x:-a;b} && git push",
        "files=(a b) && git push",
        "sudo -u root -E -- git push",
        "env -i A=1 git push",
        "time -p git push",
        "timeout -k 5 10 git push",
        "timeout --foreground 10 git push",
        "nohup nice -n 5 stdbuf -oL git push",
        "command git push",
        "exec git push",
        "xargs -n 1 -I {} git push",
        "uv run git push",
        "uv --project d run --with x -- git push",
        "poetry run git push",
        "pipenv run git push",
        "npx -y git push",
        "bunx git push",
        "pnpm -C d exec git push",
        "pnpm dlx git push",
        "doas git push",
        "git -c a.b=c --git-dir=x --no-pager push",
        "git --git-dir x push",
    ],
)
def test_line_runs_git_push(line: str) -> None:
    assert runs(line, "git push")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "git stash push",
        'echo "git push"',
        "echo 'a; git push'",
        "echo git push",
        "echo \\; git push",
        "# git push",
        "make test # git push",
        "git pushx",
        "git 'push x'",
        "gitpush",
        "git > push",
        "git && push",
        "cat <<EOF\ngit push\nEOF",
        "cat <<'EOF' > x\n$(git push)\nEOF",
        "git commit -m \"$(cat <<'EOF'\ngit push\nEOF\n)\"",
        "command -v git push",
        "python bash -c 'git push'",
        "bash script 'git push'",
        "a=(git push)",
        "git -C push",
    ],
)
def test_line_does_not_run_git_push(line: str) -> None:
    assert not runs(line, "git push")


@pytest.mark.parametrize(
    ("line", "pattern", "expected"),
    [
        ("docker --context x compose -f y up -d", "docker compose up", True),
        ("kubectl -n prod delete pod x", "kubectl delete", True),
        ("kubectl --namespace=prod delete pod x", "kubectl delete", True),
        ("make -C d -j 4 test", "make test", True),
        ("make -j test", "make test", True),
        ("npm --prefix d run build", "npm run build", True),
        ("cargo +nightly test", "cargo test", True),
        ("git --version", "git --version", True),
        ("env", "env", True),
        ("sudo -l", "sudo -l", True),
        ("uv run", "uv run", True),
        ("python -m pytest", "python -m pytest", True),
        ("./scripts/deploy.sh prod", "./scripts/deploy.sh", True),
        ("scripts/deploy.sh prod", "deploy.sh", True),
        ("[ -f x ]", "[ -f", True),
        ("git submodule update", "git sub*", True),
        ("git stash", "git sub*", False),
        ("npm run test:unit", "npm run test*", True),
        ("pytest -x", "pytest", True),
        ("pytest", "pytest -x", False),
        ("pytest", "", False),
    ],
)
def test_command_starts_with_the_words_of_a_pattern(line: str, pattern: str, expected: bool) -> None:
    assert runs(line, pattern) is expected


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("FOO=1", ()),
        ("echo '' \"a b\"'c' $'d\\'e\\n'", (("echo", "", "a bc", "d'e\n"),)),
        ('echo "a\\"b\\n$x" $HOME "$\'', (("echo", 'a"b\\n$x', "$HOME", "$'"),)),
        ("a 2>/dev/null >>x <y 3<>z &>>w b", (("a", "b"),)),
        ("a 2 >x", (("a", "2"),)),
        ("a\\\nb", (("ab",),)),
        ("echo a#b", (("echo", "a#b"),)),
        ("cp {a,b} x", (("cp", "{a,b}", "x"),)),
        ("a $(b; c) && d", (("a", "$(b; c)"), ("d",), ("b",), ("c",))),
        ("bash -c 'a; b'; c", (("bash", "-c", "a; b"), ("c",), ("a",), ("b",))),
        ("echo 'never closed; a", (("echo", "never closed; a"),)),
        ('echo "never closed; a', (("echo", "never closed; a"),)),
        ("echo $(never closed", (("echo", "$(never closed"), ("never", "closed"))),
        ("a ) ; b", (("a",), ("b",))),
        ("a \\", (("a", ""),)),
        ("cat <<EOF\nnever closed", (("cat",),)),
    ],
)
def test_line_is_read_into_words(line: str, commands: "tuple[tuple[str, ...], ...]") -> None:
    assert simple_commands(line) == commands


words = st.sampled_from(
    ["git", "push", "sudo", "bash", "-c", "timeout", "uv", "run", "A=1", "command", "-v", "EOF", "2", "--"]
)
marks = st.sampled_from(
    ["'", '"', "\\", "$(", "$((", "${", "$'", "`", "(", ")", "{", "}", "[", "#", "é", "="]
)
operators = st.sampled_from(["\n", ";", "&", "&&", "|", "<", "<<", "<<-", "<<<", ">", "&>", ">("])
bash_text = st.lists(words | marks | operators | st.sampled_from(" \t"), max_size=40).map("".join)


@given(st.text() | bash_text)
def test_any_text_can_be_read(line: str) -> None:
    for command in simple_commands(line):
        assert command
        assert starts_with(command, command[:1]) or set(command[0]) & set("*?[\\")


SHORT = [
    "a",
    "a ",
    "A=1 ",
    "$(",
    "$((",
    "${",
    "`",
    "\\`",
    "'",
    '"',
    '"$(',
    "(",
    "<(",
    "a=(",
    "\\",
    "#",
    "2>",
    "&>",
]
LONGER = ["sudo ", "<<a ", "<<a\n", 'bash -c "$(', "bash -c 'bash -c ", "git -C ", "x $(y) "]


@pytest.mark.parametrize("piece", SHORT + LONGER)
def test_a_huge_line_is_read_in_linear_time(piece: str) -> None:
    started = time.process_time()
    simple_commands(piece * (1_000_000 // len(piece)))
    assert time.process_time() - started < 3
