/**
 * Starts the embedded DynamoDB (`@dynoxide/linux-x64`, an optional package) on 127.0.0.1 and stops
 * it again. It never outlives the process that started it: not after Ctrl-C, not after a crash, not
 * after SIGKILL. Creates no tables. Bound by docs/service.md, Laptop twin.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { closePort, openPort } from '../../local/http/listen.ts'
import { StartFault } from '../../local/start-fault.ts'

export type EmbeddedDynamo = { readonly endpoint: string; stop(): Promise<void> }

export const PACKAGE = '@dynoxide/linux-x64'
/** Longest start. The store answers after 0.1 s; a loaded machine may need some seconds. */
const START_MS_MAX = 10_000
const POLL_EVERY_MS = 20
/** Longest wait after a polite signal; the whole stop stays under 2 s. */
const STOP_MS_MAX = 1_500
/** Most tries, because another process may take the free port before the store does. */
const PORT_TRIES_MAX = 3
/** Matches the store's first line on stderr, after it has its port. */
const READY = /listening on/
/** Characters of the store's last output, for the message if it does not start. */
const OUTPUT_CHARS_MAX = 400

/**
 * Runs the store and ends it when this process ends: the pipe on fd 3 closes then, for any reason.
 * `read` is a shell builtin, so no other process is left behind either.
 */
const KEEPER = `
"$@" 3<&- &
store=$!
(read -r gone <&3; kill "$store" 2>/dev/null) &
keeper=$!
wait "$store"
kill "$keeper" 2>/dev/null
`

export async function startEmbedded(options: {
  /** The SQLite file; without it nothing is on disk. */
  dbPath?: string
  /** The port; without it a free one is used. */
  port?: number
}): Promise<EmbeddedDynamo | { readonly missing: string }> {
  const binary = findBinary()
  if (binary === undefined) return { missing: `package ${PACKAGE} is not there` }
  for (let tries = 1; ; tries += 1) {
    const started = await start(binary, options.port ?? (await findFreePort()), options.dbPath)
    if (typeof started !== 'string') return started
    if (options.port !== undefined || tries >= PORT_TRIES_MAX) {
      throw new StartFault(`The embedded DynamoDB did not start: ${started}`)
    }
  }
}

export function findBinary(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)
    const binary = join(dirname(manifest), 'dynoxide')
    return existsSync(binary) ? binary : undefined
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'MODULE_NOT_FOUND')
      return undefined
    throw cause
  }
}

/** Starts the store. Returns it, or its output if it ended at once. */
async function start(
  binary: string,
  port: number,
  dbPath: string | undefined,
): Promise<EmbeddedDynamo | string> {
  const file = dbPath === undefined ? [] : ['--db-path', dbPath]
  const command = [binary, '--host', '127.0.0.1', '--port', String(port), ...file]
  // The store has a process group of its own, because Ctrl-C in the terminal must reach this
  // process first.
  const child = spawn('/bin/sh', ['-c', KEEPER, 'sh', ...command], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-OUTPUT_CHARS_MAX)
  })
  const endpoint = `http://127.0.0.1:${port}`
  // The store's own line is awaited first, because another server on this port would answer as
  // well.
  const isUp = () => READY.test(output)
  const ended = once(child, 'exit')
  if ((await waitUntilUp(child, isUp)) && (await isAnswering(endpoint))) {
    return { endpoint, stop: () => stop(child, ended) }
  }
  await stop(child, ended)
  return output.trim().replaceAll(/\s+/g, ' ') || 'it said nothing'
}

async function waitUntilUp(child: ChildProcess, isUp: () => boolean): Promise<boolean> {
  const lastMs = Date.now() + START_MS_MAX
  while (isRunning(child) && Date.now() < lastMs) {
    if (isUp()) return true
    await setTimeout(POLL_EVERY_MS)
  }
  return false
}

async function isAnswering(endpoint: string): Promise<boolean> {
  try {
    const answer = await fetch(endpoint, { signal: AbortSignal.timeout(START_MS_MAX) })
    await answer.arrayBuffer()
    return true
  } catch {
    // For any reason the caller stops the store and shows the store's own output.
    return false
  }
}

/**
 * Closes the pipe, as the end of this process would. Resolves when the store has ended; may be
 * repeated.
 */
async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const pipe = child.stdio[3]
  if (pipe) pipe.destroy()
  if (!isRunning(child)) return
  const waiting = new AbortController()
  const tooLong = setTimeout(STOP_MS_MAX, 'too long', { signal: waiting.signal })
  const first = await Promise.race([ended, tooLong])
  waiting.abort()
  if (first !== 'too long' || child.pid === undefined) return
  process.kill(-child.pid, 'SIGKILL')
  await ended
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

/**
 * Finds a free port. Another process may take it before the store does; then the caller tries
 * again.
 */
async function findFreePort(): Promise<number> {
  const server = createServer()
  const port = await openPort(server, { host: '127.0.0.1', port: 0 })
  await closePort(server)
  return port
}
