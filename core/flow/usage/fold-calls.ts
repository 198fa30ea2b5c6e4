/**
 * Reads all calls of slots, each once, into a caller's result, with few of them in memory at a
 * time. If the ids of pages are not in the order of their calls, the slot is read again in parts
 * that fit the memory. That happens if an IAM caller chooses call ids at random. Bound by docs/design/usage.md#the-open-hour.
 */
import type { Ports } from '../../ports/ports.ts'
import type { CallRow } from '../../usage/call-row.ts'
import { createPageMerge, PORTION_ROWS, ROWS_WAITING_MAX } from '../../usage/merge-pages.ts'
import { addRows, choosePart, type UsagePage } from '../../usage/usage-page.ts'

export type PageReadNeeds = { readonly usagePages: Pick<Ports['usagePages'], 'list'> }
export type FoldNeeds = PageReadNeeds & { readonly clock: Pick<Ports['clock'], 'sleep'> }

/** `add` changes the value of `start`. That value is dropped if a slot is started again. */
export type CallFold<T> = {
  start(): T
  add(to: T, rows: readonly CallRow[]): void
}

/**
 * Returns the result of each slot. All reads start at once, and the slots are folded one after the
 * other.
 */
export async function foldSlots<T>(
  ports: FoldNeeds,
  slots: readonly number[],
  fold: CallFold<T>,
): Promise<readonly T[]> {
  const readings = slots.map((slot) => ({ slot, pages: ports.usagePages.list(slot) }))
  const folded: T[] = []
  for (const { pages, slot } of readings) {
    folded.push((await foldInOrder(ports, pages, fold)) ?? (await foldInParts(ports, slot, fold)))
  }
  return folded
}

/** Returns undefined if pages or rows are not in order or too many rows wait for later pages. */
async function foldInOrder<T>(
  ports: FoldNeeds,
  pages: AsyncIterable<UsagePage>,
  fold: CallFold<T>,
): Promise<T | undefined> {
  const merge = createPageMerge()
  const folded = fold.start()
  for await (const page of pages) {
    if (!merge.add(page)) return undefined
    await addPortions(ports, merge.take, (rows) => fold.add(folded, rows))
  }
  merge.end()
  await addPortions(ports, merge.take, (rows) => fold.add(folded, rows))
  return folded
}

/** Each part has the calls with one hash of their ids, so no order is needed. */
async function foldInParts<T>(ports: FoldNeeds, slot: number, fold: CallFold<T>): Promise<T> {
  let count = 0
  for await (const { rows } of ports.usagePages.list(slot)) count += rows.length
  const parts = Math.ceil(count / ROWS_WAITING_MAX)
  const folded = fold.start()
  for (let part = 0; part < parts; part += 1) {
    const found = new Map<string, CallRow>()
    for await (const { rows } of ports.usagePages.list(slot)) {
      addRows(
        found,
        rows.filter(({ callId }) => choosePart(callId, parts) === part),
      )
    }
    const rows = [...found.values()]
    const take = () => rows.splice(-PORTION_ROWS)
    await addPortions(ports, take, (some) => fold.add(folded, some))
  }
  return folded
}

/** The event loop serves other requests between two portions. */
async function addPortions(
  { clock }: FoldNeeds,
  take: () => readonly CallRow[],
  add: (rows: readonly CallRow[]) => void,
): Promise<void> {
  let rows = take()
  while (rows.length > 0) {
    add(rows)
    rows = take()
    if (rows.length > 0) await clock.sleep(0)
  }
}
