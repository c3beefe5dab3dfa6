# Sourced by ./try and ./test: a virtual environment in .venv with what is asked for, made once.
#   prepare ""       the package alone
#   prepare "[dev]"  the package and the development tools
prepare() {
  local python stamp
  for python in python3 python3.14 python3.13 python3.12 python3.11 ""; do
    [ -n "$python" ] || { echo "evenhand needs Python 3.11 or later; none was found" >&2; return 2; }
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break
  done
  stamp=".venv/prepared$(cat pyproject.toml | cksum | tr -d ' ')$1"
  [ -e "$stamp" ] && return
  [ -x .venv/bin/python ] || "$python" -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ".$1"
  touch "$stamp"
}
