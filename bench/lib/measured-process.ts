/**
 * Starts a server in a process of its own, and reads its first line of JSON and the memory that it
 * holds.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const REPO = join(import.meta.dirname, '../..')
const COLLECT = join(import.meta.dirname, 'collect-garbage.ts')
const STOP_MS_MAX = 5_000

export type MeasuredProcess = {
  readonly pid: number
  readonly ready: { readonly [name: string]: string }
  /** Collects all garbage and returns the bytes that are left, which are still in use. */
  collectGarbage(): Promise<number>
  stop(): Promise<void>
}

export async function startMeasuredProcess(
  file: string,
  args: readonly string[] = [],
  nodeFlags: readonly string[] = [],
): Promise<MeasuredProcess> {
  const child = fork(join(REPO, file), [...args], {
    cwd: REPO,
    execArgv: [...nodeFlags, '--import', COLLECT],
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  const ready = await readFirstLine(file, child)
  return {
    pid: child.pid ?? 0,
    ready,
    collectGarbage: async () => {
      child.send('collect')
      const [heldBytes] = await once(child, 'message')
      return heldBytes
    },
    stop: () => stop(child),
  }
}

function readFirstLine(file: string, child: ChildProcess): Promise<MeasuredProcess['ready']> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
    if (child.stdout === null) return reject(new Error('no stdout'))
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)))
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
  await ended
  clearTimeout(killTimer)
}
