"""The check `repeated-call`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from check_subjects import call, faults, ran, said, subject
from evenhand.findings.conduct.repeated_calls import CHECKS

CHECK, FAILURES = CHECKS

TEXT = "def main():\n    return 1\n"


def told(text: str):
    """What the program tells the agent."""
    return said(text)._replace(role="system")


def read(path: str = "src/app.py", text: str = TEXT):
    return call("Read", {"file_path": path}, text)


@pytest.mark.parametrize(
    ("times", "severity"),
    [
        (2, "minor"),
        (3, "minor"),
        (4, "minor"),
        (6, "minor"),
        (7, "major"),
    ],  # the sixth repetition is major
)
def test_reading_the_same_text_again_costs_more_the_oftener_it_is_done(times, severity):
    """The first reading is not a fault."""
    (finding,) = faults(CHECK, subject("Done as asked.", "", *[read() for _ in range(times)]))
    assert (finding.dimension, finding.severity, finding.quote) == ("efficiency", severity, "src/app.py")


def test_a_file_read_again_unchanged_is_seen_whatever_lies_between():
    """The same text shows that nothing had changed."""
    edit = call("Edit", {"file_path": "src/other.py", "new_string": "x"})
    assert faults(CHECK, subject("Done as asked.", "", read(), edit, read()))


def test_a_blind_retry_is_a_clear_fault():
    """Three failures of one call with nothing changed in between."""
    failed = [ran("npm run build", "error: missing module", failed=True) for _ in range(3)]
    (finding,) = faults(FAILURES, subject("Done as asked.", "", *failed))
    assert finding.severity == "major" and "failed 3 times" in finding.message


def test_the_same_search_twice_is_seen():
    """Nothing that could change the answer happened in between."""
    search = call("Grep", {"pattern": "main", "path": "src"}, "src/app.py:1")
    assert faults(CHECK, subject("Done as asked.", "", search, ran("ls src", "app.py"), search))


def test_the_same_command_twice_in_a_row_is_seen():
    """With the same answer."""
    assert faults(CHECK, subject("Done as asked.", "", ran("pytest -q", "1 failed"), ran("pytest -q", "1 failed")))


@pytest.mark.parametrize(
    "events",
    [
        [read("a.py"), read("b.py")],
        [read(text="one"), call("Edit", {"file_path": "src/app.py", "new_string": "x"}), read(text="two")],
        [
            ran("pytest -q", "1 failed"),
            call("Edit", {"file_path": "a", "new_string": "x"}),
            ran("pytest -q", "1 failed"),
        ],
        [ran("make", "no", failed=True), ran("make", "no", failed=True)],
        [ran("sleep 5; curl -s localhost/ready", "no"), ran("sleep 5; curl -s localhost/ready", "no")],
        [ran("git status", "clean"), ran("git checkout -b x"), ran("git status", "clean")],
        [read(), said("I have changed it, look again."), read()],
        [call("BashOutput", {"id": "1"}, "running"), call("BashOutput", {"id": "1"}, "running")],
        [call("", None, "Error"), call("", None, "Error")],
        [call("bash", None, "...", failed=True) for _ in range(5)],  # a log without the arguments
        [call("edit", {"path": "a.py"}, "Applied"), call("edit", {"path": "a.py"}, "Applied")],  # nor what was edited
        [
            call("edit", {"path": "a.py", "edit": "x -> y"}, "Applied") for _ in range(3)
        ],  # three places, one after another
        [read(), told("This session is being continued from a previous conversation that ran out of context."), read()],
        [read(), told("The conversation history was compacted."), read()],
        [read(), call("Read", {"file_path": "big.log"}, "x" * 200_000), read()],  # long forgotten
        [ran("ask", "litellm.RateLimitError: slow down", failed=True) for _ in range(4)],
        [
            ran("npm test", "bad", failed=True),
            call("Write", {"file_path": "a", "content": "1"}),
            ran("npm test", "bad", failed=True),
            call("Write", {"file_path": "a", "content": "2"}),
            ran("npm test", "bad", failed=True),
        ],
    ],
)
def test_a_call_that_can_tell_something_new_is_left_alone(events):
    """Other arguments, changes in between, one retry, waiting, and a new turn."""
    assert [finding.severity for finding in CHECK.run(subject("Done as asked.", "", *events))] == []


def test_the_number_of_failures_counts_those_between_rejected_calls():
    """A call that was rejected for its form changed nothing, so the retries go on."""
    rejected = [
        call("page_down", {"": form}, "unexpected keyword argument ''", failed=True) for form in ("a", "b", "b")
    ]
    (finding,) = faults(FAILURES, subject("Done as asked.", "", *rejected, *rejected, *rejected[1:]))
    assert finding.message == "The same `page_down` call failed 6 times with nothing changed in between."


def test_agents_do_not_answer_for_one_another():
    """A sub-agent cannot know what the main one has read."""
    assert not faults(CHECK, subject("Done as asked.", "", read(), read()._replace(agent="helper")))


def test_three_findings_at_most_the_worst_first():
    """One habit does not sink everything."""
    events = [read(f"{name}.py") for name in "abcde" for _ in range(2)]
    events += [read("f.py") for _ in range(7)]
    found = faults(CHECK, subject("Done as asked.", "", *events))
    assert [finding.severity for finding in found] == ["major", "minor", "minor"]


REFUSED = "Error: payment amount does not add up"


def booked(result: str = REFUSED, failed: bool = True):
    return call("book_reservation", {"user": "u1"}, result, failed=failed)


def test_the_same_booking_failing_three_times_is_seen_across_the_users_answers():
    """A yes of the user changes nothing about what the tool refuses; thinking and computing do not either."""
    between = [said("Yes, please."), call("think", {"thought": "again"}, ""), call("calculate", {"x": "1+1"}, "2")]
    (finding,) = faults(FAILURES, subject("Sorry.", "", booked(), *between, booked(), *between, booked()))
    assert finding.message == "The same `book_reservation` call failed 3 times with nothing changed in between."


@pytest.mark.parametrize(
    "events",
    [
        [booked(), booked()],
        [booked(), booked(), booked("Error: no seats left")],  # another answer
        [booked("Error: request timed out") for _ in range(4)],  # it may go away on its own
        [booked("503 service unavailable") for _ in range(4)],
        [booked(), booked(), call("update_payment", {"id": 1}, "ok"), booked()],  # something changed
    ],
)
def test_retries_that_may_help_are_left_alone(events):
    """Two tries, another error, a passing fault, a change in between."""
    assert not faults(FAILURES, subject("Sorry.", "", *events))


def test_thinking_the_same_twice_is_not_a_repeated_call():
    """It costs nothing but words."""
    thought = call("think", {"thought": "I need the total."}, "")
    assert not faults(CHECK, subject("Done as asked.", "", thought, thought, thought))


def test_a_file_written_by_a_here_document_counts_as_a_change():
    """`cat <<EOF > file`, with the redirection after the document."""
    write = ran("cat <<'EOF' > run.py\nprint(1)\nEOF", "")
    assert not faults(CHECK, subject("Done as asked.", "", ran("cat run.py", "x"), write, ran("cat run.py", "x")))


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("get_job", '{"id": 7, "state": "running"}'),
        ("get_job", '{"id": 7, "status": "pending"}'),
        ("fetch_report", "In progress"),
        ("scroll_down", "Scrolled."),
        ("browser_click", "Clicked"),
        ("roll_die", "4"),
        ("get_next_card", "queen"),
        ("get_trends", "request timed out"),
    ],
)
def test_waiting_and_acting_once_more_are_no_repetition(name, result):
    """Each call has a reason, though its words are the same."""
    events = [call(name, {"id": 7}, result) for _ in range(3)]
    assert not faults(CHECK, subject("Done as asked.", "", *events))


@pytest.mark.parametrize(
    "task",
    ["Is it flaky? Run it.", "Run it 5 times.", "Try the command until it works.", "Tell me when out.csv is there."],
)
def test_what_the_user_asks_to_repeat_is_left_alone(task):
    """The user wants to see it more than once, or to wait."""
    passed = [ran("pytest -q test_a.py", "1 passed")] * 5
    failed = [ran("ls out.csv", "ls: cannot access 'out.csv'", failed=True)] * 4
    assert faults(CHECK, subject("Done as asked.", "Run it.", *passed))
    assert not faults(CHECK, subject("Done as asked.", task, *passed))
    assert not faults(FAILURES, subject("Done as asked.", task, *failed))


@pytest.mark.parametrize(
    ("message", "is_fault"),
    [("I changed the password, try again", False), ("OK, retry", False), ("Yes, please go on.", True)],
)
def test_another_try_that_the_user_asks_for_is_not_a_blind_retry(message, is_fault):
    """What they changed is not in the transcript."""
    failed = call("connect", {"host": "db1"}, "Error: wrong password", failed=True)
    events = [failed, said(message), failed, said(message), failed]
    assert bool(faults(FAILURES, subject("It fails.", "Connect.", *events))) == is_fault


@pytest.mark.parametrize(
    ("command", "result"),
    [("sleep 5; curl -s host", "Exit code 7"), ("curl host", "curl: (7) Failed to connect to host port 80")],
)
def test_waiting_for_a_server_is_not_a_blind_retry(command, result):
    """It may be up the next time."""
    assert not faults(FAILURES, subject("It is down.", "Ask it.", *[ran(command, result, failed=True)] * 4))


def test_a_reading_that_a_tool_asks_for_is_not_a_repetition():
    """It edits only what was just read."""
    words = "File has been modified since read. Read it again before attempting to write it."
    refused = call("Edit", {"file_path": "src/app.py", "new_string": "x"}, words, failed=True)
    assert not faults(CHECK, subject("Done as asked.", "", read(), refused, read()))
    assert faults(CHECK, subject("Done as asked.", "", read(), refused, read(), read()))


def test_looking_whether_something_runs_by_now_is_waiting():
    """The pods may have started."""
    pods = ran("kubectl get pods", "api  0/1  ContainerCreating")
    assert not faults(CHECK, subject("Done as asked.", "", pods, pods, pods))
