/**
 * What a command sees of the process that runs it. Tests pass their own streams and folders, so
 * that no test writes into a person's home.
 */

export type Output = {
  /** Text of anybody. */
  write(text: string): void
  /** Text that is JSON: what a terminal must not get is escaped as JSON escapes it. */
  writeJson(text: string): void
  /** For a terminal: callers look at `isTTY` first. */
  control(name: ControlName): void
  readonly isTTY: boolean
  /** Undefined in a pipe: lines are as long as they are. */
  readonly columns: number | undefined
}

export type ControlName = 'clear-line' | 'red' | 'usual-colour'

export type Shell = {
  readonly env: { readonly [name: string]: string | undefined }
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
  /** Data. */
  readonly out: Output
  /** Talk. */
  readonly err: Output
  readonly input: Input
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal
  readonly nowMs: () => number
  readonly programs: Programs
}

export type Input = {
  readonly isTTY: boolean
  /** All of stdin, for values that are piped in. */
  readAll(): Promise<string>
  /** A line that a person types; `hidden` does not echo it. */
  ask(question: string, hidden?: boolean): Promise<string>
}

export type Programs = {
  /** Runs a program with these streams and answers its exit code; undefined when there is none of that name. */
  show(file: string, args: readonly string[]): Promise<number | undefined>
  /** Runs it quietly. `stdin` is written to it. */
  collect(
    file: string,
    args: readonly string[],
    stdin?: string,
  ): Promise<{ readonly code: number; readonly stdout: string } | undefined>
}

/** A note for the person on stderr. */
export function note(shell: Shell, line: string): void {
  shell.err.write(`${line}\n`)
}
