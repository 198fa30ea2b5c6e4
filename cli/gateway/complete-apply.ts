/** Sends an apply again until the gateway has completed it. A plan or a check is sent once. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Invocation } from '../command/command.ts'
import { printNote } from '../terminal/shell.ts'
import {
  type AdminAnswer,
  type AdminClient,
  type Fields,
  toFields,
  toRefusalFault,
} from './admin-client.ts'

/**
 * Most requests of one apply. Each completes a part of the work for which the previous one had no
 * time left.
 */
const ATTEMPTS_MAX = 5
const PAUSE_MS = 1_000

export type PartialWork = {
  readonly request: Parameters<AdminClient['exchange']>[0]
  /** A noun for messages, as in "retrying the import". */
  readonly name: string
  /** False for a plan or a check, which has nothing to complete. */
  readonly isApply: boolean
  /** Makes the error that is thrown for a refusal. */
  readonly refuse?: (answer: AdminAnswer) => Error
}

/** Returns the fields of the last response. Throws the gateway's refusal. */
export async function completeApply(
  { shell }: Invocation,
  admin: AdminClient,
  { isApply, name, refuse = toRefusalFault, request }: PartialWork,
): Promise<Fields> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await admin.exchange(request)
    if (answer.status < 400) return toFields(answer.body)
    if (!isApply || attempt === ATTEMPTS_MAX || !isUnfinished(answer)) throw refuse(answer)
    printNote(shell, `The gateway answered ${answer.status}; retrying the ${name}.`)
    await sleep(PAUSE_MS, undefined, { signal: shell.signal })
  }
}

/**
 * Tells whether the gateway ran out of time, or still runs another apply, such as that of an
 * interrupted command.
 */
function isUnfinished({ retryAfterSec, status }: AdminAnswer): boolean {
  return status === 503 || status === 504 || (status === 409 && retryAfterSec !== undefined)
}
