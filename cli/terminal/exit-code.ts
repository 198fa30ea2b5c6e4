/** The exit codes, and the fault that ends a command with one of them. */

export const EXIT = {
  ok: 0,
  /** The gateway or a program refused or failed. */
  failed: 1,
  /** The command line is wrong, or needs an answer and there is no terminal. */
  usage: 2,
  /** A check found that an apply would change something. */
  drift: 2,
  /** There is no credential, or the gateway refuses it. */
  unauthenticated: 4,
  interrupted: 130,
} as const

/** A code of this table, or the code of a program that a command started. */
export type ExitCode = number

/**
 * Ends a command: a line about what happened, a line for each detail of it, and a line about what
 * to do. Caught once, in run-command.ts.
 */
export class CommandFault extends Error {
  readonly exitCode: ExitCode
  readonly remedy: string | undefined
  /** Each is printed on a line of its own and is never cut, such as the errors of a skill. */
  readonly details: readonly string[]
  /** The code of the gateway's problem document or of the network, such as `ECONNREFUSED`. */
  readonly code: string | undefined
  /** The HTTP status of the answer. */
  readonly status: number | undefined
  readonly callId: string | undefined

  constructor(
    message: string,
    options: {
      exitCode?: ExitCode
      remedy?: string | undefined
      details?: readonly string[]
      code?: string | undefined
      status?: number | undefined
      callId?: string | undefined
    } = {},
  ) {
    super(message)
    this.name = 'CommandFault'
    this.details = options.details ?? []
    this.code = options.code
    this.status = options.status
    this.callId = options.callId
    this.exitCode = options.exitCode ?? EXIT.failed
    this.remedy = options.remedy
  }
}

/** Returns a fault with the exit code of wrong usage. */
export function toUsageFault(message: string, remedy?: string): CommandFault {
  return new CommandFault(message, { exitCode: EXIT.usage, remedy })
}

/** Turns an error, such as a refusal by AWS, into a fault of the command: one line. */
export async function asCommandFault<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (cause) {
    if (!(cause instanceof Error) || cause instanceof CommandFault) throw cause
    throw new CommandFault(cause.message)
  }
}
