/** Values that preflight may not be allowed to read. */
import { describeCause } from '../program.ts'

export type Learned<T> =
  | { readonly kind: 'known'; readonly value: T }
  /** `why` is one line for a person. */
  | { readonly kind: 'unknown'; readonly why: string }

/** Returns what `read` returns. If it throws, returns the message. */
export async function learn<T>(read: () => Promise<T>): Promise<Learned<T>> {
  try {
    return { kind: 'known', value: await read() }
  } catch (cause) {
    return { kind: 'unknown', why: describeCause(cause).replaceAll(/\s+/g, ' ') }
  }
}
