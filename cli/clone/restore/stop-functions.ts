/**
 * Stops the functions of a stage while its table is exchanged, and starts them again. A stopped
 * function answers 429; nothing that runs is broken off.
 *
 *     both tables    t ------------- stop ----- drained -- deploy -------- start
 *     in use         writes          no new     last page                  (kept, unused)
 *     restored       (no writer)     calls      of usage   named by all    writes
 *
 * Without the stop, a deploy would move one function after the other: a hold of mcp would be in one
 * table, and its end, by execute or the sweep, in the other. A revocation by admin would be
 * answered, and be gone.
 */
import { DOORS, type Door } from '../../../lib/doors.ts'
import { USAGE_WINDOW_SEC } from '../../../lib/stack-names.ts'
import type { Stage } from '../../../lib/stage.ts'
import type { AwsAccount } from '../../aws/ask-service.ts'
import { setConcurrency } from './control-plane.ts'
import type { RestorePlan } from './restore-plan.ts'
import type { Pause } from './settle-shape.ts'

/**
 * execute, messages, admin and sweep end within a minute (lib/door-sizes.ts), and a call of mcp
 * within 15 s and some seconds for its outcome. Open streams go on: they write no credits.
 */
export const CALLS_END_MS = 60_000
/** What Lambda takes to find the records of a batch whose window is over, and to begin its run. */
const NEWS_DELAY_MS = 20_000
/** A run that began goes on after the stop. */
export const NEWS_END_MS = USAGE_WINDOW_SEC * 1_000 + NEWS_DELAY_MS

const WRITERS: readonly Door[] = DOORS.filter((door) => door !== 'usage')

/** Stops the functions that move credits, and when their last outcomes are archived, usage. */
export async function stopFunctions(
  aws: AwsAccount,
  { functions }: RestorePlan,
  pause: Pause,
): Promise<void> {
  for (const door of WRITERS) await setConcurrency(aws, functions[door], 0)
  await pause(CALLS_END_MS)
  await pause(NEWS_END_MS)
  await setConcurrency(aws, functions.usage, 0)
}

/** Gives each function its reservation again, or none. */
export async function startFunctions(
  aws: AwsAccount,
  { functions }: RestorePlan,
  { reservedConcurrency = {} }: Pick<Stage, 'reservedConcurrency'>,
): Promise<void> {
  for (const door of DOORS) await setConcurrency(aws, functions[door], reservedConcurrency[door])
}
