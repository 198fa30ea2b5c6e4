/**
 * Takes all calls of slots, each once, into whatever a caller makes of them, and holds few of them at a time.
 * Pages whose ids are not in the order of their calls are read again, in parts that fit the memory: so it is
 * where an IAM caller names calls at random. Bound by ADR 0086.
 */
import type { Ports } from '../../ports/ports.ts'
import type { CallRow } from '../../usage/call-row.ts'
import { mergePages, PORTION_ROWS, ROWS_WAITING_MAX } from '../../usage/merge-pages.ts'
import { addRows, partOf, type UsagePage } from '../../usage/usage-page.ts'

export type PageReadNeeds = { readonly usagePages: Pick<Ports['usagePages'], 'list'> }
export type FoldNeeds = PageReadNeeds & { readonly clock: Pick<Ports['clock'], 'sleep'> }

/** `add` changes what `start` made. What was made is thrown away when a slot is begun again. */
export type CallFold<T> = {
  start(): T
  add(to: T, rows: readonly CallRow[]): void
}

/** What became of each slot. All are asked for at once and taken one after the other. */
export async function foldSlots<T>(
  ports: FoldNeeds,
  slots: readonly number[],
  fold: CallFold<T>,
): Promise<readonly T[]> {
  const asked = slots.map((slot) => ({ slot, pages: ports.usagePages.list(slot) }))
  const made: T[] = []
  for (const { pages, slot } of asked) {
    made.push((await foldInOrder(ports, pages, fold)) ?? (await foldInParts(ports, slot, fold)))
  }
  return made
}

/** Undefined when pages or rows are in no order, or too many rows wait for later pages. */
async function foldInOrder<T>(
  ports: FoldNeeds,
  pages: AsyncIterable<UsagePage>,
  fold: CallFold<T>,
): Promise<T | undefined> {
  const merge = mergePages()
  const made = fold.start()
  for await (const page of pages) {
    if (!merge.add(page)) return undefined
    await addPortions(ports, merge.take, (rows) => fold.add(made, rows))
  }
  merge.end()
  await addPortions(ports, merge.take, (rows) => fold.add(made, rows))
  return made
}

/** Each part has its calls by a hash of their ids, so no order is needed. */
async function foldInParts<T>(ports: FoldNeeds, slot: number, fold: CallFold<T>): Promise<T> {
  let count = 0
  for await (const { rows } of ports.usagePages.list(slot)) count += rows.length
  const parts = Math.ceil(count / ROWS_WAITING_MAX)
  const made = fold.start()
  for (let part = 0; part < parts; part += 1) {
    const found = new Map<string, CallRow>()
    for await (const { rows } of ports.usagePages.list(slot)) {
      addRows(
        found,
        rows.filter(({ callId }) => partOf(callId, parts) === part),
      )
    }
    const rows = [...found.values()]
    const take = () => rows.splice(-PORTION_ROWS)
    await addPortions(ports, take, (some) => fold.add(made, some))
  }
  return made
}

/** The event loop serves others between two portions. */
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
