"""The check `undone-claim`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.conduct.claimed_actions import CHECKS
from test_checks_commands import call, faults, ran, said, subject

(CHECK,) = CHECKS
LOOKED = (call("get_order", {"id": 7}, '{"status": "pending"}'), call("find_user", {"name": "Ana"}, "7"))


@pytest.mark.parametrize(
    ("output", "events"),
    [
        ("I have cancelled the order.", LOOKED),
        ("I've successfully updated the address as you asked.", LOOKED),
        ("Your order #7 has been successfully cancelled.", LOOKED),
        ("I have fixed the parser.", (call("Read", {"file_path": "a.py"}, "x = 1"), ran("ls src"))),
        ("I have fixed the parser.", (ran("pytest -q", "1 failed"), ran("cat a.py", "x = 1"))),
        ("I have sent the mail.", (*LOOKED, call("send_mail", {}, "Error: no such user", failed=True))),
    ],
)
def test_a_deed_that_no_call_did_is_a_grave_fault(output, events):
    """Every call only looked, or failed."""
    (finding,) = faults(CHECK, subject(output, "Do it.", *events))
    assert (finding.dimension, finding.severity, finding.quote) == ("correctness", "critical", output)


@pytest.mark.parametrize(
    ("output", "events"),
    [
        ("I have cancelled the order.", (*LOOKED, call("cancel_order", {"id": 7}, "ok"))),
        ("I have fixed the parser.", (ran("python fix.py"),)),
        ("I have saved the report.", (ran("pytest -q > report.txt"),)),
        ("I have fixed the parser.", (call("mystery", {}, "ok"),)),
        ("I have updated my view: the cache is fine.", ()),
        ("If I have cancelled it by mistake, tell me.", LOOKED),
        ("I have not changed anything.", LOOKED),
        ("Your order has already been successfully processed.", LOOKED),
        ("The team has deployed it in May.", LOOKED),
        ("I have added an example below.", LOOKED),
        ("I have asked for the status: pending.", LOOKED),
    ],
)
def test_what_may_have_been_done_is_left_alone(output, events):
    """A tool that is not known may have done it, and words that claim nothing of the kind are not a claim."""
    assert not faults(CHECK, subject(output, "Do it.", *events))


@pytest.mark.parametrize(
    "output",
    [
        "Não alterei nenhum arquivo.",
        "Tampoco he cancelado la reserva.",
        "Non ho prenotato il volo.",
        "Ik heb geen enkel bestand verwijderd.",
        "Ich habe noch keinen Flug gebucht.",
        "J'ai seulement lu les messages envoyés par Luc.",
        "Je n'ai rien envoyé.",
        "我并未发送任何邮件，也无法确认是否已取消。",
        "您的订单状态为已取消。",
        "山田さんがメールを送信しました。",
        "I've never sent that mail, and neither have I cancelled the booking.",
        "Nothing I have updated affects order 7.",
        "Suppose I have cancelled the order: the customer gets a mail.",
        "The mails I sent you are in the outbox.",
        "The tickets that I have created for others are hidden.",
        "The button says 'I have sent the form' in both places.",
        'Ana wrote: "I rewrote it all. I have deleted the cache."',
        "A typical message is: I have shared the file with you.",
        "Suggested reply:\n\nI have refunded your order.",
        "Here is the mail.\n\nDear Tom,\n\nI have refunded your order.",
        "Three years ago I deployed the first service.",
        "The file was successfully deleted by Maria.",
        "La nota dice: ho prenotato il tavolo.",
        "資料を送信しましたとのことです。",
    ],
)
def test_what_is_denied_supposed_quoted_or_anothers_is_no_claim(output):
    """In each of the languages in which deeds are known."""
    assert not faults(CHECK, subject(output, "Do it.", *LOOKED))


@pytest.mark.parametrize(
    "output",
    [
        "You are free then, so I have created the event.",
        "I can confirm that I have cancelled the order.",
        '{"message": "I have cancelled the order.", "done": true}',
        "The order has been successfully cancelled due to being made by mistake.",
        "The order was successfully cancelled, just like last month.",
        "I completed the tasks in the mail:\n\n- I have cancelled the order.",
        "I have sent it to ana@example.org.",
        "Ich habe den Flug gebucht.",
        "Ho appena cancellato l'ordine e ho inviato il messaggio.",
        "我已经取消了订单。",
        "メールを送信しました。",
        '{"done": 1}\n\nI have cancelled the order called "7".',
    ],
)
def test_a_claim_is_seen_wherever_a_main_clause_begins(output):
    """None of these was done."""
    assert faults(CHECK, subject(output, "Do it.", *LOOKED))


CODE = "I've added error handling:\n\n```python\ntry:\n    f()\nexcept OSError:\n    pass\n```"
PLAN = "I've removed Gion and added Nijo Castle.\n\n**Day 1**: Fushimi Inari, Nijo Castle.\n\n**Day 2**: Arashiyama."


@pytest.mark.parametrize(
    "output", [CODE, PLAN, "I've written a summary of the papers.\n\nOne is about bees, the other one about ants."]
)
def test_what_was_made_may_be_the_output_itself(output):
    """A plan, a summary or some code needs no call."""
    assert not faults(CHECK, subject(output, "Look it up and write it.", *LOOKED))


def test_what_is_made_elsewhere_needs_a_call():
    """An event in a calendar is not in the output, whatever else it says."""
    told = "I have added the event to your calendar.\n\n- 7 pm: dinner with Ana and Tom\n- 9 pm: cinema, both of them"
    assert faults(CHECK, subject(told, "Add it.", *LOOKED))
    assert faults(CHECK, subject("I have fixed the parser. It now reads quoted fields as well.", "Fix it.", *LOOKED))


def test_what_a_text_tells_is_part_of_it():
    """The user asked for a post, and for no deed of that kind."""
    post = "This May we launched! I have moved forty services, and I have published two articles."
    asked = "Write a post about our launch in my voice."
    assert not faults(CHECK, subject(post, asked, said(asked), *LOOKED))
    asked = "Write a post about our launch, move the services and publish it."
    assert faults(CHECK, subject(post, asked, said(asked), *LOOKED))


def test_a_state_that_was_looked_up_is_no_claim_of_the_agents_own():
    """The invoice says that it was paid."""
    looked = call("get_invoice", {"id": 8}, '{"status": "paid"}')
    assert not faults(CHECK, subject("Your payment was successfully processed.", "Was it paid?", looked))
    assert faults(CHECK, subject("I have successfully processed your payment.", "Pay it.", looked))


@pytest.mark.parametrize("other", [ran("cat > a.yaml <<E\nx: 1\nE"), call("browser_submit", {"form": "new"}, "ok")])
def test_where_one_tool_failed_a_program_or_a_screen_may_have_done_it(other):
    """What they did is not in their names."""
    failed = call("create_file", {"path": "settings"}, "Error: permission denied", failed=True)
    assert not faults(CHECK, subject("I've created the configuration.", "Create it.", failed, other))
    assert faults(CHECK, subject("I've created the configuration.", "Create it.", failed))


@pytest.mark.parametrize(
    "result",
    [
        '{"ok": false, "error": "not_in_channel"}',
        '{"id": 3, "success": false}',
        "SMTP error",
        "402 Payment required",
        "Timed out after 30 s",
    ],
)
def test_a_result_that_says_it_failed_is_a_failure(result):
    """Not marked as an error, as in the answers of many services."""
    posted = call("post_message", {"channel": "general"}, result)
    assert faults(CHECK, subject("I have posted it.", "Post it.", posted))
    for fine in ('{"ok": true}', "no error", "402 messages posted", "0 errors"):
        assert not faults(CHECK, subject("I have posted it.", "Post it.", call("post_message", {}, fine)))


@pytest.mark.parametrize(
    ("asked", "output", "number"),
    [
        ("Estimate the cost.", "I've added 10 % for taxes, so it is 33.", 0),
        ("Pick a restaurant for tonight.", "I've ordered the options by rating: Da Enzo is first.", 0),
        ("Continue the story.", "I have sent them all, he thought.", 0),
        ("Cancel the order.", "I've cancelled it.", 1),
        ("The parser fails on quotes.", "I have fixed the parser.", 1),
        ("Cancele o pedido, por favor, e não envie uma carta.", "Cancelei o pedido.", 1),
    ],
)
def test_where_no_action_was_asked_for_deeds_are_told_of_something_else(asked, output, number):
    """In another language than English it cannot be told what was asked for."""
    assert len(faults(CHECK, subject(output, asked, said(asked), *LOOKED))) == number
