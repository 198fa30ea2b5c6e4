/**
 * A set of files that the gateway refuses: the faults of each file, with their places. Nothing of
 * the set was changed.
 */
import type { Invocation } from '../command/command.ts'
import { type AdminAnswer, type Fields, toFields, toRefusalFault } from '../gateway/admin-client.ts'
import { CommandFault, EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { findSkillPointer, locateFaults } from './locate-faults.ts'
import { type Outcome, printOutcomes } from './print-outcomes.ts'
import { readFaults } from './push-file.ts'

export type SetFile = { readonly file: string; readonly text: string }

export class RefusedSet extends CommandFault {
  readonly outcomes: readonly Outcome[]

  constructor({ detail }: Fields, outcomes: readonly Outcome[]) {
    super(String(detail))
    this.outcomes = outcomes
  }
}

/** Returns the fault of a refused set, or that of any other refusal. */
export function toRefusedSet(answer: AdminAnswer, files: readonly SetFile[]): CommandFault {
  const problem = toFields(answer.body)
  const code = String(problem['code'])
  // A set of one file is sent as one JSON value, so that pointers do not begin with its index.
  const faultsSent = readFaults(problem).map((fault) =>
    files.length === 1 ? { ...fault, pointer: `/0${fault.pointer}` } : fault,
  )
  const byFile = Map.groupBy(faultsSent, ({ pointer }) => /^\/(\d+)/.exec(pointer)?.[1])
  if (byFile.size === 0 || byFile.has(undefined)) return toRefusalFault(answer)
  const outcomes = [...byFile].map(([index, faults]): Outcome => {
    const sent = files[Number(index)]
    if (sent === undefined) return { file: `/${index}`, outcome: 'refused', code, errors: faults }
    const own = faults.map(({ message, pointer }) => ({
      pointer: pointer.slice(`/${index}`.length),
      message: message.replace(`${sent.file}: `, ''),
    }))
    const errors = locateFaults(own, sent.text, findSkillPointer(sent.text))
    return { file: sent.file, outcome: 'refused', code, errors }
  })
  const [detail] = String(problem['detail']).split(' The first: ')
  return new RefusedSet({ detail }, outcomes)
}

/** Runs a command of a set, and prints the faults of the files if it is refused. */
export async function printRefusedSet(
  call: Invocation,
  run: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await run()
  } catch (cause) {
    if (!(cause instanceof RefusedSet)) throw cause
    printOutcomes(call, cause.outcomes)
    call.shell.err.write(`${cause.message}\n`)
    return EXIT.failed
  }
}
