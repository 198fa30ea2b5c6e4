#!/usr/bin/env bash
# LocalStack 4.14.0 on this machine, without Docker and without an account.
#   start-localstack.sh CACHE_DIR     installs on first use (about a minute, 550 MB), starts, waits until ready
#
# It needs a JDK 17 or newer and Maven (for AWS's DynamoDB Local), curl, and Python 3.13: this release reads no
# other. It is given PORT, PYTHON (the path of that Python) and LAMBDA_LOCAL_NODE (the path of Node 24, which runs
# the deployed functions). PIP_OPTS and MVN_OPTS go to pip and Maven, for machines behind a mirror.
#
# It listens on 127.0.0.1 only, writes below CACHE_DIR only, forgets everything when it ends, and leaves its pid in
# CACHE_DIR/localstack.pid. AWS's DynamoDB Local, which it starts, is at DYNAMODB_PORT where that is given. A cache serves one LocalStack at a time; the caller (start-emulator.ts) sees to that.
set -euo pipefail
host=$(cd "$(dirname "${BASH_SOURCE[0]}")/host" && pwd)
cache=$(mkdir -p "$1" && cd "$1" && pwd)
port=${PORT:-4566}
python=$cache/venv/bin/python
ready_after_s_max=60

fail() {
  echo "start-localstack.sh: $*" >&2
  exit 1
}

# What is installed follows these two files alone: a change of either installs anew.
wanted=$(cat "$host/requirements.txt" "$host/dynamodb-local.pom.xml" | sha256sum | cut -d ' ' -f 1)

install() {
  local tool
  for tool in java mvn curl "${PYTHON:-python3.13}"; do
    command -v "$tool" >/dev/null || fail "$tool is missing; its needs are in its first lines"
  done
  rm -rf "$cache/venv" "$cache/dynamodb" "$cache/installed"
  "${PYTHON:-python3.13}" -m venv "$cache/venv"
  # shellcheck disable=SC2086 # options, split on purpose
  "$python" -m pip install --quiet --disable-pip-version-check ${PIP_OPTS:-} -r "$host/requirements.txt"
  # shellcheck disable=SC2086
  mvn --quiet --batch-mode ${MVN_OPTS:-} --file "$host/dynamodb-local.pom.xml" \
    org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
    -DincludeScope=runtime "-DoutputDirectory=$cache/dynamodb"
  echo "$wanted" >"$cache/installed"
}

start() {
  # Functions are unpacked here, and the emulator's own files lie here: nothing of an earlier run is left.
  rm -rf "$cache/state"
  mkdir -p "$cache/state/tmp"
  # GATEWAY_LISTEN         its only socket (run_localstack.py makes it keep to the address)
  # DNS_ADDRESS=0          no name server of its own: it would want port 53
  # OVERRIDE_IN_DOCKER=0   it is not in a container, whatever it takes the machine for
  # PROVIDER_OVERRIDE_*    the DynamoDB and its streams that this release has switched to
  # DISABLE_EVENTS, SKIP_SSL_CERT_DOWNLOAD   it calls nobody
  local settings=(
    PATH="$cache/venv/bin:$PATH"
    TMPDIR="$cache/state/tmp"
    FILESYSTEM_ROOT="$cache/state"
    LOCALSTACK_VOLUME_DIR="$cache/state/volume"
    GATEWAY_LISTEN="127.0.0.1:$port"
    LOCALSTACK_HOST="localhost:$port"
    DNS_ADDRESS=0
    OVERRIDE_IN_DOCKER=0
    PROVIDER_OVERRIDE_DYNAMODB=v2
    PROVIDER_OVERRIDE_DYNAMODBSTREAMS=v2
    DYNAMODB_IN_MEMORY=1
    DYNAMODB_LOCAL_JARS="$cache/dynamodb"
    DYNAMODB_LOCAL_PORT="${DYNAMODB_PORT:-0}"
    PERSISTENCE=0
    DISABLE_EVENTS=1
    SKIP_SSL_CERT_DOWNLOAD=1
  )
  # A session of its own, so that Ctrl-C in the terminal does not reach it: the caller stops it.
  env "${settings[@]}" setsid "$python" "$host/run_localstack.py" \
    >"$cache/localstack.log" 2>&1 </dev/null &
  echo $! >"$cache/localstack.pid"
}

is_ready() {
  curl --fail --silent --output /dev/null "http://127.0.0.1:$port/_localstack/health"
}

[[ "$(cat "$cache/installed" 2>/dev/null || true)" == "$wanted" ]] || install
start
pid=$(cat "$cache/localstack.pid")
give_up_at=$((SECONDS + ready_after_s_max))
while ((SECONDS < give_up_at)) && kill -0 "$pid" 2>/dev/null; do
  if is_ready; then exit 0; fi
  sleep 0.2
done
tail -n 30 "$cache/localstack.log" >&2
fail "LocalStack did not start within $ready_after_s_max s; the end of its log stands above"
