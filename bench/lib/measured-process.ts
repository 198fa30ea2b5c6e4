/** A server in a process of its own: its first line of JSON, the CPU it has used, its end. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const REPO = join(import.meta.dirname, '../..')
const REPORT_CPU = join(import.meta.dirname, 'report-cpu.ts')
const STOP_MS_MAX = 5_000

export type MeasuredProcess = {
  readonly pid: number
  readonly ready: { readonly [name: string]: string }
  cpuUs(): Promise<number>
  startProfile(): Promise<unknown>
  /** Writes the profile since then. */
  endProfile(file: string): Promise<unknown>
  /** All garbage at once; answers the bytes that are left, which something holds. */
  collectGarbage(): Promise<number>
  stop(): Promise<void>
}

export async function startMeasured(
  file: string,
  args: readonly string[] = [],
  nodeFlags: readonly string[] = [],
): Promise<MeasuredProcess> {
  const child = fork(join(REPO, file), [...args], {
    cwd: REPO,
    execArgv: [...nodeFlags, '--import', REPORT_CPU],
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  const ready = await firstLine(file, child)
  return {
    pid: child.pid ?? 0,
    ready,
    cpuUs: async () => (await ask(child, { kind: 'cpu' })).cpuUs,
    startProfile: () => ask(child, { kind: 'profile' }),
    endProfile: (file) => ask(child, { kind: 'profiled', file }),
    collectGarbage: async () => (await ask(child, { kind: 'collect' })).heldBytes,
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

type Report = { readonly cpuUs: number; readonly heldBytes: number }

function ask(child: ChildProcess, command: { kind: string; file?: string }): Promise<Report> {
  return new Promise((resolve) => {
    child.once('message', (report: Report) => resolve(report))
    child.send(command)
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
