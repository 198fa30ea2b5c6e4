/**
 * Outcomes reach the pages and sums of calls in batches that come twice, late, in any order and from
 * several processes, while hours are closed: once all has come, the sums are those of the outcomes.
 */
import { readUsage } from '../../../core/flow/usage/read-usage.ts'
import { recordCalls } from '../../../core/flow/usage/record-calls.ts'
import type { Outcome } from '../../../core/ledger/ledger.ts'
import { HOUR_MS, toHour } from '../../../core/usage/slots.ts'
import { refundedOf, settledOf } from '../../contracts/fresh.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import { type Process, plan, quietly, report, START_MS, type World } from '../world.ts'

const PRICE = 1_000_000
const HOURS = 3
const FIRST_MS = (toHour(START_MS) - HOURS) * HOUR_MS

export const usage: Scenario = {
  name: 'usage',
  async start(world) {
    const { random } = world
    const outcomes = Array.from({ length: 1 + random.below(8) }, (_, index) => ended(world, index))
    const batches = inBatches(world, outcomes)
    for (const batch of batches) {
      const times = random.chance(0.4) ? 2 : 1
      for (let time = 0; time < times; time += 1) {
        plan(world, 'a batch of outcomes', (process) => take(process, batch))
      }
    }
    return () =>
      quietly(world, async (_, process) => {
        // What was not answered comes again, in the end.
        for (const batch of batches) await take(process, batch)
        await checkSums(world, process, outcomes)
      })
  },
}

/** Some are settled first and voided later: the later state counts. */
function ended({ random }: World, index: number): Outcome {
  const of = random.chance(0.3) ? refundedOf : settledOf
  const createdAtMs = FIRST_MS + random.below(HOURS * HOUR_MS)
  return { ...of('u1', `c${index}`, PRICE), createdAtMs, endedAtMs: createdAtMs + 250 }
}

function inBatches({ random }: World, outcomes: readonly Outcome[]): readonly Outcome[][] {
  const batches: Outcome[][] = [[]]
  for (const outcome of outcomes) {
    if (random.chance(0.4)) batches.push([])
    // The news of a call that was voided bring its first state before.
    if (outcome.state === 'refunded' && random.chance(0.5)) {
      batches.at(-1)?.push({ ...outcome, state: 'settled', reason: undefined })
      batches.push([])
    }
    batches.at(-1)?.push(outcome)
  }
  return batches.filter((batch) => batch.length > 0)
}

async function take(process: Process, batch: readonly Outcome[]): Promise<void> {
  await recordCalls(flowPorts(process), batch)
}

async function checkSums(
  world: World,
  process: Process,
  outcomes: readonly Outcome[],
): Promise<void> {
  const span = { since: String(FIRST_MS), until: String(FIRST_MS + HOURS * HOUR_MS) }
  const read = await readUsage(flowPorts(process), { by: ['user'], ...span })
  if (!read.ok) {
    report(world, read.error.detail)
    return
  }
  const [sums, ...others] = read.value.entries
  const settled = outcomes.filter(({ state }) => state === 'settled').length
  const wanted = [outcomes.length, settled, outcomes.length - settled, settled]
  const found = [sums?.calls, sums?.settled, sums?.refunded, sums?.charged]
  if (others.length > 0 || found.join() !== wanted.join()) {
    report(world, `the sums are ${found.join()}, and the outcomes ${wanted.join()}`)
  }
}
