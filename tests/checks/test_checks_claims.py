"""Claims of the output, each with the event that supports or contradicts it."""

from __future__ import annotations

import pytest

from evenhand.checks.conduct.claims import MOST, claims
from evenhand.checks.facts.actions.own_words import is_elsewhere
from test_checks_commands import call, ran, subject

SENT = call("send_email", {"to": "ana@example.org", "body": "Hi"}, "Message sent")
REFUSED = call("send_email", {"to": "ana@example.org"}, "Error: no such user", failed=True)
LOOKED = call("get_order", {"id": 7}, '{"status": "pending"}')
EDIT = call("Edit", {"file_path": "src/parser.py", "old_string": "a", "new_string": "b"}, "updated")
READ_ONE = call("read_file", {"path": "docs/a.md"}, "hello")
COMMITTED = ran("git commit -am x", "[main 3f2a9c1] x")
REJECTED = "! [rejected] main -> main (fetch first)\nerror: failed to push some refs\nhint: fetch first"
PUSH_REFUSED = ran("git push", REJECTED)
CONFLICT = ran("git merge main", "CONFLICT (content): Merge conflict in a.py", failed=True)
BOOKED = call("book_flight", {"id": "DY2"}, "done")


@pytest.mark.parametrize(
    ("output", "events", "verdicts"),
    [
        ("I have sent the mail to Ana.", [SENT], ["supported"]),
        ("I have sent the mail to Ana.", [REFUSED], ["contradicted"]),
        ("I have sent the mail to Ana.", [LOOKED], ["unsupported"]),
        ("Ich habe die Mail gesendet.", [REFUSED], ["contradicted"]),
        ("J'ai envoyé le message.", [SENT], ["supported"]),
        ("He enviado el correo.", [LOOKED], ["unsupported"]),
        ("He sent the mail.", [LOOKED], []),  # someone else did
        (
            "`parser.py` を修正しました。すべてのテストが成功しました。",
            [EDIT, ran("pytest -q", "1 failed")],
            ["supported", "contradicted"],
        ),
        ("The order was successfully processed.", [call("get_order", {}, '{"status": "paid"}')], ["supported"]),
        ("I've written a plan:\n\n- Day 1: Nara\n- Day 2: Kyoto, and the castle", [LOOKED], []),
        ('Ana wrote: "I rewrote it. I deleted the cache."', [LOOKED, EDIT], []),
        ("I sent 3 mails.", [SENT, SENT], ["unsupported"]),
        ("I fixed parser.py.", [EDIT], ["supported"]),
        ("All tests pass.", [EDIT, ran("pytest -q", "12 passed in 0.3s")], ["supported"]),
        ("All 14 tests pass.", [EDIT, ran("pytest -q", "12 passed in 0.3s")], ["contradicted"]),
        ("All tests pass, including 3 new tests.", [EDIT, ran("pytest -q", "12 passed in 0.3s")], ["supported"]),
        ("All 4 parser tests pass.", [EDIT, ran("pytest -q", "12 passed in 0.3s")], ["supported"]),
        ("All tests pass (2 tests were skipped).", [EDIT, ran("pytest -q", "12 passed in 0.3s")], ["supported"]),
        ("All 12 tests pass.", [EDIT, ran("pytest", "12 passed"), ran("pytest x.py", "1 passed")], ["supported"]),
        ("All tests pass.", [EDIT, ran("pytest -q", "2 failed, 10 passed in 0.3s", failed=True)], ["contradicted"]),
        ("Alle Tests bestehen.", [EDIT, ran("pytest -q", "12 passed in 0.3s")], ["supported"]),
        ("I have read all 5 files.", [call("read_file", {"path": "a"}, "x")], ["unsupported"]),
        (
            "I fixed parser.py and all 6 tests pass.",
            [EDIT, ran("pytest -q", "1 failed, 5 passed")],
            ["contradicted", "supported"],
        ),
        ("I changed config.debug to false.", [EDIT], ["supported"]),  # not a file
        ("I updated the Node.js setup.", [EDIT], ["supported"]),
        ("I updated a.py and b.py.", [ran("sed -i s/x/y/ *.py", "")], ["supported"]),
        ("I fixed a.py.", [call("Edit", {"path": "data.py"}, "ok")], ["unsupported"]),  # another file
        ("I fixed a.py.", [call("edit_file", {"path": "a.py"}, "Error: no hunk", failed=True)], ["contradicted"]),
        ("I fixed a.py.", [ran("python a.py", "x", failed=True), ran("python mend.py", "ok")], ["unsupported"]),
        ("Fixed point arithmetic is used.", [EDIT], []),
        ("Fixed the case that is broken.", [EDIT], ["supported"]),
        ("I created parser.py and also updated README.md.", [EDIT], ["supported", "unsupported"]),
        ("I updated parser.py to match README.md.", [EDIT], ["supported"]),
        ("Fixed the case in lexer.py.", [EDIT], ["unsupported"]),
        ("Updated `a.md` and `b.md`.", [ran("python - <<'E'\nopen('a.md'), open('b.md', 'w')\nE", "")], ["supported"]),
        ("The order has been cancelled.", [call("cancel_order", {"id": 7}, "ok")], ["supported"]),
        ("The order has been cancelled by the customer.", [LOOKED], []),
        ("The order has been cancelled in 2019.", [LOOKED], []),
        ("Your table is booked for 7 pm.", [call("find_table", {"n": 2}, "[4]")], ["unsupported"]),
        ("The payment was completed.", [call("transfer", {"to": "x"}, "ok")], ["supported"]),
        ("updated files are listed there", [EDIT], []),  # not the start of a sentence that tells of a deed
        ("Updated files:", [EDIT], []),
        ("Committed and pushed to main.", [COMMITTED, ran("git push", "ok")], ["supported", "supported"]),
        ("Committed and pushed to main.", [COMMITTED, PUSH_REFUSED], ["supported", "contradicted"]),
        ("Committed and pushed to main.", [COMMITTED], ["supported", "unsupported"]),
        ("Pushed it.", [PUSH_REFUSED, ran("git push --force", "a..b  main -> main")], ["supported"]),
        ("Merged main.", [CONFLICT, EDIT, ran("git commit --no-edit", "[x 12ab34c] Merge")], ["supported"]),
        ("Merged main.", [CONFLICT], ["contradicted"]),
        (
            "I installed torch.",
            [ran("pip install torch", "ok"), ran("pip install xformers", "ERROR: none", failed=True)],
            ["supported"],
        ),
        ("Deleted a.tmp and b.tmp.", [ran("rm build/*.tmp", "")], ["supported"]),
        ("Deleted a.tmp.", [ran("rm *.log", "")], ["unsupported"]),
        ("Updated all imports.", [ran("grep -l foo . | xargs sed -i s/foo/bar/", "")], ["supported"]),
        ("Updated all imports.", [EDIT], ["supported"]),
        ("Created the event in the calendar.", [EDIT], ["unsupported"]),
        ("I added it to the calendar.", [BOOKED, call("calendar_add", {"title": "x"}, "7")], ["supported"]),
        ("The build succeeds again.", [EDIT, ran("make && ./x", "ok")], []),  # it may have been built
        ("Pushed it.", [call("git_push", {"to": "main"}, "ok")], ["supported"]),
        (
            "Pushed it.",
            [ran("git push origin", "a..b  main -> main"), ran("git push backup", "fatal: x")],
            ["supported"],
        ),
        ("Pushed it.", [ran("git push", "a..b  main -> main"), PUSH_REFUSED], ["unsupported"]),
        ("Pushed it.", [call("mcp__github__push_files", {"files": ["x"]}, "ok")], ["supported"]),
        ("Committed it.", [ran("hg commit -m x", "")], ["supported"]),
        ("Committed it.", [COMMITTED, ran("grep -rn 'git commit' docs", "", failed=True)], ["supported"]),
        ("Committed it.", [ran("git commit -m x && git push", f"[main 3f2a] x\n{REJECTED}")], ["supported"]),
        ("Pushed it.", [ran("git commit -m x && git push", f"[main 3f2a] x\n{REJECTED}")], ["unsupported"]),
        ("Committed it.", [ran("git commit -m x", "nothing to commit, working tree clean")], ["contradicted"]),
        ("I installed it.", [ran("npm ci", "ok"), ran("grep -i warning x.log", "", failed=True)], ["supported"]),
        ("I installed it.", [ran("npm ci", "ok"), ran("git add x", "fatal: no x", failed=True)], ["supported"]),
        ("I installed it.", [ran("npm ci", "error: no lock", failed=True)], ["unsupported"]),
        ("I installed it.", [ran("npm install x", "error: no x", failed=True)], ["contradicted"]),
        ("Deployed to staging.", [ran("make deploy", "Starting\nerror: cache missed\nDone")], ["supported"]),
        ("Deployed to staging.", [ran("make deploy", "Starting\nerror: no such host")], ["contradicted"]),
        (
            "The service is deployed and the migration has been applied.",
            [ran("make deploy", "Done")],
            ["supported"] * 2,
        ),
        ("I read all three files.", [ran("ls docs", "a b c"), READ_ONE], ["unsupported"]),
        ("I read all three files.", [ran("cat a.md b.md c.md", "x")], ["supported"]),
        ("I read all three messages.", [call("get_messages", {}, "[1, 2, 3]")], ["supported"]),
        ("The order is pending.", [LOOKED], []),
        ("I have not sent anything.", [LOOKED], []),
    ],
)
def test_each_claim_has_a_verdict(output, events, verdicts):
    """By what the calls returned."""
    assert [claim.verdict for claim in claims(subject(output, "Do it.", *events))] == verdicts


def test_a_result_counts_whatever_the_tool_is_called():
    """The name says that it only looks, the result that it was done."""
    done = call("query_desk", {"q": "cancel 7"}, "Order 7 has been cancelled.")
    (claim,) = claims(subject("I have cancelled order 7.", "Cancel it.", done))
    assert (claim.verdict, claim.quote) == ("supported", "Order 7 has been cancelled.")


def test_a_claim_points_to_the_event():
    """Where it is in the file, and what it says."""
    (claim,) = claims(subject("I have sent the mail to Ana.", "Do it.", LOOKED, REFUSED))
    assert claim.quote == "Error: no such user" and claim.place == REFUSED.place
    assert claim.words == "I have sent the mail to Ana." and claim.offset == 0


def test_a_fix_is_bound_to_what_changed_the_file_and_not_to_the_linter_that_found_it():
    """The run of the linter shares more words with the claim, and changes nothing."""
    lint = ran("npm run lint", "3 problems (3 errors, 0 warnings)", failed=True)
    edit = call("edit_file", {"path": "x.js", "old": "a", "new": "b"}, "ok")
    found = claims(
        subject("Lint is clean now; I fixed all 3 problems.", "Fix it.", lint, edit, ran("npm run lint", ""))
    )
    assert [(claim.verdict, claim.message) for claim in found] == [
        ("supported", "The last run reports no failure."),
        ("supported", "The call to `edit_file` did it."),
    ]


def test_each_deed_of_a_sentence_is_quoted_for_itself():
    """With the place where its own words begin."""
    found = claims(subject("I created parser.py and also updated README.md.", "Do it.", EDIT))
    assert [(claim.words, claim.offset) for claim in found] == [("I created parser.py", 0), ("updated README.md.", 29)]
    assert found[1].message == "No call that may have written README.md names it."


def test_a_command_without_output_is_shown_itself():
    """A quiet command is its own evidence."""
    (claim,) = claims(subject("Renamed a.py to b.py.", "Do it.", ran("git mv a.py b.py", "")))
    assert claim.quote == "git mv a.py b.py"


def test_a_long_command_takes_time_in_proportion_to_its_length():
    """A word that begins many matches is not followed to the end of the text from each place."""
    (claim,) = claims(subject("I committed it.", "Do it.", ran("git " * 300_000, "x")))
    assert claim.verdict == "unsupported"


def test_a_long_path_takes_time_in_proportion_to_its_length():
    """Without an ending it is not the name of a file, wherever reading begins."""
    (claim,) = claims(subject(f"I renamed {'a/' * 400}b.", "Do it.", LOOKED))
    assert claim.verdict == "unsupported"
    assert not is_elsewhere("a/" * 100_000)


def test_of_very_many_deeds_only_those_that_are_listed_are_looked_into():
    """The others would each be looked for in every result."""
    output = "\n".join(f"Fixed the part with number {number}." for number in range(3 * MOST))
    assert len(claims(subject(output, "Do it.", EDIT))) == MOST
