/**
 * Runs the steps that a call leaves to its door after the response, for benches and tests without a
 * door.
 */
import type { Step } from '../../core/ports/sessions.ts'

export async function runSteps(steps: readonly Step[] = []): Promise<void> {
  for (const step of steps) await step()
}
