/**
 * Writes the sums of an hour from its pages. The sums are made from all rows each time, so a page
 * that is late or delivered twice is counted once. Bound by ADR 0048.
 *
 *   A: put p ── version 3 ── list ── write if 3 ✔
 *   B:   put q ── version 3 ── list ── write if 3 ✘ ── version 4 ── list: p and q ── write ✔
 *
 * The writer of a page lists after its own put. A writer with a later version lists after the
 * earlier write too, so no successful write lacks a page that another roll-up counted. If the
 * process dies before the write, the batch is delivered again, or the hour has no sums and readers
 * list its pages.
 */
import { Fault } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import { openHour } from '../../usage/open-sums.ts'
import { slotsOf } from '../../usage/slots.ts'
import { addSums, type HourSums, type SumGroups, sumsIn } from '../../usage/usage-sum.ts'
import { type CallFold, type FoldNeeds, foldSlots } from './fold-calls.ts'

/** Two writers rarely meet at one hour, because late pages are rare. */
export const ROLL_UP_TRIES_MAX = 8

/** Throws `Fault('store_unavailable')` if other writers came first each time. */
export async function rollUp(
  ports: FoldNeeds & { readonly usageSums: Pick<Ports['usageSums'], 'version' | 'write'> },
  hour: number,
): Promise<void> {
  for (let tries = 1; tries <= ROLL_UP_TRIES_MAX; tries += 1) {
    const version = await ports.usageSums.version(hour)
    const sums = await sumHour(ports, hour)
    if (sums.skill.length === 0) return
    if (await ports.usageSums.write({ hour, version, sums })) return
  }
  throw new Fault('store_unavailable', `usage: hour ${hour} met other writers; it comes again`)
}

/** Reads one slot after the other, so that only pages of one slot are in memory. */
async function sumHour(ports: FoldNeeds, hour: number): Promise<HourSums> {
  const [skill, user, key] = [createGroups(), createGroups(), createGroups()]
  for (const slot of slotsOf(hour)) {
    for (const sums of await foldSlots(ports, [slot], ALL_SERIES)) {
      const ofSlot = sums.read()
      addSums(skill, ofSlot.skill)
      addSums(user, ofSlot.user)
      addSums(key, ofSlot.key)
    }
  }
  return { skill: sumsIn(skill), user: sumsIn(user), key: sumsIn(key) }
}

const createGroups = (): SumGroups => new Map()

const ALL_SERIES: CallFold<ReturnType<typeof openHour>> = {
  start: openHour,
  add: (sums, rows) => sums.add(rows),
}
