"""Reports in each format, by the ways that the commands take."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

from rich.console import Console

from evenhand.core.curve import Calibration
from evenhand.core.ranking import Ranking
from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.changes import changes
from evenhand.decisions.gate import Ruling
from evenhand.decisions.preference import Preferences
from evenhand.documents.verification import Verification
from evenhand.reports.comparison.changes import changes_report
from evenhand.reports.comparison.preferences import preferences_report
from evenhand.reports.gate import gate_report
from evenhand.reports.html.environment import Page
from evenhand.reports.html.picture import chart_picture
from evenhand.reports.html.walker import report_page
from evenhand.reports.markdown import report_markdown
from evenhand.reports.ranking import ranking_report
from evenhand.reports.rubric import rubric_report
from evenhand.reports.scorecard import scorecard_report, scorecards_report
from evenhand.reports.skill_history import SkillLine, history_report, overview_report, skill_chart
from evenhand.reports.terminal.walker import print_report
from evenhand.reports.tree import Report
from evenhand.reports.trust.anchors import anchors_report
from evenhand.reports.trust.calibration import calibration_report
from evenhand.reports.trust.estimates import estimate_report
from evenhand.reports.trust.judge_card import cards_report
from evenhand.reports.trust.rater_agreement import agreement_report
from evenhand.reports.verification import verification_report
from evenhand.stats.agreement.agreed import AgreementReport
from evenhand.stats.trust.anchor_drift import AnchorReport
from evenhand.stats.trust.estimated import Estimated
from evenhand.stats.trust.judge_card import JudgeCard, ProbeChange
from evenhand.work.submission import Submission


def report_lines(report: Report, width: int = 100, *, full: bool = True) -> list[str]:
    """A report's lines on a terminal so wide, without colours."""
    file = io.StringIO()
    print_report(report, Console(file=file, width=width, color_system=None), full=full)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def change_lines(before: Scorecard, after: Scorecard) -> list[str]:
    """What moved between two scorecards, on a terminal; runs of spaces as one."""
    return [" ".join(line.split()) for line in report_lines(changes_report(before, after, changes(before, after)))]


def changes_page(before: Scorecard, after: Scorecard) -> Page:
    return report_page(changes_report(before, after, changes(before, after)))


def print_scorecard(
    card: Scorecard, console: Console, *, rubric: Rubric | None = None, audit: bool = False, brief: bool = False
) -> None:
    print_report(scorecard_report(card, rubric, brief=brief), console, full=audit)


def scorecard_markdown(card: Scorecard, rubric: Rubric | None = None) -> str:
    return report_markdown(scorecard_report(card, rubric))


def scorecard_page(card: Scorecard, submission: Submission | None = None, rubric: Rubric | None = None) -> Page:
    return report_page(scorecard_report(card, rubric, submission))


def scorecards_page(named: Sequence[tuple[str, Scorecard]], errors: Sequence[str] = ()) -> str:
    return report_page(scorecards_report(named, errors))


def gate_page(
    word: str, rulings: Sequence[Ruling], named: Sequence[tuple[str, Scorecard]], errors: Sequence[str] = ()
) -> str:
    return report_page(gate_report(word, rulings, named, errors))


def preferences_page(preferences: Preferences) -> Page:
    return report_page(preferences_report(preferences))


def print_ranking(ranking: Ranking, console: Console, names: Mapping[str, str] = {}) -> None:
    print_report(ranking_report(ranking, names), console)


def ranking_markdown(ranking: Ranking, names: Mapping[str, str] = {}) -> str:
    return report_markdown(ranking_report(ranking, names))


def ranking_page(ranking: Ranking, names: Mapping[str, str]) -> str:
    return report_page(ranking_report(ranking, names))


def print_verification(result: Verification, console: Console) -> None:
    print_report(verification_report(result), console)


def verification_markdown(result: Verification) -> str:
    return report_markdown(verification_report(result))


def print_rubric(rubric: Rubric, console: Console) -> None:
    print_report(rubric_report(rubric), console)


Outcome = tuple[JudgeCard, JudgeCard | None, Sequence[ProbeChange]]


def card_lines(card: JudgeCard, since: JudgeCard | None = None, moved: Sequence[ProbeChange] = ()) -> list[str]:
    """A judge's card on a terminal wide enough for every line."""
    return report_lines(cards_report([(card, since, moved)]), full=False)


def card_markdown(card: JudgeCard) -> str:
    return report_markdown(cards_report([(card, None, ())]))


def cards_page(outcomes: Sequence[Outcome]) -> str:
    return report_page(cards_report(outcomes))


def anchors_page(set_name: str, runs: Sequence[AnchorReport]) -> str:
    return report_page(anchors_report(set_name, runs))


def calibration_page(calibration: Calibration) -> str:
    return report_page(calibration_report(calibration))


def estimate_page(estimated: Estimated) -> str:
    return report_page(estimate_report(estimated))


def calibration_markdown(calibration: Calibration) -> str:
    return report_markdown(calibration_report(calibration))


def print_history(skill: str, cards: Sequence[Scorecard], console: Console) -> None:
    print_report(history_report(skill, cards), console)


def history_markdown(skill: str, cards: Sequence[Scorecard]) -> str:
    return report_markdown(history_report(skill, cards))


def history_page(skill: str, cards: Sequence[Scorecard]) -> Page:
    return report_page(history_report(skill, cards))


def history_svg(skill: str, cards: Sequence[Scorecard]) -> str:
    return chart_picture(skill, skill_chart(skill, cards))


def print_overview(lines: Sequence[SkillLine], console: Console) -> None:
    print_report(overview_report(lines), console)


def overview_markdown(lines: Sequence[SkillLine]) -> str:
    return report_markdown(overview_report(lines))


def agreement_lines(report: AgreementReport) -> list[str]:
    """Agreement on a terminal wide enough for every line."""
    file = io.StringIO()
    print_report(agreement_report(report), Console(file=file, width=100, color_system=None))
    return [line.rstrip() for line in file.getvalue().splitlines()]


def agreement_markdown(report: AgreementReport) -> str:
    return report_markdown(agreement_report(report))


def agreement_page(report: AgreementReport) -> Page:
    return report_page(agreement_report(report))
