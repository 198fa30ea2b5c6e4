/**
 * One store request with its retries. A request that met a transaction on the same item is sent
 * again a few times (the SDK does not do that); every other failure becomes a `Fault` at once.
 * Repeating is safe because every write of this gateway is conditional or harmless when it happens
 * twice.
 */

import { Fault } from '../../../core/errors.ts'
import type { Clock } from '../../../core/ports/outside.ts'

/** 5 attempts wait at most 20 + 40 + 80 + 160 ms: a transaction lasts milliseconds. */
export const CONFLICT_TRIES_MAX = 5
const FIRST_PAUSE_MS = 20
/** The other transaction is another caller's, or our own first attempt that still runs. */
const MET_A_TRANSACTION: readonly string[] = [
  'TransactionConflictException',
  'TransactionInProgressException',
]

/** Our own mistakes (a bad expression, an item past 400 kB): a retry would not help. */
const BUGS: readonly string[] = ['ValidationException', 'SerializationException']

/** Thrown by `work` when it wrote nothing and the same request may pass a moment later. */
export class ConflictError extends Error {
  constructor(cause: unknown) {
    super('store: met another write', { cause })
    this.name = 'Retryable'
  }
}

export async function retryConflicts<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (cause) {
      if (!isRetryable(cause) || tries >= CONFLICT_TRIES_MAX) throw faultOf(reasonOf(cause))
    }
    await clock.sleep(pauseMs(tries))
  }
}

function reasonOf(cause: unknown): unknown {
  return cause instanceof ConflictError ? cause.cause : cause
}

function isRetryable(cause: unknown): boolean {
  if (cause instanceof ConflictError) return true
  return cause instanceof Error && MET_A_TRANSACTION.includes(cause.name)
}

/** Doubles each time, with up to half of it random, so that two losers do not meet again. */
function pauseMs(tries: number): number {
  return FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2)
}

/** Turns errors of the SDK into our fault vocabulary. Refused conditions never come here. */
export function faultOf(cause: unknown): Fault {
  if (cause instanceof Fault) return cause
  const name = cause instanceof Error ? cause.name : 'unknown'
  if (BUGS.includes(name)) {
    return new Fault('internal', `store: the request was refused (${name})`, cause)
  }
  return new Fault('store_unavailable', `store: did not answer (${name})`, cause)
}
