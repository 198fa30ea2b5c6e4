/** A server in a process of its own: its first line of JSON, the CPU it has used, its end. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const REPO = join(import.meta.dirname, '..')
const REPORT_CPU = join(import.meta.dirname, 'report-cpu.ts')
const STOP_MS_MAX = 5_000

export type MeasuredProcess = {
  readonly pid: number
  readonly ready: { readonly [name: string]: string }
  cpuUs(): Promise<number>
  startProfile(): Promise<unknown>
  /** Writes the profile since then. */
  endProfile(file: string): Promise<unknown>
  /** All garbage at once, so that what is left is held by something. */
  collectGarbage(): Promise<unknown>
  stop(): Promise<void>
}

export async function startMeasured(
  file: string,
  args: readonly string[] = [],
): Promise<MeasuredProcess> {
  const child = fork(join(REPO, file), [...args], {
    cwd: REPO,
    execArgv: ['--import', REPORT_CPU],
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  const ready = await firstLine(file, child)
  return {
    pid: child.pid ?? 0,
    ready,
    cpuUs: () => ask(child, { kind: 'cpu' }),
    startProfile: () => ask(child, { kind: 'profile' }),
    endProfile: (file) => ask(child, { kind: 'profiled', file }),
    collectGarbage: () => ask(child, { kind: 'collect' }),
    stop: () => stop(child),
  }
}

function firstLine(file: string, child: ChildProcess): Promise<MeasuredProcess['ready']> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
    if (child.stdout === null) return reject(new Error('no stdout'))
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)))
  })
}

function ask(child: ChildProcess, what: { kind: string; file?: string }): Promise<number> {
  return new Promise((resolve) => {
    child.once('message', (told: { cpuUs: number }) => resolve(told.cpuUs))
    child.send(what)
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
  await gone
  clearTimeout(late)
}
