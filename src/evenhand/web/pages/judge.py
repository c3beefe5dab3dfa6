"""One judge: the newest card of its self-test, and what its anchors show."""

from __future__ import annotations

from typing import Any, Final

from evenhand.documents.judge_card import card_document
from evenhand.files.records import document_of
from evenhand.reports.html.anchors import anchors_page
from evenhand.reports.html.judge_card import card_body
from evenhand.reports.trust.anchors import run_document
from evenhand.reports.trust.judge_uses import uses_rows
from evenhand.store.protocol import Store
from evenhand.trust.anchors import open_alarms, reports
from evenhand.trust.judge_uses import stored_uses, uses_with_card
from evenhand.trust.probes import stored_outcomes
from evenhand.web.page import Page, Sheet
from evenhand.web.parameters import Parameters
from evenhand.web.responses import page_route

_COLUMNS: Final = ("set", "created", "anchors", "alarm", "moved")


def judge(store: Store, parameters: Parameters) -> Page:
    """Whether a judge can be trusted, as far as its probes and anchors show; either may be missing."""
    name = parameters.needed("name", "the name of a judge")
    outcomes = stored_outcomes(store, name) if store.judge_cards(judge=name, limit=1) else []
    sets = dict.fromkeys(run.set_name for run in store.anchor_runs(judge=name))
    runs = [report for set_name in sets for report in reports(store, set_name) if report.judge["name"] == name]
    newest = [[*filter(lambda report: report.set_name == set_name, runs)] for set_name in sets]
    alarm = open_alarms(store).get(name) if runs else None
    card = outcomes[0].card if outcomes else None
    by_labels = stored_uses(store, name)
    uses = {key: uses_with_card(found, card) for key, found in by_labels.items()} or (
        {name: card.uses} if card is not None else {}
    )
    documents: list[dict[str, Any]] = [run_document(report) for report in runs]
    return Page(
        name="judge",
        title=name,
        template="judge.html",
        document={
            "judge": name,
            "uses": {key: [document_of(entry) for entry in found] for key, found in uses.items()},
            "card": card_document(*outcomes[0]) if outcomes else None,
            "anchors": documents,
            "open_alarm": None if alarm is None else {"raised": alarm.raised, "moved": alarm.says},
        },
        sheet=Sheet(_COLUMNS, [[_cell(document, column) for column in _COLUMNS] for document in documents]),
        shown={
            "judge": name,
            "uses": [(key, uses_rows(found)) for key, found in uses.items()],
            "cards": [card_body(*outcome) for outcome in outcomes],
            "sets": [anchors_page(some[0].set_name, some).body for some in newest],
            "alarm": alarm,
        },
    )


def _cell(document: dict[str, Any], column: str) -> str | int:
    if column == "moved":
        return ", ".join(str(entry["field"]) for entry in document["moved"] if entry["alarm"])
    if column == "alarm":
        return str(document["alarm"]).lower()
    value: str | int = document[column]
    return value


ROUTES: Final = (page_route("/judge", judge),)
