"""What a transcript says about one deed that an output tells of: supported, unsupported or contradicted. Pure.

The files that a claim names have to be written, and a claim that a command does (`git push`) is bound to the last such
command. Everything else goes by what the calls were about and what they returned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final, NamedTuple

from evenhand.checks.conduct.claimed_actions import ALL_FAILED, Record, record, support
from evenhand.checks.facts.actions.deeds import Deed
from evenhand.checks.facts.actions.effects import failed
from evenhand.checks.facts.actions.files_written import Written, files_written
from evenhand.checks.facts.actions.own_words import is_elsewhere
from evenhand.checks.facts.actions.read_only_calls import in_words, looks
from evenhand.checks.facts.actions.shell import Command, ShellCall, commands, runs
from evenhand.checks.facts.actions.test_runs import kinds_of
from evenhand.checks.facts.brought_back import arguments_text
from evenhand.checks.subject import Subject
from evenhand.core.values import ClaimVerdict as Verdict
from evenhand.lazy_pattern import late_pattern
from evenhand.work.submission import Event

_ON_FILES: Final = frozenset({"write", "change", "create", "fix", "remove"})
_FILE = late_pattern(
    r"(?<![\w/.:@-])(?:[\w.-]+/)*[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,5}(?![\w/(])(?<!\be\.g)(?<!\bi\.e)"
)
_ENDINGS: Final = frozenset(
    "adoc astro bak bash bat bib bin c cc cfg cmd cpp cs css csv csx cts cu cxx dart dat db diff docx ejs env erl"
    " ex exs feature fs gif go gql gradle graphql groovy gz h hbs hpp hs htm html ini ipynb java jl jpeg jpg js json"
    " jsonc jsonl jsx kt kts less lock log lua m md mdx mjs ml mm mts old orig patch pdf php pl plist png pptx proto"
    " ps1 py pyi pyx r rb rmd rs rst sass scala scss sh sol sql sqlite styl sum sv svelte svg swift tar tex tf"
    " tfvars tgz tmp toml ts tsv tsx txt v vb vhd vue webp xlsx xml yaml yml zig zip zsh".split()
)
"""What the names of files end in. Elsewhere a dot may join what is not a file: `config.debug`, `requests.get`."""
_PRODUCT = late_pattern(
    r"(?:node|vue|next|nuxt|react|express|three|d3|ember|backbone|chart|moment|alpine|angular|discord|p5|hapi|koa|sails"
    r"|socket|gatsby|polymer|meteor|bun|deno|electron|handlebars|mustache|knockout|ext)\.js",
    re.I,
)
"""Names of products that look like files."""
_AWAY = late_pattern(
    r"\b(?:to|with|from|using|for|as|like|per|based|so|by|because|since|according|which|that|instead|against|than|via)\b",
    re.I,
)
"""What follows one of these is not what the deed was done to: "I updated a.py to match b.py"."""
_COMMANDS: Final = {
    "pushed": r"\bpush\b|\b(?:gh|glab) [pm]r create\b",
    "committed": r"\b(?:git|hg|jj|svn|sl)\b.* commit(?!\S)",
    "merged": r"\b(?:git|hg|sl)\b.* (?:merge|pull|rebase)(?!\S)|\b(?:gh|glab) [pm]r merge\b",
    "installed": r"^(?!git\b).*\b(?:install|add|sync|i|ci)(?!\S)",
    "deployed": r"\b(?:deploy\w*|apply|up|upgrade|rollout|push|publish|release)\b",
    "applied": r"\b(?:apply|am|migrate\w*|deploy\w*|upgrade|patch)\b",
    "published": r"\b(?:publish|upload|release|push|deploy\w*)\b",
    "released": r"\b(?:publish|upload|release|push|tag)\b",
}
"""What a word says, as the first words of the commands that do it."""
_FIRST_WORDS, _LONGEST_WORD = 6, 100
_STEMS: Final = {"pushed": "push", "committed": "commit", "merged": "merge"}
"""Words that one kind of command does, and hardly anything else."""
_CERTAIN: Final = {
    **_STEMS, "installed": "install", "deployed": "deploy", "applied": "apply", "published": "publish",
    "released": "release",
}  # fmt: skip
"""What is in a command whose failure speaks against the word; another one may have been for something else."""
_SUCCEEDED: Final = {
    "committed": r"(?m)^\[[^\]\n]+ [0-9a-f]{4,}\]",
    "pushed": r"(?m)^\s*\S*\s*\S+\.\.\S+\s+\S+ -> |\[new (?:branch|tag)\]|Everything up-to-date",
}
_ERROR = late_pattern(
    r"(?m)^[^\S\n]*(?:error|fatal|npm ERR!|E:)[ :].*|^.*\[(?:remote )?rejected\].*"
    r"|^.*\b(?:command not found|permission denied|nothing to commit|no changes added)\b.*",
    re.I,
)


_EDITS = late_pattern(
    r"\bsed\b[^|;&\n]{0,300}?\s(?:-\w{0,8}i|--in-place)|\bperl\s+-\w{0,8}i|\b(?:mv|rm|apply|cp)\s|\b(?:patch|codemod)\b"
)
"""Commands that edit files, though which ones may not be in their words."""
_REWRITES = late_pattern(r"--fix|--write|\bblack\b|\bformat\b|\bfmt\b")
"""Linters that change what they look at."""


class Bound(NamedTuple):
    """A deed with the event that bears on it."""

    verdict: Verdict
    message: str
    event: Event | None


class Acts(NamedTuple):
    """What a transcript shows was done."""

    calls: Record
    written: Sequence[Written]
    shell: Sequence[ShellCall]


def acts_of(subject: Subject) -> Acts:
    """Everything that may support a deed."""
    return Acts(record(subject), [file for file in files_written(subject) if file.event is not None], runs(subject))


def bound(deed: Deed, acts: Acts) -> Bound:
    """A deed with what supports it or speaks against it."""
    named = _files(deed) if deed.kind in _ON_FILES else []
    if named:
        return _by_files(named, acts)
    if deed.word in _COMMANDS and (by_command := _by_command(deed.word, acts)) is not None:
        return by_command
    if deed.kind in ("fix", "write") and acts.written:
        return _was_written(acts.written[-1])
    found = support(deed, _without_runs(acts) if deed.kind in _ON_FILES else acts.calls)
    by_edit = _by_edit(acts) if found.verdict == "unsupported" and deed.kind in _ON_FILES else None
    if by_edit is not None and not is_elsewhere(deed.sentence):
        return by_edit
    name = found.event.call.name if found.event and found.event.call else ""
    message = _sentence(found.reason) if found.reason else f"The call to `{name}` did it."
    return Bound(found.verdict, message, found.event)


def _files(deed: Deed) -> list[str]:
    """The files that the deed was done to, as the claim names them."""
    start = deed.sentence.lower().find(deed.word)
    after = deed.sentence[start + len(deed.word) :]
    away = _AWAY.search(after)
    return [name for name in _FILE.findall(after[: away.start()] if away else after) if _is_file(name)]


def _is_file(name: str) -> bool:
    return name.rpartition(".")[2].lower() in _ENDINGS and _PRODUCT.fullmatch(name) is None


def _by_files(named: Sequence[str], acts: Acts) -> Bound:
    last: Bound | None = None
    for name in named:
        base = name.rsplit("/", 1)[-1]
        file = next((file for file in reversed(acts.written) if fnmatchcase(base, file.path.rsplit("/", 1)[-1])), None)
        if file is not None:
            last = _was_written(file)
            continue
        event = _about(base, acts.calls.done) or _by_pattern(base, acts)
        if event is not None:
            last = Bound("supported", f"The call to `{_name(event)}` did it.", event)
            continue
        if event := _about(base, acts.calls.tried):
            if _without_runs(acts).done:  # which may have done it without naming the file
                return Bound("unsupported", f"The call that names {base} failed.", event)
            return Bound("contradicted", _sentence(ALL_FAILED), event)
        return Bound("unsupported", f"No call that may have written {name} names it.", None)
    assert last is not None
    return last


def _by_pattern(base: str, acts: Acts) -> Event | None:
    """The last command that names a file by a pattern: `rm *.tmp`."""
    done = {id(event) for event in acts.calls.done}
    for run in reversed(acts.shell):
        words = (word.rsplit("/", 1)[-1] for command in commands(run.text) for word in command.words[1:])
        if id(run.event) in done and any("*" in word and word.strip("*") and fnmatchcase(base, word) for word in words):
            return run.event
    return None


def _by_edit(acts: Acts) -> Bound | None:
    """The last file that was written or edited, for a deed on files that names none."""
    if acts.written:
        return _was_written(acts.written[-1])
    done = {id(event) for event in acts.calls.done}
    edits = (run.event for run in reversed(acts.shell) if id(run.event) in done and _EDITS.search(run.text))
    edit = next(edits, None)
    return None if edit is None else Bound("supported", f"The call to `{_name(edit)}` edited files.", edit)


def _was_written(file: Written) -> Bound:
    return Bound("supported", f"{file.path} was written.", file.event)


def _about(base: str, events: Sequence[Event]) -> Event | None:
    """The last of the calls that is about a file."""
    whole = re.compile(rf"(?<![\w.-]){re.escape(base)}(?![\w-])")
    return next(
        (event for event in reversed(events) if event.call and whole.search(arguments_text(event.call.arguments))), None
    )


def _by_command(word: str, acts: Acts) -> Bound | None:
    """What became of the last command that does it; None where none does, or where it cannot be told."""
    ran = [run for run in acts.shell if _doing(word, run.text)]
    if not ran:
        stem = _STEMS.get(word)
        if stem is None or any(not commands(run.text) and stem in run.text for run in acts.shell):
            return None
        by_tool = next((event for event in reversed(acts.calls.done) if _may_do(stem, _name(event))), None)
        none = Bound("unsupported", f"No command in the transcript does it: {stem}.", None)
        return none if by_tool is None else _did_it(by_tool)
    against = _failure(word, ran[-1])
    if against is None:
        return _did_it(ran[-1].event)
    if ended := _ended_by(word, ran[-1], acts):
        return _did_it(ended)
    earlier = next((run for run in reversed(ran[:-1]) if _failure(word, run) is None), None)
    certain = any(_CERTAIN[word] in _first_words(command) for command in _doing(word, ran[-1].text))
    if earlier is not None and (word not in _STEMS or not _is_alike(word, earlier, ran[-1])):
        return _did_it(earlier.event)  # and the last one was for something else
    alone = certain and earlier is None and len(commands(ran[-1].text)) == 1
    return Bound("contradicted" if alone else "unsupported", f"The command that does it failed{against}", ran[-1].event)


def _did_it(event: Event) -> Bound:
    return Bound("supported", f"The call to `{_name(event)}` did it.", event)


def _failure(word: str, run: ShellCall) -> str | None:
    """How a message that it failed ends; None when it did not."""
    assert run.event.call is not None
    result = (run.event.call.result or "")[-5000:]
    if word in _SUCCEEDED and re.search(_SUCCEEDED[word], result):
        return None
    error = _ERROR.search(result if word in _STEMS else result.strip().rpartition("\n")[2])
    if error:
        return f": {error[0].strip()[:100]}"
    return "." if failed(run.event.call) else None


@lru_cache(maxsize=1024)
def _doing(word: str, text: str) -> tuple[Command, ...]:
    """The commands of a shell text that do what a word says."""
    return tuple(
        command
        for command in commands(text)
        if re.search(_COMMANDS[word], _first_words(command)) and not looks(command)
    )


def _first_words(command: Command) -> str:
    """The program with what it is told to do; a long argument is content."""
    plain = [word[:_LONGEST_WORD] for word in command.words if not word.startswith("-")]
    return " ".join(plain[:_FIRST_WORDS])


def _is_alike(word: str, first: ShellCall, second: ShellCall) -> bool:
    """Whether two commands do it to the same: `git push` again, not `git push backup` after `git push origin`."""
    told = [[_first_words(command).split() for command in _doing(word, run.text)][-1] for run in (first, second)]
    return all(word == other for word, other in zip(*told, strict=False))


def _may_do(stem: str, tool: str) -> bool:
    """Whether a tool does it, by its name; those of a forge commit and push what they write."""
    name = in_words(tool).lower()
    return stem in name or (stem != "merge" and ("push_files" in name or "create_or_update_file" in name))


def _ended_by(word: str, last: ShellCall, acts: Acts) -> Event | None:
    """The later command that ended what the last one began: a merge with conflicts is committed in the end."""
    done = {id(event) for event in acts.calls.done}
    for run in acts.shell[acts.shell.index(last) + 1 :] if word == "merged" else ():
        if any(
            _first_words(command).startswith("git commit") or "--continue" in command.words
            for command in commands(run.text)
        ):
            return run.event if id(run.event) in done else None
    return None


def _without_runs(acts: Acts) -> Record:
    """The calls without runs of tests and linters, which show what a change did and change nothing."""
    pure = {id(run.event) for run in acts.shell if _only_tests(run.text)}
    return Record([event for event in acts.calls.done if id(event) not in pure], acts.calls.tried)


def _only_tests(text: str) -> bool:
    kinds = kinds_of(text) if len(text) < 2000 and not _REWRITES.search(text) else frozenset({"unknown"})
    return bool(kinds) and kinds <= {"tests", "linter"}


def _name(event: Event) -> str:
    return event.call.name if event.call else ""


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:]}."
