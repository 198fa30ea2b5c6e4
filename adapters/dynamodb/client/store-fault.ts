/** Turns errors of the SDK into our fault vocabulary. Refused conditions never come here. */
import { Fault } from '../../../core/errors.ts'

/** Our own mistakes (a bad expression, an item past 400 kB): a retry would not help. */
const BUGS: readonly string[] = ['ValidationException', 'SerializationException']

export function faultOf(cause: unknown): Fault {
  if (cause instanceof Fault) return cause
  const name = cause instanceof Error ? cause.name : 'unknown'
  if (BUGS.includes(name)) {
    return new Fault('internal', `store: the request was refused (${name})`, cause)
  }
  return new Fault('store_unavailable', `store: did not answer (${name})`, cause)
}
