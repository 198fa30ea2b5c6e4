/**
 * The twin as a user starts it: a process of its own, known only by the one line of JSON it prints.
 * Its starter stops it; none outlives the test process.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readJsonObject, stringOf } from './fields.ts'
import { PATIENCE_MS } from './wait.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Modules that replace the twin's clock; the twin loads one of them first. */
const CLOCKS = {
  fast: fileURLToPath(new URL('./fast-clock.ts', import.meta.url)),
  late: fileURLToPath(new URL('./late-clock.ts', import.meta.url)),
} as const
export type TwinClock = keyof typeof CLOCKS

type Ready = {
  readonly url: string
  readonly mcp: string
  readonly sse: string
  readonly execute: string
  readonly admin: string
  readonly key: string
  readonly uid: string
  readonly secondKey: string
  readonly internalApiSecret: string
  readonly adminKey: string
}

export type Exit = { readonly code: number | null }

export type Twin = Ready & {
  readonly port: number
  readonly pid: number
  /** Everything that it wrote to stderr so far. */
  said(): string
  /** Everything that it wrote to stdout so far: its one line of JSON, and nothing after it. */
  printed(): string
  /** SIGTERM, or SIGKILL; resolves when the process has ended. A second stop does nothing. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<Exit>
}

/** `args` come after `--json`; a free port unless they name one. `env`: more variables. */
export async function startTwin(
  args: readonly string[],
  options: { readonly clock?: TwinClock; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Twin> {
  const clock = options.clock === undefined ? [] : ['--import', CLOCKS[options.clock]]
  const port = args.includes('--port') ? [] : ['--port', '0']
  const child = spawn(process.execPath, [...clock, 'local/main.ts', '--json', ...port, ...args], {
    cwd: ROOT,
    env: { ...cleanEnvironment(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const killChild = () => child.kill('SIGKILL')
  process.once('exit', killChild)
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8')
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
  })
  const line = await readyLine(child, () => output)
  const ready = readReady(line)
  let exit: Promise<Exit> | undefined
  return {
    ...ready,
    port: Number(new URL(ready.url).port),
    pid: child.pid ?? 0,
    said: () => output,
    printed: () => printed,
    stop: (signal = 'SIGTERM') => {
      exit ??= end(child, signal, () => output).finally(() => process.off('exit', killChild))
      return exit
    },
  }
}

/** As in a fresh terminal: settings of the person who runs the tests must not reach the twin. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const isOwn = (name: string) => name.startsWith('SKILLGATE_') || name.startsWith('AWS_')
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOwn(name)))
}

type Child = ChildProcessByStdio<null, Readable, Readable>

async function readyLine(child: Child, output: () => string): Promise<string> {
  const lines = createInterface({ input: child.stdout })
  const patience = new AbortController()
  const first = await Promise.race([
    once(lines, 'line').then(([line]) => String(line)),
    once(child, 'exit').then(() => undefined),
    sleep(PATIENCE_MS, undefined, { signal: patience.signal }),
  ])
  patience.abort()
  if (first !== undefined) return first
  child.kill('SIGKILL')
  throw new Error(`The twin printed no line. It said: ${output()}`)
}

function readReady(line: string): Ready {
  const fields = readJsonObject(line)
  return {
    url: stringOf(fields, 'url'),
    mcp: stringOf(fields, 'mcp'),
    sse: stringOf(fields, 'sse'),
    execute: stringOf(fields, 'execute'),
    admin: stringOf(fields, 'admin'),
    key: stringOf(fields, 'key'),
    uid: stringOf(fields, 'uid'),
    secondKey: stringOf(fields, 'secondKey'),
    internalApiSecret: stringOf(fields, 'internalApiSecret'),
    adminKey: stringOf(fields, 'adminKey'),
  }
}

async function end(
  child: Child,
  signal: 'SIGTERM' | 'SIGKILL',
  output: () => string,
): Promise<Exit> {
  if (child.exitCode !== null || child.signalCode !== null) {
    throw new Error(`The twin ended by itself (${child.exitCode}). It said: ${output()}`)
  }
  const exited = once(child, 'exit')
  child.kill(signal)
  const patience = new AbortController()
  const first = await Promise.race([
    exited,
    sleep(PATIENCE_MS, 'too late' as const, { signal: patience.signal }),
  ])
  patience.abort()
  if (first === 'too late') {
    child.kill('SIGKILL')
    throw new Error(`The twin did not end within ${PATIENCE_MS} ms of ${signal}.`)
  }
  return { code: child.exitCode }
}
