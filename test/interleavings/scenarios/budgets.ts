/**
 * Budgets of a user and of two keys are set and ended by administrators at once; a key is issued just
 * before its first budget. Of every budget the last answered change stands, and no change of another
 * one undoes it.
 */
import { fromProfileItem } from '../../../adapters/dynamodb/records/profile-item.ts'
import { profileKey } from '../../../adapters/dynamodb/table.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import { keyOf, profileOf } from '../../contracts/fresh.ts'
import { faultOfLast, type History, openHistory } from '../history.ts'
import type { Scenario } from '../scenario.ts'
import { CONTEST_LATE, itemAt, type Process, plan, quietly, report, type World } from '../world.ts'

const UID = 'u1'
const KEYS = ['k1', 'k2'].map((name) => name.padEnd(43, '-'))
/** Budgets by the place that the history knows them under. */
const PLACES = [UID, ...KEYS]

export const budgets: Scenario = {
  name: 'budgets',
  async start(world) {
    const { random } = world
    const history = openHistory(world)
    await quietly(world, async ({ profiles }) => {
      await profiles.create(profileOf(UID))
    })
    // Late copies of changes that another one refused are rare without this.
    world.chosen = { ...world.chosen, late: CONTEST_LATE }
    for (let admins = 2 + random.below(3); admins > 0; admins -= 1) {
      plan(world, 'budgets are changed', async (process) => {
        for (let times = 1 + random.below(3); times > 0; times -= 1) {
          await change(world, history, process)
        }
      })
    }
    return async () => checkEnd(world, history)
  },
}

/** A limit is the number of its write; an ended budget has none. */
async function change({ random }: World, history: History, process: Process): Promise<void> {
  const place = random.pick(PLACES)
  if (place !== UID) await issueOnce(process, place)
  const value = random.chance(0.3) ? undefined : history.writes.length + 1
  const { clock, ports } = process
  const to = value === undefined ? 'none' : { limit: value, nowMs: clock.nowMs() }
  await history.during({ place, value, process: process.name }, async () => {
    const changed =
      place === UID
        ? await ports.profiles.changeBudget({ uid: UID, change: to })
        : await ports.profiles.changeKeyLimits({
            uid: UID,
            keyHash: place,
            listKeys: async () => (await ports.keys.list(UID)).map(({ keyHash }) => keyHash),
            change: { budget: to },
          })
    return changed !== undefined && typeof changed !== 'string'
  })
}

/** An existing key stays as it is. */
async function issueOnce({ clock, ports }: Process, keyHash: string): Promise<void> {
  const nowMs = clock.nowMs()
  const dates = { createdAtMs: nowMs, renewedAtMs: nowMs, expiresAtMs: nowMs + 86_400_000 }
  await ports.keys.put(keyOf(keyHash, { uid: UID, ...dates }))
}

function checkEnd(world: World, history: History): void {
  const item = itemAt(world, 'gateway', profileKey(UID))
  if (item === undefined) {
    report(world, `${UID} is gone`)
    return
  }
  const profile = fromProfileItem(item)
  for (const place of PLACES) {
    const fault = faultOfLast(history, place, limitIn(profile, place))
    if (fault !== undefined) report(world, fault)
  }
  const refused = history.writes.find(({ effective }) => !effective)
  if (refused !== undefined) report(world, `${refused.place}: ${refused.value} was refused`)
}

function limitIn({ budget, keyBudgets }: Profile, place: string): number | undefined {
  return (place === UID ? budget : keyBudgets?.[place])?.limit
}
