/**
 * Outcomes reach the pages and sums of calls in batches that come twice, late, in any order and from
 * several processes, while hours, a day and a month are closed: once all has come, the sums are those
 * of the outcomes, by month, by day and by hour.
 */
import { readUsage } from '../../../core/flow/usage/read-usage.ts'
import { recordCalls } from '../../../core/flow/usage/record-calls.ts'
import { STEPS_PER_RUN } from '../../../core/flow/usage/roll-up-periods.ts'
import type { Outcome } from '../../../core/ledger/ledger.ts'
import { HOUR_MS } from '../../../core/usage/slots.ts'
import { refundedOf, settledOf } from '../../contracts/fresh.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import { type Process, plan, quietly, report, START_MS, type World } from '../world.ts'

const PRICE = 1_000_000
/** The calls are in the last two hours of a month and the first two of the next one. */
const MONTH_MS = Date.UTC(2033, 5, 1)
const HOURS = 4
const FIRST_MS = MONTH_MS - 2 * HOUR_MS
/** The news of them come when these hours, their day and their month are over. */
const AHEAD_MS = MONTH_MS + 3.5 * HOUR_MS - START_MS
/** With one step, a run closes a day and stops before its month, or writes what an earlier run left. */
const STEPS = [1, STEPS_PER_RUN]
const USERS = ['u1', 'u2', 'u3']

export const usage: Scenario = {
  name: 'usage',
  async start(world) {
    const { random } = world
    const outcomes = Array.from({ length: 1 + random.below(8) }, (_, index) => ended(world, index))
    const batches = inBatches(world, outcomes)
    const answered = new Set<readonly Outcome[]>()
    for (const batch of batches) {
      const times = random.chance(0.4) ? 2 : 1
      for (let time = 0; time < times; time += 1) {
        plan(world, 'a batch of outcomes', async (process) => {
          await take(process, batch, random.pick(STEPS))
          answered.add(batch)
        })
      }
    }
    return () =>
      quietly(world, async (_, process) => {
        // What was not answered comes again, in the end.
        const others = batches.filter((batch) => !answered.has(batch))
        for (const batch of others) await take(process, batch)
        await checkSums(world, process, outcomes)
      })
  },
}

/** Some are settled first and voided later: the later state counts. */
function ended({ random }: World, index: number): Outcome {
  const of = random.chance(0.3) ? refundedOf : settledOf
  const createdAtMs = FIRST_MS + random.below(HOURS * HOUR_MS)
  return {
    ...of(USERS[random.below(USERS.length)] ?? '', `c${index}`, PRICE),
    createdAtMs,
    endedAtMs: createdAtMs + 250,
  }
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

async function take(
  process: Process,
  batch: readonly Outcome[],
  steps = STEPS_PER_RUN,
): Promise<void> {
  await recordCalls(portsAhead(process), batch, steps)
}

function portsAhead(process: Process) {
  const ports = flowPorts(process)
  return { ...ports, clock: { ...ports.clock, nowMs: () => ports.clock.nowMs() + AHEAD_MS } }
}

/** From these times on, sums are read from a month, a day and hours. */
const SPANS = [Date.UTC(2033, 4, 1), Date.UTC(2033, 4, 31), FIRST_MS]

async function checkSums(
  world: World,
  process: Process,
  outcomes: readonly Outcome[],
): Promise<void> {
  for (const [uid, own] of Map.groupBy(outcomes, (outcome) => outcome.uid)) {
    const settled = own.filter(({ state }) => state === 'settled').length
    const wanted = [own.length, settled, own.length - settled, settled].join()
    for (const since of SPANS) {
      const span = { since: String(since), until: String(FIRST_MS + HOURS * HOUR_MS) }
      const read = await readUsage(portsAhead(process), { by: ['user'], user: uid, ...span })
      if (!read.ok) {
        report(world, read.error.detail)
        return
      }
      const { calls, charged, refunded, settled: paid } = read.value.total
      const found = [calls, paid, refunded, charged].join()
      const from = new Date(since).toISOString()
      if (found !== wanted) {
        report(world, `the sums from ${from} are ${found}, and the outcomes ${wanted}`)
      }
    }
  }
}
