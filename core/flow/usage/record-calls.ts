/**
 * Records a batch of outcomes in pages and closes finished hours. The same outcomes in another
 * order or in other batches change nothing. Bound by ADR 0048.
 *
 *   putter: put page of hour h ─▶ read the head ─▶ h is closed: roll h up
 *   closer: close h ─▶ roll h up: lists the pages of h ─▶ rolled is h
 *
 * If a putter finds h open, it put its page before h was closed, so the closer lists that page. If
 * the process dies between put and roll-up, the batch is delivered again. If it dies between close
 * and rolled, the next batch continues there, and until then readers list the pages.
 */

import { Fault } from '../../errors.ts'
import type { Outcome } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { toCallRow } from '../../usage/call-row.ts'
import { createOpenHour } from '../../usage/open-sums.ts'
import { listSlots, slotToHour, toHour } from '../../usage/slots.ts'
import { splitIntoPages, writeRows } from '../../usage/usage-page.ts'
import {
  addSums,
  type HourSums,
  listSums,
  type SumGroups,
  type UsageHead,
} from '../../usage/usage-sum.ts'
import { type CallFold, type FoldNeeds, foldSlots } from './fold-calls.ts'

export type RecordNeeds = Pick<Ports, 'clock' | 'digests' | 'usagePages' | 'usageSums'>

/** Hours that one batch rolls up. After days without calls, the next batches roll up the rest. */
export const HOURS_CLOSED_MAX = 48
/**
 * Outcomes of an hour's last calls come up to 16 s later, and the stream is rarely a minute late.
 */
const CLOSE_AFTER_MS = 180_000

/** Returns the number of pages that were put and of hours that got their sums. */
export async function recordCalls(
  ports: RecordNeeds,
  outcomes: readonly Outcome[],
): Promise<{ readonly pages: number; readonly rolled: number }> {
  const pages = splitIntoPages(outcomes.map(toCallRow)).map((page) => ({
    ...page,
    id: toPageId(ports, page),
  }))
  await Promise.all(pages.map((page) => ports.usagePages.put(page)))
  const hours = [...new Set(pages.map(({ slot }) => slotToHour(slot)))].sort((a, b) => a - b)
  const head = await readOrStartHead(ports, hours[0])
  for (const hour of hours.filter((one) => one <= head.rolled)) await rollUp(ports, hour)
  const rolled = await closeHours(ports, head)
  return { pages: pages.length, rolled }
}

/** Returns how many hours got their sums. */
async function closeHours(ports: RecordNeeds, { closed, rolled }: UsageHead): Promise<number> {
  const lastFinished = toHour(ports.clock.nowMs() - CLOSE_AFTER_MS) - 1
  const last = Math.min(Math.max(lastFinished, closed), rolled + HOURS_CLOSED_MAX)
  if (last > closed) await ports.usageSums.moveHead({ closed: last })
  for (let hour = rolled + 1; hour <= last; hour += 1) await rollUp(ports, hour)
  if (last > rolled) await ports.usageSums.moveHead({ rolled: last })
  return last - rolled
}

/** Reads the head. The first batch of all starts it at the batch's own first hour. */
async function readOrStartHead(
  { clock, usageSums }: Pick<RecordNeeds, 'clock' | 'usageSums'>,
  firstHour: number | undefined,
): Promise<UsageHead> {
  const head = await usageSums.readHead()
  if (head !== undefined) return head
  const start = Math.min(firstHour ?? Number.POSITIVE_INFINITY, toHour(clock.nowMs())) - 1
  await usageSums.moveHead({ closed: start })
  await usageSums.moveHead({ rolled: start })
  return (await usageSums.readHead()) ?? { closed: start, rolled: start }
}

/** Ids sort by the first call. Equal content has an equal id. */
function toPageId(
  { digests }: Pick<RecordNeeds, 'digests'>,
  { rows }: Pick<Parameters<Ports['usagePages']['put']>[0], 'rows'>,
): string {
  return `${rows[0]?.callId ?? ''}~${digests.sha256(writeRows(rows)).slice(0, 22)}`
}

/** Two writers rarely meet at one hour, because late pages are rare. */
const ROLL_UP_TRIES_MAX = 8

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
 *
 * Throws `Fault('store_unavailable')` if other writers came first each time.
 */
async function rollUp(
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
  for (const slot of listSlots(hour)) {
    for (const sums of await foldSlots(ports, [slot], ALL_SERIES)) {
      const ofSlot = sums.read()
      addSums(skill, ofSlot.skill)
      addSums(user, ofSlot.user)
      addSums(key, ofSlot.key)
    }
  }
  return { skill: listSums(skill), user: listSums(user), key: listSums(key) }
}

const createGroups = (): SumGroups => new Map()

const ALL_SERIES: CallFold<ReturnType<typeof createOpenHour>> = {
  start: createOpenHour,
  add: (sums, rows) => sums.add(rows),
}
