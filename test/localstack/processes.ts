/**
 * Child processes of a run. Once the run is being stopped (Ctrl-C), only clean-up processes may
 * start, and the running child is told to end. Knows nothing of emulators.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

export type RunOptions = {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Returns its output in the answer instead of printing it. */
  readonly capture?: boolean
  /** May start while the run is being stopped, and ignores a Ctrl-C in the terminal. */
  readonly always?: boolean
}

/** `code` is 128 for a child that a signal ended. */
export type ProcessEnd = { readonly code: number; readonly output: string }

export type RunChild = (
  command: string,
  args: readonly string[],
  options: RunOptions,
) => Promise<ProcessEnd>

/** Thrown by a watched run once a signal has asked for the end. */
export class Stopped extends Error {}

const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export const plainRun: RunChild = (command, args, options) => endOf(begin(command, args, options))

/** From now on a signal does not end this process: it stops the child, and the caller cleans up. */
export function watchedRun(): RunChild {
  let stoppedBy: NodeJS.Signals | undefined
  let current: ChildProcess | undefined
  for (const signal of END_SIGNALS) {
    process.on(signal, () => {
      stoppedBy ??= signal
      current?.kill('SIGTERM')
    })
  }
  return async (command, args, options) => {
    if (options.always) return plainRun(command, args, options)
    if (stoppedBy !== undefined) throw new Stopped(stoppedBy)
    current = begin(command, args, options)
    const ended = await endOf(current)
    current = undefined
    if (stoppedBy !== undefined) throw new Stopped(stoppedBy)
    return ended
  }
}

function begin(command: string, args: readonly string[], options: RunOptions): ChildProcess {
  const { cwd, env, capture = false, always = false } = options
  const output = capture ? 'pipe' : 'inherit'
  return spawn(command, args, { cwd, env, stdio: ['ignore', output, output], detached: always })
}

function endOf(child: ChildProcess): Promise<ProcessEnd> {
  let output = ''
  const take = (text: string) => {
    output += text
  }
  child.stdout?.setEncoding('utf8').on('data', take)
  child.stderr?.setEncoding('utf8').on('data', take)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 128, output }))
  })
}

/** True for a running process with this pid whose command line contains `fragment`. */
export function isAlive(pid: number, fragment: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(fragment)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return false
    throw cause
  }
}
