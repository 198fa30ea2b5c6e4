/** Exit codes, and the fault that ends a command with one of them. */

export const EXIT = {
  ok: 0,
  /** The gateway or a program refused or failed. */
  failed: 1,
  /** The command line is wrong, or needs an answer that nobody can type. */
  usage: 2,
  /** A check found that an apply would change something. */
  drift: 2,
  /** No credential, or one that the gateway refuses. */
  unauthenticated: 4,
  interrupted: 130,
} as const

/** Also the code of a program that a command started. */
export type ExitCode = number

/** A line about what happened, and one about what to do; caught once, in run-command.ts. */
export class CommandFault extends Error {
  readonly exitCode: ExitCode
  readonly remedy: string | undefined

  constructor(message: string, options: { exitCode?: ExitCode; remedy?: string | undefined } = {}) {
    super(message)
    this.name = 'CommandFault'
    this.exitCode = options.exitCode ?? EXIT.failed
    this.remedy = options.remedy
  }
}

export function usageFault(message: string, remedy?: string): CommandFault {
  return new CommandFault(message, { exitCode: EXIT.usage, remedy })
}
