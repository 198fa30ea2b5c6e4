/**
 * Code that a start leaves out: loaded with its first use and kept. Uses that meet share one load. A load that fails is
 * a `Fault` like a store that does not answer, and the next use tries again.
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
