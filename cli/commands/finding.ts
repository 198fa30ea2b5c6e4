/** What a check of `doctor` found: a line, and whether it is as it should be. */
import type { Invocation } from '../command/command.ts'
import { CommandFault } from '../terminal/exit-code.ts'

export type Finding = { readonly check: string; readonly ok: boolean; readonly finding: string }

/** Runs a check, which returns a finding or throws a CommandFault with a remedy. */
export async function runCheck(
  call: Invocation,
  check: string,
  run: () => Promise<string>,
): Promise<Finding> {
  try {
    return { check, ok: true, finding: await run() }
  } catch (cause) {
    if (!(cause instanceof CommandFault) || call.shell.signal.aborted) throw cause
    return { check, ok: false, finding: `${cause.message} ${cause.remedy ?? ''}`.trim() }
  }
}
