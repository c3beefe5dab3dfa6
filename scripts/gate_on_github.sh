#!/usr/bin/env bash
# What the GitHub Action runs: the suite EVENHAND_SUITE if there is one; judges EVENHAND_OUTPUTS if there are any, then
# `evenhand gate --github`.
# Every input is an environment variable, and none is ever part of a command's text.
set -uo pipefail
: "${EVENHAND_OUTPUTS:=}" "${EVENHAND_JUDGES:=}" "${EVENHAND_GATE_FILES:=}"

reports="${RUNNER_TEMP:?}/evenhand-reports"
mkdir -p "$reports"
echo "reports=$reports" >> "$GITHUB_OUTPUT"

# Why a command failed: the errors that it printed, at most ten, or else its last line.
cause() {
  grep -m 10 -E '^(error|stopped): ' "$reports/errors.txt" | sed -E 's/^(error|stopped): //' | grep . ||
    tail -n 1 "$reports/errors.txt"
}

# The first of these as an annotation.
say_cause() {
  local text
  text="$(cause | head -n 1)"; text="${text//'%'/%25}"; text="${text//$'\r'/%0D}"
  echo "::error title=evenhand::$text"
}

# Nothing that is printed about the outputs may be taken for a command to the runner.
without_commands() {
  local token code
  token="$(python3 -c 'import secrets; print(secrets.token_hex(16))')"
  echo "::stop-commands::$token"
  "$@" 2> >(tee "$reports/errors.txt" >&2)
  code=$?
  wait
  echo "::$token::"
  return "$code"
}

models=()
[[ "${EVENHAND_THOROUGH:-false}" == true ]] && models+=(--set judge.thorough=true)
[[ -n "${EVENHAND_BASE_URL:-}" ]] && models+=("--base-url=$EVENHAND_BASE_URL")
[[ -n "${EVENHAND_REPLIES:-}" ]] && models+=(--set "judge.replies=$EVENHAND_REPLIES")
[[ -n "${EVENHAND_MAX_COST:-}" ]] && models+=("--max-cost=$EVENHAND_MAX_COST")

ran=0
if [[ -n "${EVENHAND_SUITE:-}" ]]; then
  store="--store=${EVENHAND_SUITE_STORE:-.evenhand/evenhand.db}"
  without_commands evenhand run "${models[@]}" "$store" --format=markdown -o "$reports/suite.md" -- "$EVENHAND_SUITE"
  ran=$?
  if [[ $ran -ne 0 ]]; then say_cause; fi
  if [[ -s "$reports/suite.md" ]]; then
    cat "$reports/suite.md" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
    evenhand run show latest --gate "$store" --format=junit -o "$reports/suite.xml" || true
    evenhand run show latest "$store" --format=html -o "$reports/suite.html" || true
  else
    { printf '## evenhand: the suite did not run\n\n'; cause | sed 's/^/- /'; } >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
  fi
  if [[ -z "${EVENHAND_OUTPUTS//[[:space:]]/}" && -z "${EVENHAND_GATE_FILES//[[:space:]]/}" ]]; then
    words=(green red undecided undecided undecided undecided)
    echo "result=${words[$ran]:-undecided}" >> "$GITHUB_OUTPUT"
    exit "$ran"
  fi
fi

judged=0
if [[ -n "${EVENHAND_OUTPUTS//[[:space:]]/}" ]]; then
  arguments=()
  while IFS= read -r line; do
    [[ -z "${line//[[:space:]]/}" ]] && continue
    if [[ -e "$line" ]]; then arguments+=("$line"); continue; fi
    # Without a separator a name with a newline or a space stays one name.
    shopt -s nullglob; saved="$IFS"; IFS=''; matches=($line); IFS="$saved"; shopt -u nullglob
    if [[ ${#matches[@]} -eq 0 ]]; then
      matches=("$line")
      echo "::error title=evenhand%3A no file matched::${line//'%'/%25}"
    fi
    arguments+=("${matches[@]}")
  done <<< "$EVENHAND_OUTPUTS"
  options=(--store none --format jsonl)
  [[ -n "${EVENHAND_TASK:-}" ]] && options+=("--task=$EVENHAND_TASK")
  [[ -n "${EVENHAND_GATE_RUBRIC:-}" ]] && options+=("--rubric=$EVENHAND_GATE_RUBRIC")
  [[ -n "${EVENHAND_EXPECT:-}" ]] && options+=("--expect=$EVENHAND_EXPECT")
  [[ -n "${EVENHAND_WORKSPACE:-}" ]] && options+=(--set "judge.workspace=$EVENHAND_WORKSPACE")
  if [[ -n "${EVENHAND_JUDGES//[[:space:]]/}" ]]; then
    while IFS= read -r judge; do
      [[ -n "${judge//[[:space:]]/}" ]] && options+=("--judge=$judge")
    done <<< "$EVENHAND_JUDGES"
    options+=("${models[@]}")
    [[ -n "${EVENHAND_CALIBRATION:-}" ]] && options+=(--set "judge.calibration=$EVENHAND_CALIBRATION")
  fi
  judge() { evenhand judge "$@" > "$reports/scorecards.jsonl"; }
  without_commands judge "${options[@]}" -- "${arguments[@]}"
  judged=$?
  # The gate says it wherever it shows its result.
  if [[ $judged -eq 2 || $judged -eq 4 ]]; then EVENHAND_GATE_CAUSE="$(cause)" && export EVENHAND_GATE_CAUSE; fi
  export EVENHAND_GATE_FILES="${EVENHAND_GATE_FILES:-}
$reports/scorecards.jsonl"
fi

export EVENHAND_GATE_ALSO="junit=$reports/junit.xml
ctrf=$reports/ctrf.json
sarif=$reports/findings.sarif
html=$reports/report.html"
# Labels of the outputs are in the store, and tell whether a calibration holds for them.
if [[ "${EVENHAND_GATE_TRANSPORT:-false}" == true && -e "${EVENHAND_SUITE_STORE:-}" ]]; then
  export EVENHAND_GATE_STORE="$EVENHAND_SUITE_STORE"
fi
evenhand gate --github
gated=$?

# What could not be read has no scorecard, so the gate cannot see it: code 2 and 4 of the judge count.
rm -f "$reports/errors.txt"
if [[ $gated -eq 0 && $ran -ne 0 ]]; then exit "$ran"; fi
if [[ $gated -eq 0 && ( $judged -eq 2 || $judged -eq 4 ) ]]; then exit "$judged"; fi
exit "$gated"
