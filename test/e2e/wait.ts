/** Waits for an event that happens a little later, with a limit. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Looks every 25 ms until `look` answers something; rejects after `withinMs`. */
export async function until<T>(
  look: () => Promise<T | undefined> | T | undefined,
  withinMs: number,
): Promise<T> {
  const lastMs = performance.now() + withinMs
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (performance.now() > lastMs) throw new Error(`did not happen within ${withinMs} ms`)
    await sleep(25)
  }
}

/** Like {@link until}, for a condition. */
export async function untilTrue(
  holds: () => Promise<boolean> | boolean,
  withinMs: number,
): Promise<void> {
  await until(async () => ((await holds()) ? true : undefined), withinMs)
}
