/** Waits for work no longer than a signal allows; the work itself goes on. */

/** Resolves with `otherwise` once the signal aborts, if the work has not ended before. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, otherwise: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(otherwise)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    const stay = () => signal.removeEventListener('abort', leave)
    work.then(resolve, reject).finally(stay)
  })
}
