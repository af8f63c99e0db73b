#!/usr/bin/env bash
# Builds, checks, tests and runs elowen. People and CI use the same verbs; see usage.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'TEXT'
./build.sh VERB [ARGUMENT …]

  serve        build all and run bin/elowen serve, with the arguments
  server       build bin/elowen, browser program included
  wasm         build and compress the browser program into assets/built
  check        format, vet (native and browser), import rules, modules
  test         check, wasm, then every test, with PostgreSQL and Chromium, and -race
  bench        benchmarks and the bench program     BENCHTIME=1s
  fuzz         each fuzz target for a moment        FUZZTIME=10s
  soak         each fuzz target for 60 s, 200 kills
  screenshots  pictures of the app, from a real browser, into the given folder

Needs Go as in go.mod. test needs also gcc, Chromium and PostgreSQL 15 or newer;
as root on Debian or Ubuntu it installs what is missing.
TEXT
}

say() { printf '\n== %s\n' "$*" >&2; }
die() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }

version() { git describe --tags --always --dirty 2>/dev/null || echo dev; }

wasm() {
  say "browser program"
  mkdir -p bin
  # go build leaves the file alone if it is up to date, pack what it made from it.
  GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o bin/app.wasm ./wasm
  local exec
  exec="$(go env GOROOT)/lib/wasm/wasm_exec.js"
  [ -f "$exec" ] || die "$exec is missing; this Go has no WebAssembly support script"
  go run ./assets/pack -wasm bin/app.wasm -exec "$exec" -o assets/built
}

server() {
  wasm
  say "server"
  CGO_ENABLED=0 go build -trimpath -ldflags="-s -w -X elowen/server/command.version=$(version)" -o bin/elowen ./server
}

serve() {
  server
  exec bin/elowen serve "$@"
}

check() {
  say "format"
  local unformatted
  unformatted="$(gofmt -l app assets server shared wasm)"
  [ -z "$unformatted" ] || die "gofmt -w is needed for:"$'\n'"$unformatted"
  say "modules"
  go mod verify >&2
  say "vet"
  go vet ./...
  GOOS=js GOARCH=wasm go vet ./app/... ./shared/... ./wasm/...
  say "import rules"
  go test ./server/structure
}

# --- what the tests need ---------------------------------------------------

# install PACKAGE … through apt where that is possible.
install() {
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    die "missing for the tests: $*. Install it (Debian: apt-get install $*) and run again"
  fi
  say "installing $*"
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

chromium_path() {
  local name
  for name in "${ELOWEN_CHROMIUM:-}" chromium chromium-browser google-chrome-stable google-chrome; do
    [ -n "$name" ] && command -v "$name" && return
  done
  return 1
}

# pg_bin prints the folder of the newest PostgreSQL server that is 15 or later.
pg_bin() {
  local dir best='' best_version=14 v
  for dir in "${PG_BIN:-}" /usr/lib/postgresql/*/bin "$(dirname "$(command -v initdb || echo /none)")"; do
    [ -n "$dir" ] && [ -x "$dir/initdb" ] && [ -x "$dir/postgres" ] || continue
    v="$("$dir/postgres" --version | sed -E 's/[^0-9]*([0-9]+).*/\1/')"
    if [ "$v" -gt "$best_version" ]; then best="$dir" best_version="$v"; fi
  done
  [ -n "$best" ] && printf '%s\n' "$best"
}

needs() {
  local missing=()
  command -v "${CC:-gcc}" >/dev/null || missing+=(gcc libc6-dev)
  chromium_path >/dev/null || missing+=(chromium)
  pg_bin >/dev/null || missing+=(postgresql)
  if [ ${#missing[@]} -gt 0 ]; then
    # Debian would start a cluster of its own on the usual port.
    if [ "$(id -u)" = 0 ] && [ -d /etc ] && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
      mkdir -p /etc/postgresql-common
      echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf
    fi
    install "${missing[@]}"
  fi
  ELOWEN_CHROMIUM="$(chromium_path)" || die "Chromium is still missing; set ELOWEN_CHROMIUM to its path"
  pg_bin >/dev/null || die "PostgreSQL 15 or newer is still missing; set PG_BIN to the folder of initdb"
  export ELOWEN_CHROMIUM
}

pg_dir=''

as_postgres() { # PostgreSQL refuses to run as root
  if [ "$(id -u)" = 0 ]; then
    (cd / && runuser -u postgres -- "$@")
  else
    "$@"
  fi
}

start_postgres() {
  local bin
  bin="$(pg_bin)"
  say "$("$bin/postgres" --version)"
  pg_dir="$(mktemp -d /tmp/elowen-pg.XXXXXX)" # short: a socket's path is limited
  trap stop_postgres EXIT
  if [ "$(id -u)" = 0 ]; then chown postgres "$pg_dir"; fi
  as_postgres "$bin/initdb" -D "$pg_dir/data" -U postgres -A trust -E UTF8 --no-locale --no-sync >/dev/null
  # Nothing of it survives the tests, so nothing needs to be synced.
  as_postgres "$bin/pg_ctl" -D "$pg_dir/data" -l "$pg_dir/log" -w -t 60 start \
    -o "-k $pg_dir -c listen_addresses='' -c max_connections=200 -c fsync=off -c full_page_writes=off" >/dev/null ||
    { cat "$pg_dir/log" >&2; die "PostgreSQL did not start"; }
  export ELOWEN_TEST_POSTGRES="host=$pg_dir user=postgres dbname=postgres sslmode=disable"
}

stop_postgres() {
  [ -n "$pg_dir" ] || return 0
  as_postgres "$(pg_bin)/pg_ctl" -D "$pg_dir/data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "$pg_dir"
  pg_dir=''
}

# concurrent lists the packages whose own code starts goroutines or guards against
# them. A package whose tests are hopelessly slow under the detector says so in a
# comment "//race:slow REASON" of a non-test file, and is left out, visibly.
concurrent() {
  local dir reason
  { grep -rlE '^[[:space:]]*go (func|[A-Za-z_.]+\()|"sync"|"sync/atomic"|golang.org/x/sync' \
      --include='*.go' --exclude='*_test.go' app assets server shared || true; } |
    xargs -r -n1 dirname | sort -u | while read -r dir; do
      ls "$dir"/*_test.go >/dev/null 2>&1 || continue
      reason="$(grep -hoE '^//race:slow .*' "$dir"/*.go | head -n1 || true)"
      if [ -n "$reason" ]; then
        printf 'no -race for %s: %s\n' "$dir" "${reason#//race:slow }" >&2
      else
        printf './%s\n' "$dir"
      fi
    done
}

run_tests() {
  needs
  check
  wasm
  start_postgres
  local failed=0
  say "tests"
  go test -timeout 20m ./... || failed=1
  say "tests with the race detector"
  # -short: the store is translated C, many times slower under the detector.
  CGO_ENABLED=1 go test -race -short -timeout 20m $(concurrent) || failed=1
  [ "$failed" = 0 ] || die "there are failed tests above"
}

# --- longer runs -----------------------------------------------------------

fuzz_all() {
  local time="$1" failed=0 dir name
  while read -r dir name; do
    say "$dir $name for $time"
    go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" "./$dir" || failed=1
  done < <(grep -rE '^func Fuzz[A-Za-z0-9_]*\(' --include='*_test.go' app assets server shared |
    sed -E 's#^(.*)/[^/]*:func (Fuzz[A-Za-z0-9_]*).*#\1 \2#' | sort -u)
  [ "$failed" = 0 ] || die "a fuzz target failed; its input is under testdata/fuzz of the package"
}

bench() {
  wasm
  go test -run '^$' -bench . -benchtime "${BENCHTIME:-1s}" ./app/... ./server/... ./shared/...
  if [ -d server/bench ]; then
    go run -ldflags="-X elowen/server/command.version=$(version)" ./server/bench "$@"
  fi
}

soak() {
  needs
  wasm
  start_postgres
  say "kills and other long tests"
  ELOWEN_SOAK=1 go test -count=1 -timeout 3h ./...
  fuzz_all "${FUZZTIME:-60s}"
}

screenshots() {
  needs
  # Japanese, Chinese and Korean come from the system's fonts.
  if [ "$(id -u)" = 0 ] && ! fc-list :lang=ja | grep -q .; then install fonts-noto-cjk; fi
  wasm
  local into="${1:-bin/screenshots}"
  mkdir -p "$into"
  ELOWEN_SCREENSHOTS="$(cd "$into" && pwd)" go test -count=1 -run Screenshots ./server/servertest/browser
  say "pictures are in $into"
}

verb="${1:-help}"
[ $# -eq 0 ] || shift
case "$verb" in
  serve) serve "$@" ;;
  server) server ;;
  wasm) wasm ;;
  check) check ;;
  test) run_tests ;;
  bench) bench "$@" ;;
  fuzz) fuzz_all "${FUZZTIME:-10s}" ;;
  soak) soak ;;
  screenshots) screenshots "$@" ;;
  help | -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
