/** A shell for commands that run in the process of a test: its streams are kept, its folders are the test's. */
import { runCommand } from '../../cli/command/run-command.ts'
import { toOutput } from '../../cli/terminal/output.ts'
import { openProcessShell } from '../../cli/terminal/process-shell.ts'
import { decodeText } from '../../cli/terminal/read-text.ts'
import type { Shell } from '../../cli/terminal/shell.ts'

export type CommandOutcome = { readonly code: number; readonly out: string; readonly err: string }

export type ShellOptions = {
  readonly env?: Shell['env']
  readonly cwd?: string
  readonly home?: string
  readonly platform?: NodeJS.Platform
  /** A terminal of this width; a pipe without it. */
  readonly columns?: number
  /** The text on stdin; with `answers` a person types instead. */
  readonly stdin?: string | Uint8Array
  readonly answers?: readonly string[]
  readonly signal?: AbortSignal
  readonly nowMs?: () => number
  readonly programs?: Shell['programs']
  /** Called with each text that goes to stdout, for commands that run until they are stopped. */
  readonly onOut?: (text: string) => void
  /** The same for stderr. */
  readonly onErr?: (text: string) => void
}

export async function runLine(
  args: readonly string[],
  options: ShellOptions = {},
): Promise<CommandOutcome> {
  return runIn((shell) => runCommand(args, shell), options)
}

/** Runs a part of a command likewise. */
export async function runIn(
  work: (shell: Shell) => Promise<number>,
  options: ShellOptions = {},
): Promise<CommandOutcome> {
  const {
    answers,
    columns,
    cwd = process.cwd(),
    env = {},
    platform = 'linux',
    stdin = '',
  } = options
  const signal = options.signal ?? new AbortController().signal
  const out: string[] = []
  const err: string[] = []
  const left = [...(answers ?? [])]
  const isTTY = columns !== undefined
  const code = await work({
    env,
    cwd,
    home: options.home ?? cwd,
    platform,
    out: toOutput({
      write: (text) => {
        out.push(text)
        options.onOut?.(text)
      },
      isTTY,
      columns,
    }),
    err: toOutput({
      write: (text) => {
        err.push(text)
        options.onErr?.(text)
      },
      isTTY,
      columns,
    }),
    input: {
      isTTY: answers !== undefined,
      readAll: async () =>
        typeof stdin === 'string' ? stdin : decodeText(stdin, 'The text on stdin'),
      ask: async (question, hidden) => {
        const answer = left.shift()
        if (answer === undefined) throw new Error(`nobody answers: ${question}`)
        err.push(`${question}${hidden === true ? '' : answer}\n`)
        return answer
      },
    },
    signal,
    nowMs: options.nowMs ?? Date.now,
    programs: options.programs ?? openProcessShell(signal).programs,
  })
  return { code, out: out.join(''), err: err.join('') }
}
