/** Runs a product's program beside this process, which serves what the program asks for. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import type { Home } from './home.ts'

/** Ends a program that waits for something that never comes. A run that passes takes a few seconds. */
const PROGRAM_MS_MAX = 90_000

export type Program = {
  readonly words: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Lines for its stdin, from the start. */
  readonly lines?: readonly string[]
  /** Called with all output so far, each time that more comes. */
  hear?(output: string, running: Running): void
}

export type Running = {
  /** Writes a line to its stdin. */
  type(line: string): void
  end(): void
}

/** Returns what it wrote to stdout and stderr, without the control sequences of a terminal. */
export async function runProgram({ cwd, env: own }: Home, program: Program): Promise<string> {
  const [file = '', ...args] = program.words
  const child = spawn(file, args, { cwd, env: { ...own, ...program.env } })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const patience = setTimeout(kill, PROGRAM_MS_MAX)
  // A program that has ended reads nothing more.
  child.stdin.on('error', () => {})
  const type = (line: string) => void child.stdin.write(`${line}\n`)
  const end = () => void child.kill('SIGTERM')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      program.hear?.(stripVTControlCharacters(output), { type, end })
    })
  }
  program.lines?.forEach(type)
  try {
    await once(child, 'close')
  } catch (cause) {
    output += cause instanceof Error ? cause.message : String(cause)
  } finally {
    clearTimeout(patience)
    process.off('exit', kill)
  }
  return stripVTControlCharacters(output)
}
