/**
 * Writes the sums of an hour from its pages. The sums are made from all rows each time, so a page
 * that is late or delivered twice is counted once. Bound by ADR 0048.
 *
 *   A: put p ── versions 3 ── list ── write if 3 ✔
 *   B:   put q ── versions 3 ── list ── write if 3 ✘ ── versions 4 ── list: p and q ── write ✔
 *
 * The writer of a page lists after its own put. A writer with a later version lists after the
 * earlier write too, so no successful write lacks a page that another roll-up counted. That holds
 * for the sums of skills and for each part of the details. If the process dies between these
 * writes, the batch is delivered again, or the hour is not rolled and readers list its pages.
 */
import { Fault } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import {
  type DetailPart,
  intersectRanges,
  replaceInPart,
  selectDetails,
} from '../../usage/detail-parts.ts'
import { createOpenHour, type HourSums } from '../../usage/open-sums.ts'
import type { Period } from '../../usage/periods.ts'
import { listSlots } from '../../usage/slots.ts'
import {
  ALL_DETAILS,
  addDetails,
  type DetailGroups,
  type DetailRange,
  sortDetails,
  toUserRange,
  type UsageDetail,
} from '../../usage/usage-detail.ts'
import { addSums, listSums, type SumGroups } from '../../usage/usage-sum.ts'
import { type CallFold, type FoldNeeds, foldSlots } from './fold-calls.ts'
import { listParts } from './list-parts.ts'
import { writePart } from './write-details.ts'

export type RollUpNeeds = FoldNeeds & { readonly usageSums: Ports['usageSums'] }

/** Two writers rarely meet at one period, because late pages are rare. */
export const ROLL_UP_TRIES_MAX = 8
/** Users of a batch whose parts are found one by one. More of them cost more than all parts. */
const USERS_FOUND_MAX = 20

/**
 * Corrects the details of these users and the sums of skills; `all` writes all details. Throws
 * `Fault('store_unavailable')` if other writers came first each time.
 */
export async function rollUpHour(
  ports: RollUpNeeds,
  hour: number,
  uids: ReadonlySet<string> | 'all',
): Promise<void> {
  const period: Period = { level: 'hour', index: hour }
  for (let tries = 1; tries <= ROLL_UP_TRIES_MAX; tries += 1) {
    const version = await ports.usageSums.version(period)
    const ranges = toRanges(uids)
    const parts = await readTargets(ports, period, ranges)
    const { details, skills } = await sumHour(ports, hour)
    if (skills.length === 0) return
    const written = await writeTargets(ports, { period, parts, ranges, details })
    if (written && (await ports.usageSums.writeSkills({ period, version, sums: skills }))) return
  }
  throw new Fault('store_unavailable', `usage: hour ${hour} met other writers; it comes again`)
}

/** The ranges of the users in the order of keys; one range of all if they are many. */
function toRanges(uids: ReadonlySet<string> | 'all'): readonly DetailRange[] {
  if (uids === 'all' || uids.size > USERS_FOUND_MAX) return [ALL_DETAILS]
  return [...uids].sort().map(toUserRange)
}

/** Reads the parts that will be written, before their calls are read. */
async function readTargets(
  { usageSums }: Pick<RollUpNeeds, 'usageSums'>,
  period: Period,
  ranges: readonly DetailRange[],
): Promise<readonly DetailPart[]> {
  const found = new Map<string, DetailPart>()
  for (const range of ranges) {
    for await (const parts of listParts(usageSums, period, range)) {
      // If a part was divided meanwhile, the first reading is refused by its version.
      for (const part of parts) if (!found.has(part.from)) found.set(part.from, part)
    }
  }
  return [...found.values()]
}

type Targets = {
  readonly period: Period
  readonly parts: readonly DetailPart[]
  readonly ranges: readonly DetailRange[]
  /** All details of the period. */
  readonly details: readonly UsageDetail[]
}

/** Writes one part after the other; false if one of them was written by somebody else. */
async function writeTargets(
  ports: Pick<RollUpNeeds, 'usageSums'>,
  { details, parts, period, ranges }: Targets,
): Promise<boolean> {
  for (const part of parts) {
    let fresh = part.details
    for (const one of ranges) {
      const range = intersectRanges(part, one)
      if (range === undefined) continue
      fresh = replaceInPart({ details: fresh }, range, selectDetails({ details }, range))
    }
    if (!(await writePart(ports, period, part, fresh))) return false
  }
  return true
}

/** Reads one slot after the other, so that only pages of one slot are in memory. */
async function sumHour(ports: FoldNeeds, hour: number): Promise<HourSums> {
  const skills: SumGroups = new Map()
  const details: DetailGroups = new Map()
  for (const slot of listSlots(hour)) {
    for (const sums of await foldSlots(ports, [slot], ALL_SUMS)) {
      const ofSlot = sums.read()
      addSums(skills, ofSlot.skills)
      addDetails(details, ofSlot.details)
    }
  }
  return { skills: listSums(skills), details: sortDetails(details) }
}

const ALL_SUMS: CallFold<ReturnType<typeof createOpenHour>> = {
  start: createOpenHour,
  add: (sums, rows) => sums.add(rows),
}
