#!/usr/bin/env bash
# What the GitHub Action runs: judges EVENHAND_OUTPUTS if there are any, then `evenhand gate --github`.
# Every input is an environment variable, and none is ever part of a command's text.
set -uo pipefail

reports="${RUNNER_TEMP:?}/evenhand-reports"
mkdir -p "$reports"
echo "reports=$reports" >> "$GITHUB_OUTPUT"

judged=0
if [[ -n "${EVENHAND_OUTPUTS//[[:space:]]/}" ]]; then
  arguments=()
  while IFS= read -r line; do
    [[ -z "${line//[[:space:]]/}" ]] && continue
    mapfile -t matches < <(compgen -G "$line" | LC_ALL=C sort)
    if [[ -e "$line" || ${#matches[@]} -eq 0 ]]; then matches=("$line"); fi
    arguments+=("${matches[@]}")
  done <<< "$EVENHAND_OUTPUTS"
  options=(--store none --format jsonl)
  [[ -n "${EVENHAND_TASK:-}" ]] && options+=("--task=$EVENHAND_TASK")
  [[ -n "${EVENHAND_GATE_RUBRIC:-}" ]] && options+=("--rubric=$EVENHAND_GATE_RUBRIC")
  [[ -n "${EVENHAND_EXPECT:-}" ]] && options+=("--expect=$EVENHAND_EXPECT")
  [[ -n "${EVENHAND_WORKSPACE:-}" ]] && options+=("--workspace=$EVENHAND_WORKSPACE")
  if [[ -n "${EVENHAND_JUDGES//[[:space:]]/}" ]]; then
    while IFS= read -r judge; do
      [[ -n "${judge//[[:space:]]/}" ]] && options+=("--judge=$judge")
    done <<< "$EVENHAND_JUDGES"
    [[ -n "${EVENHAND_REPLIES:-}" ]] && options+=("--replies=$EVENHAND_REPLIES")
    [[ -n "${EVENHAND_CALIBRATION:-}" ]] && options+=("--calibration=$EVENHAND_CALIBRATION")
    [[ -n "${EVENHAND_MAX_COST:-}" ]] && options+=("--max-cost=$EVENHAND_MAX_COST")
  fi
  # Nothing that is printed about the outputs may be taken for a command to the runner.
  token="$(python3 -c 'import secrets; print(secrets.token_hex(16))')"
  echo "::stop-commands::$token"
  evenhand judge "${options[@]}" -- "${arguments[@]}" > "$reports/scorecards.jsonl"
  judged=$?
  echo "::$token::"
  export EVENHAND_GATE_FILES="${EVENHAND_GATE_FILES:-}
$reports/scorecards.jsonl"
fi

export EVENHAND_GATE_ALSO="junit=$reports/junit.xml
ctrf=$reports/ctrf.json
sarif=$reports/findings.sarif
html=$reports/report.html"
evenhand gate --github
gated=$?

# What could not be read has no scorecard, so the gate cannot see it: code 2 and 4 of the judge count.
if [[ $gated -eq 0 && ( $judged -eq 2 || $judged -eq 4 ) ]]; then exit "$judged"; fi
exit "$gated"
