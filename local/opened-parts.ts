/**
 * Collects the parts that a start has opened, and closes them in reverse order, each part once,
 * even if some fail. Node 24 has AsyncDisposableStack for this; the published twin also runs on
 * Node 22.
 */

export type OpenedParts = {
  /** Adds a part. Its `close` runs before those that were added earlier. */
  add(close: () => unknown): void
  /**
   * Closes all parts; throws the first error after the last part was closed. A second call does
   * nothing.
   */
  close(): Promise<void>
}

/** Returns an empty collection. */
export function collectParts(): OpenedParts {
  const parts: (() => unknown)[] = []
  return {
    add: (close) => void parts.push(close),
    close: async () => {
      const errors: unknown[] = []
      for (let close = parts.pop(); close !== undefined; close = parts.pop()) {
        try {
          await close()
        } catch (cause) {
          errors.push(cause)
        }
      }
      if (errors.length > 0) throw errors[0]
    },
  }
}
