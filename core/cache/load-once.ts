/**
 * Returns a function that loads code at its first call and keeps the result, so that a cold start
 * does not load it. Concurrent calls share one load. A failed load throws a `Fault`, and the next
 * call tries again.
 */
import { Fault } from '../errors.ts'

export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= load().catch((cause: unknown) => {
      loading = undefined
      throw new Fault('internal', 'code: could not be loaded', cause)
    })
    return loading
  }
}
