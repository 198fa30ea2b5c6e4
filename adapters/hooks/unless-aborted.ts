/** Waits for something no longer than a signal allows; what was begun goes on by itself. */

/** `otherwise` once the signal aborts, if nothing came before. */
export function unlessAborted<T>(begun: Promise<T>, signal: AbortSignal, otherwise: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(otherwise)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    const stay = () => signal.removeEventListener('abort', leave)
    begun.then(resolve, reject).finally(stay)
  })
}
