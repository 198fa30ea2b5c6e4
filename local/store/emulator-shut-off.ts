/**
 * Runs the emulator of DynamoDB where nobody else reaches it. It has a TCP port and no password, and lets
 * every web page in: so it runs in a network namespace of its own, in which nothing but it and a relay are,
 * and the relay listens on a socket in a folder of the owner's.
 *
 *   this process ─▶ socket (owner only) ─▶ relay ─▶ 127.0.0.1:8000 of the namespace ─▶ emulator
 *   a browser    ─▶ no port of this machine leads there
 *
 * Both end with this process: the pipe on fd 3 closes then, whatever ended it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { StartFault } from '../start-fault.ts'
import { findBinary, PACKAGE } from './embedded-dynamodb.ts'

export type ShutOffEmulator = {
  readonly endpoint: string
  readonly socketPath: string
  stop(): Promise<void>
}

/** Of the namespace, in which every port is free. */
const PORT = 8_000
const ENDPOINT = `http://127.0.0.1:${PORT}`
/** It answers after 0.3 s; a loaded machine may need some seconds. */
const START_MS_MAX = 10_000
const LOOK_EVERY_MS = 20
const STOP_MS_MAX = 1_500
/** Of what it said last, for the message when it does not start. */
const OUTPUT_CHARS_MAX = 400
/** Paths of sockets have 107 bytes at most on Linux. */
const SOCKET_PATH_BYTES_MAX = 100

const NAMESPACE = ['unshare', '--user', '--map-root-user', '--net'] as const

/**
 * Carries bytes between the socket and the emulator's port; ends when its stdin does. As text, so that it is
 * there in a bundle too. An error of either end closes both, so the client sees a cut connection.
 */
const RELAY = `
const { rmSync } = require('node:fs')
const { connect, createServer } = require('node:net')
const { pipeline } = require('node:stream')
const [, socketPath, port] = process.argv
process.stdin.on('end', () => process.exit(0)).resume()
const server = createServer((near) => {
  const far = connect(Number(port), '127.0.0.1')
  pipeline(near, far, () => {})
  pipeline(far, near, () => {})
})
rmSync(socketPath, { force: true })
process.umask(0o177)
server.listen(socketPath)
`

/** $1: node, $2: the relay, $3: socket, $4: port, and then the emulator's command. */
const INSIDE = `
ip link set lo up || exit 1
"$1" --eval "$2" "$3" "$4" <&3 3<&- &
shift 4
exec "$@" 3<&-
`

/** Ends what runs inside when fd 3 closes; `read` is a builtin of the shell. */
const KEEPER = `
"$@" &
store=$!
(read -r gone <&3; kill "$store" 2>/dev/null) &
keeper=$!
exec 3<&-
wait "$store"
kill "$keeper" 2>/dev/null
`

export async function startShutOff(options: {
  /** SQLite file; nothing on disk when absent. */
  readonly dbPath?: string
}): Promise<ShutOffEmulator | { readonly missing: string }> {
  const binary = findBinary()
  if (binary === undefined) return { missing: `package ${PACKAGE} is not there` }
  const refused = namespaceRefused()
  if (refused !== undefined) return { missing: refused }
  const socket = placeSocket(options.dbPath)
  const file = options.dbPath === undefined ? [] : ['--db-path', options.dbPath]
  const emulator = [binary, '--host', '127.0.0.1', '--port', String(PORT), ...file]
  const relay = [process.execPath, RELAY, socket.path, String(PORT)]
  const inside = [...NAMESPACE, '/bin/sh', '-c', INSIDE, 'sh', ...relay, ...emulator]
  // A process group of its own: Ctrl-C in the terminal must reach us first, not the emulator.
  const child = spawn('/bin/sh', ['-c', KEEPER, 'sh', ...inside], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-OUTPUT_CHARS_MAX)
  })
  const stop = async () => {
    await end(child)
    socket.remove()
  }
  if (await untilUp(child, socket.path)) {
    return { endpoint: ENDPOINT, socketPath: socket.path, stop }
  }
  await stop()
  const why = output.trim().replaceAll(/\s+/g, ' ') || 'it said nothing'
  throw new StartFault(`The emulator of DynamoDB did not start: ${why}`)
}

/** Undefined when this system gives us a network namespace. */
function namespaceRefused(): string | undefined {
  const [command, ...args] = [...NAMESPACE, 'ip', 'link', 'set', 'lo', 'up']
  const tried = spawnSync(command ?? '', args, { encoding: 'utf8' })
  if (tried.status === 0) return undefined
  const why = tried.error?.message ?? tried.stderr.trim()
  return `its port can only be shut off in a network namespace, and this system gives none: ${why}`
}

/** In the data folder, or, where its path is too long or there is none, in a folder made for it. */
function placeSocket(dbPath: string | undefined): { readonly path: string; remove(): void } {
  const beside = dbPath === undefined ? undefined : join(dirname(dbPath), 'emulator.sock')
  if (beside !== undefined && Buffer.byteLength(beside) <= SOCKET_PATH_BYTES_MAX) {
    return { path: beside, remove: () => rmSync(beside, { force: true }) }
  }
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  return { path: join(folder, 'emulator.sock'), remove }
}

async function untilUp(child: ChildProcess, socketPath: string): Promise<boolean> {
  const lastMs = Date.now() + START_MS_MAX
  while (hasNotEnded(child) && Date.now() < lastMs) {
    if (await answers(socketPath)) return true
    await setTimeout(LOOK_EVERY_MS)
  }
  return false
}

/** Any answer counts: before it the socket is missing, or nothing listens behind the relay. */
function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request({ socketPath, path: '/', timeout: START_MS_MAX })
    probe.on('error', () => resolve(false))
    probe.on('response', (response) => {
      response.resume()
      resolve(true)
    })
    probe.end()
  })
}

/** Closes the pipe, as our own end would. Resolves when all are gone; may be repeated. */
async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  const pipe = child.stdio[3]
  if (pipe) pipe.destroy()
  if (!hasNotEnded(child)) return
  const patience = new AbortController()
  const tooLong = setTimeout(STOP_MS_MAX, 'too long', { signal: patience.signal })
  const first = await Promise.race([ended, tooLong]).finally(() => patience.abort())
  if (first !== 'too long' || child.pid === undefined) return
  process.kill(-child.pid, 'SIGKILL')
  await ended
}

function hasNotEnded(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}
