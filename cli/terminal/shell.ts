/**
 * What a command sees of the process that runs it. Tests pass their own streams and folders, so
 * that no test writes into a person's home.
 */

export type Output = {
  /** Writes text, which may come from anybody. */
  write(text: string): void
  /** Writes JSON; characters that a terminal must not get are escaped as JSON escapes them. */
  writeJson(text: string): void
  /** Writes a control sequence. Callers check `isTTY` or `hasColours` first. */
  control(name: ControlName): void
  readonly isTTY: boolean
  /** False in a pipe, and where the person wants none. */
  readonly hasColours: boolean
  /** True if times are written as `2 min ago`, false if as a date and a time of day in UTC. */
  readonly hasRelativeTimes: boolean
  /** The width of the terminal. Undefined in a pipe, where no line is cut. */
  readonly columns: number | undefined
}

export type Colour = 'green' | 'yellow' | 'red'

export type ControlName = 'clear-line' | Colour | 'usual-colour'

export type Shell = {
  readonly env: { readonly [name: string]: string | undefined }
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
  /** The words that start this program, such as `npx skillgate`. */
  readonly program: string
  /** stdout: the data of a command. */
  readonly out: Output
  /** stderr: notes, questions and faults. */
  readonly err: Output
  readonly input: Input
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal
  readonly nowMs: () => number
  readonly programs: Programs
}

export type Input = {
  readonly isTTY: boolean
  /** Returns all of stdin, for values that are piped in. */
  readAll(): Promise<string>
  /** Returns a line that a person types; `hidden` does not echo it. */
  ask(question: string, hidden?: boolean): Promise<string>
  /** Returns what a person chooses from a list; undefined if the person gives up. */
  choose(choice: Choice): Promise<readonly string[] | undefined>
}

export type Choice = {
  /** The line above the list, for what is chosen at the moment. */
  describe(chosen: readonly string[]): string
  readonly options: readonly {
    readonly value: string
    readonly label: string
    /** More about the row that has the cursor. */
    readonly hint: string
  }[]
}

export type Programs = {
  /**
   * Runs a program on the streams of this process and returns its exit code; undefined if there is
   * no such program.
   */
  show(file: string, args: readonly string[]): Promise<number | undefined>
  /**
   * Runs a program and collects its stdout. `stdin` is written to it. Undefined if there is no such
   * program.
   */
  collect(
    file: string,
    args: readonly string[],
    stdin?: string,
  ): Promise<{ readonly code: number; readonly stdout: string } | undefined>
  /** Starts a program that goes on by itself, without streams. Tells nothing of its fate. */
  launch(file: string, args: readonly string[]): void
}

/** Prints a note for the person on stderr. */
export function printNote(shell: Shell, line: string): void {
  shell.err.write(`${line}\n`)
}
