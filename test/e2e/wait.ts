/** Waits for an event that happens a little later, with a limit. */
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Ends a wait for what never comes. It measures nothing: a machine with other work may need most of it,
 * and a test that passes never waits for its end.
 */
export const PATIENCE_MS = 90_000

/** Looks every 25 ms until `look` answers something; rejects after `withinMs`. */
export async function until<T>(
  look: () => Promise<T | undefined> | T | undefined,
  withinMs = PATIENCE_MS,
): Promise<T> {
  const lastMs = performance.now() + withinMs
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    if (performance.now() > lastMs) throw new Error(`did not happen within ${withinMs} ms`)
    await sleep(25)
  }
}

/** Like {@link until}, for a condition. */
export async function untilTrue(
  holds: () => Promise<boolean> | boolean,
  withinMs = PATIENCE_MS,
): Promise<void> {
  await until(async () => ((await holds()) ? true : undefined), withinMs)
}
