#!/usr/bin/env bash
# ministack, the light second opinion of the deploy suite: no Docker, no Java; needs Python 3.10 or newer.
#   start-ministack.sh CACHE_DIR      installs on first use (6 s, 90 MB), starts, waits until ready
# Such a script is given: PORT, LAMBDA_LOCAL_NODE (path of Node 24), PYTHON where a Python 3.13 was found.
# It listens on 127.0.0.1 only, writes below CACHE_DIR only, and leaves its pid in CACHE_DIR/localstack.pid.
set -euo pipefail
version=1.5.33
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=$(mkdir -p "$1" && cd "$1" && pwd)
port=${PORT:-4566}
if [ "$(cat "$cache/stamp" 2>/dev/null || true)" != "$version" ]; then
  rm -rf "$cache/venv"
  "${PYTHON:-python3}" -m venv "$cache/venv"
  "$cache/venv/bin/pip" install --quiet --disable-pip-version-check "ministack==$version"
  echo "$version" > "$cache/stamp"
fi
rm -rf "$cache/tmp"; mkdir -p "$cache/tmp"
# Functions get the first `node` of the PATH, and with it what ministack's own runner lacks: awslambda.
node_dir=$cache/node; rm -rf "$node_dir"; mkdir "$node_dir"
ln -s "${LAMBDA_LOCAL_NODE:-$(command -v node)}" "$node_dir/node"
cd "$cache/tmp"
env PATH="$node_dir:$cache/venv/bin:$PATH" TMPDIR="$cache/tmp" NODE_OPTIONS="--require \"$here/ministack-awslambda.cjs\"" \
  BIND_HOST=127.0.0.1 GATEWAY_PORT="$port" LAMBDA_EXECUTOR=local AWS_ENDPOINT_URL="http://127.0.0.1:$port" \
  setsid "$cache/venv/bin/ministack" > "$cache/localstack.log" 2>&1 < /dev/null &
echo $! > "$cache/localstack.pid"
for _ in $(seq 150); do
  curl -fs -o /dev/null "http://127.0.0.1:$port/_ministack/health" && exit 0
  kill -0 "$(cat "$cache/localstack.pid")" 2>/dev/null || break
  sleep 0.2
done
echo "ministack did not start:" >&2; tail -30 "$cache/localstack.log" >&2; exit 1
