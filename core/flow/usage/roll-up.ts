/**
 * Writes the sums of an hour from its pages. They are made of the whole set of rows each time, so a
 * page that came twice, or late, counts once. Bound by ADR 0048.
 *
 *   A: put p ── version 3 ── list ── write if 3 ✔
 *   B:   put q ── version 3 ── list ── write if 3 ✘ ── version 4 ── list: p and q ── write ✔
 *
 * The writer of a page lists after its own put. A later writer has seen a later version, so it lists
 * after that, too: no write that stands lacks a page that another roll-up has counted. Dying before
 * the write: the batch comes again, or the hour's sums are absent and readers list its pages.
 */
import { Fault } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import { openHour } from '../../usage/open-sums.ts'
import { slotsOf } from '../../usage/slots.ts'
import { addSums, type HourSums, type SumGroups, sumsIn } from '../../usage/usage-sum.ts'
import { type CallFold, type FoldNeeds, foldSlots } from './fold-calls.ts'

/** Two writers of one hour meet seldom: late pages are rare. */
export const ROLL_UP_TRIES_MAX = 8

export async function rollUp(
  ports: FoldNeeds & { readonly usageSums: Pick<Ports['usageSums'], 'version' | 'write'> },
  hour: number,
): Promise<void> {
  for (let tries = 1; tries <= ROLL_UP_TRIES_MAX; tries += 1) {
    const version = await ports.usageSums.version(hour)
    const sums = await sumsOfHour(ports, hour)
    if (sums.skill.length === 0) return
    if (await ports.usageSums.write({ hour, version, sums })) return
  }
  throw new Fault('store_unavailable', `usage: hour ${hour} met other writers; it comes again`)
}

/** One slot after the other, so that a store holds pages of one. */
async function sumsOfHour(ports: FoldNeeds, hour: number): Promise<HourSums> {
  const [skill, user, key] = [groups(), groups(), groups()]
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

const groups = (): SumGroups => new Map()

const ALL_SERIES: CallFold<ReturnType<typeof openHour>> = {
  start: openHour,
  add: (sums, rows) => sums.add(rows),
}
