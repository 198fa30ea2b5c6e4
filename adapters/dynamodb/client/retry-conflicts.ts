/**
 * Retries of one store request. A request that met a transaction on the same item is sent again a
 * few times, which the SDK does not do; every other failure becomes a `Fault` at once. A repetition
 * is safe because every write of this gateway is conditional or has the same effect if repeated.
 */
import { Fault } from '../../../core/errors.ts'
import type { Clock } from '../../../core/ports/outside.ts'
import { isThrottleName } from '../../aws/signed/throttle-names.ts'

/** 5 attempts wait at most 20 + 40 + 80 + 160 ms: a transaction lasts milliseconds. */
export const CONFLICT_TRIES_MAX = 5
const FIRST_PAUSE_MS = 20
/** The other transaction is another caller's, or this request's first attempt, still running. */
const MET_A_TRANSACTION: readonly string[] = [
  'TransactionConflictException',
  'TransactionInProgressException',
]

/** Mistakes of this gateway (a bad expression, an item over 400 kB): a retry does not help. */
const BUGS: readonly string[] = ['ValidationException', 'SerializationException']

/** `work` throws this error if it wrote nothing and the same request may succeed later. */
export class ConflictError extends Error {
  constructor(cause: unknown) {
    super('store: met another write', { cause })
    this.name = 'Retryable'
  }
}

/** Runs `work` until it succeeds or its tries are used up. Rejects with a `Fault` only. */
export async function retryConflicts<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (cause) {
      if (!isRetryable(cause) || tries >= CONFLICT_TRIES_MAX)
        throw toStoreFault(unwrapConflict(cause))
    }
    await clock.sleep(pauseMs(tries))
  }
}

function unwrapConflict(cause: unknown): unknown {
  return cause instanceof ConflictError ? cause.cause : cause
}

function isRetryable(cause: unknown): boolean {
  if (cause instanceof ConflictError) return true
  return cause instanceof Error && MET_A_TRANSACTION.includes(cause.name)
}

/** Doubles each time; up to half is random, so that two requests do not conflict again. */
function pauseMs(tries: number): number {
  return FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2)
}

/** Turns an error of a client into a `Fault`. Refused conditions never reach this function. */
export function toStoreFault(cause: unknown): Fault {
  if (cause instanceof Fault) return cause
  const name = cause instanceof Error ? cause.name : 'unknown'
  if (BUGS.includes(name)) {
    return new Fault('internal', `store: the request was refused (${name})`, cause)
  }
  return new Fault('store_unavailable', `store: did not answer (${name})`, cause)
}

/**
 * True if DynamoDB throttled the request in all of its tries, and so carried out nothing. It reads
 * the error's name, which is the same with both clients.
 */
export function isThrottled(fault: unknown): boolean {
  return fault instanceof Fault && fault.cause instanceof Error && isThrottleName(fault.cause.name)
}
