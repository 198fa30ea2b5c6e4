/**
 * Resolves to `otherwise` when the signal aborts before the work ends; the work itself continues.
 */
export function waitUnlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  otherwise: T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(otherwise)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    const stay = () => signal.removeEventListener('abort', leave)
    work.then(resolve, reject).finally(stay)
  })
}
