/**
 * What this connection has read or written of a table, by key. It is valid while the database's epoch stays
 * the same: no other connection has committed since, and no transaction of this one was rolled back. Its own
 * writers keep it up to date, or drop it.
 */

export type KnownRows<T> = {
  /** Undefined when it must be read. */
  of(key: string, epoch: number): T | undefined
  keep(key: string, epoch: number, value: T): void
  forget(key: string): void
  forgetAll(): void
}

/** Past `rowsMax` all are dropped: those that are still asked for are read once more. */
export function knownRows<T>(rowsMax: number): KnownRows<T> {
  const known = new Map<string, T>()
  let atEpoch = 0
  return {
    of: (key, epoch) => (epoch === atEpoch ? known.get(key) : undefined),
    keep: (key, epoch, value) => {
      if (epoch !== atEpoch || known.size >= rowsMax) known.clear()
      atEpoch = epoch
      known.set(key, value)
    },
    forget: (key) => void known.delete(key),
    forgetAll: () => known.clear(),
  }
}
