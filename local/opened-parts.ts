/**
 * What a start has opened, to be closed in reverse order, each part once, whatever fails. Node 24 has
 * AsyncDisposableStack for it; the published twin also runs on Node 22.
 */

export type OpenedParts = {
  /** `close` runs at the end, before those that were added earlier. */
  add(close: () => unknown): void
  /** Closes all; throws the first error after the last part. A second time does nothing. */
  close(): Promise<void>
}

export function openedParts(): OpenedParts {
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
