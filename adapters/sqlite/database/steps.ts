/** Long work in steps, between which the event loop serves others. */
import { setImmediate } from 'node:timers/promises'

/** About a millisecond of rows with a definition each. */
export const ROWS_PER_STEP = 100

/** Lets everything else that is due run first. */
export async function giveWay(): Promise<void> {
  await setImmediate()
}

/** Runs `step` until it answers false, and gives way between two. */
export async function inSteps(step: () => Promise<boolean>): Promise<void> {
  while (await step()) await giveWay()
}
