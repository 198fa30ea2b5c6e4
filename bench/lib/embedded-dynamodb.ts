/**
 * Starts the embedded DynamoDB (`@dynoxide/linux-x64`, an optional package) on 127.0.0.1 and stops
 * it again. It never outlives who started it: not after Ctrl-C, not after a crash, not after
 * SIGKILL. Knows no tables. Bound by docs/service.md, Laptop twin.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { close, listen } from '../../local/http/listen.ts'
import { StartFault } from '../../local/start-fault.ts'

export type EmbeddedDynamo = { readonly endpoint: string; stop(): Promise<void> }

export const PACKAGE = '@dynoxide/linux-x64'
/** It answers after 0.1 s; a loaded machine may need some seconds. */
const START_MS_MAX = 10_000
const LOOK_EVERY_MS = 20
/** After a polite signal; the whole stop stays under 2 s. */
const STOP_MS_MAX = 1_500
/** Another process may take the free port before the store does. */
const PORT_TRIES_MAX = 3
/** Its first line on stderr, after it has its port. */
const READY = /listening on/
/** Characters of the store's last output, for the message when it does not start. */
const OUTPUT_CHARS_MAX = 400

/**
 * Runs the store and ends it when this process is gone: the pipe on fd 3 closes then, whatever
 * ended it. `read` is a shell builtin, so nothing else is left behind either.
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
  /** SQLite file; nothing on disk when absent. */
  dbPath?: string
  /** A free one when absent. */
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

/** The running store, or what it said when it ended at once. */
async function start(
  binary: string,
  port: number,
  dbPath: string | undefined,
): Promise<EmbeddedDynamo | string> {
  const file = dbPath === undefined ? [] : ['--db-path', dbPath]
  const command = [binary, '--host', '127.0.0.1', '--port', String(port), ...file]
  // A process group of its own: Ctrl-C in the terminal must reach us first, not the store.
  const child = spawn('/bin/sh', ['-c', KEEPER, 'sh', ...command], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-OUTPUT_CHARS_MAX)
  })
  const endpoint = `http://127.0.0.1:${port}`
  // The store's own line comes first: another server on this port would answer as well.
  const isUp = () => READY.test(output)
  const ended = once(child, 'exit')
  if ((await untilUp(child, isUp)) && (await answers(endpoint))) {
    return { endpoint, stop: () => stop(child, ended) }
  }
  await stop(child, ended)
  return output.trim().replaceAll(/\s+/g, ' ') || 'it said nothing'
}

async function untilUp(child: ChildProcess, isUp: () => boolean): Promise<boolean> {
  const lastMs = Date.now() + START_MS_MAX
  while (hasNotEnded(child) && Date.now() < lastMs) {
    if (isUp()) return true
    await setTimeout(LOOK_EVERY_MS)
  }
  return false
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    const answer = await fetch(endpoint, { signal: AbortSignal.timeout(START_MS_MAX) })
    await answer.arrayBuffer()
    return true
  } catch {
    // Whatever the reason: the caller stops it and shows what the store itself said.
    return false
  }
}

/** Closes the pipe, as our own end would. Resolves when the process is gone; may be repeated. */
async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const pipe = child.stdio[3]
  if (pipe) pipe.destroy()
  if (!hasNotEnded(child)) return
  const patience = new AbortController()
  const tooLong = setTimeout(STOP_MS_MAX, 'too long', { signal: patience.signal })
  const first = await Promise.race([ended, tooLong])
  patience.abort()
  if (first !== 'too long' || child.pid === undefined) return
  process.kill(-child.pid, 'SIGKILL')
  await ended
}

function hasNotEnded(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

/** Another process may take the port before the store does: the caller tries again. */
async function findFreePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  await close(server)
  return port
}
