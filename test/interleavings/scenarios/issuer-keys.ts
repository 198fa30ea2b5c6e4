/**
 * Processes fetch the keys of an issuer, which rotates, and store them in any order: the store never
 * goes back to keys that were fetched earlier than those that it had.
 */
import { intAt } from '../../../adapters/dynamodb/client/item.ts'
import { issuerKeysKey } from '../../../adapters/dynamodb/table.ts'
import type { Scenario } from '../scenario.ts'
import { CONTEST_LATE, itemAt, type Process, plan, quietly, report, type World } from '../world.ts'

const ISSUER = 'i'.padEnd(43, '-')

type State = {
  /** The latest fetch of which the store was seen to have the keys. */
  seenMs: number
  /** The latest fetch whose put was answered. */
  answeredMs: number
}

export const issuerKeys: Scenario = {
  name: 'issuer keys',
  async start(world) {
    const { random } = world
    world.chosen = { ...world.chosen, late: CONTEST_LATE }
    const state: State = { seenMs: 0, answeredMs: 0 }
    world.check = () => checkRecord(world, state)
    for (let fetches = 2 + random.below(5); fetches > 0; fetches -= 1) {
      plan(world, 'keys are fetched and stored', (process) => store(process, state))
    }
    return () => quietly(world, async (_, process) => checkEnd(world, process, state))
  },
}

async function store({ clock, ports }: Process, state: State): Promise<void> {
  const fetchedAtMs = clock.nowMs()
  await ports.issuerKeys.put(ISSUER, { keys: `keys of ${fetchedAtMs}`, fetchedAtMs })
  state.answeredMs = Math.max(state.answeredMs, fetchedAtMs)
}

function checkRecord(world: World, state: State): void {
  const item = itemAt(world, 'gateway', issuerKeysKey(ISSUER))
  if (item === undefined) return
  const fetchedAtMs = intAt(item, 'fetchedAtMs')
  if (fetchedAtMs < state.seenMs) report(world, 'the keys of an earlier fetch are back')
  state.seenMs = Math.max(state.seenMs, fetchedAtMs)
}

async function checkEnd(world: World, { ports }: Process, state: State): Promise<void> {
  const stored = await ports.issuerKeys.read(ISSUER)
  if (state.answeredMs > (stored?.fetchedAtMs ?? 0)) {
    report(world, 'keys whose put was answered are not stored')
  }
  if (stored !== undefined && stored.keys !== `keys of ${stored.fetchedAtMs}`) {
    report(world, 'the keys and the time of two fetches are mixed')
  }
}
