/** An apply that the gateway does in parts: sent again until it is complete, for a plan or a check once. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Invocation } from '../command/command.ts'
import { note } from '../terminal/shell.ts'
import {
  type AdminAnswer,
  type AdminClient,
  type Fields,
  fieldsOf,
  refusal,
} from './admin-client.ts'

/** Requests of one apply: each completes a part of what the one before could not, for lack of time. */
const ATTEMPTS_MAX = 5
const PAUSE_MS = 1_000

export type PartialWork = {
  readonly request: Parameters<AdminClient['exchange']>[0]
  /** As in "the import goes on". */
  readonly name: string
  /** False for what changes nothing, and so has nothing to complete. */
  readonly isApply: boolean
}

/** Throws the gateway's refusal. */
export async function completed(
  { shell }: Invocation,
  admin: AdminClient,
  { isApply, name, request }: PartialWork,
): Promise<Fields> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await admin.exchange(request)
    if (answer.status < 400) return fieldsOf(answer.body)
    if (!isApply || attempt === ATTEMPTS_MAX || !isUnfinished(answer)) throw refusal(answer)
    note(shell, `The gateway answered ${answer.status}; retrying the ${name}.`)
    await sleep(PAUSE_MS, undefined, { signal: shell.signal })
  }
}

/** The time was over, or another apply still runs in the gateway, such as that of an interrupted command. */
function isUnfinished({ retryAfterSec, status }: AdminAnswer): boolean {
  return status === 503 || status === 504 || (status === 409 && retryAfterSec !== undefined)
}
