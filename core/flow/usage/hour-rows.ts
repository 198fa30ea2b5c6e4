/** All calls that started in an hour, each once, from the pages of its slots. */
import type { Ports } from '../../ports.ts'
import type { CallRow } from '../../usage/call-row.ts'
import { slotsOf } from '../../usage/slots.ts'
import { mergeRows } from '../../usage/usage-page.ts'

export type PageReadNeeds = { readonly usagePages: Pick<Ports['usagePages'], 'list'> }

export async function hourRows(ports: PageReadNeeds, hour: number): Promise<readonly CallRow[]> {
  const slots = await Promise.all(slotsOf(hour).map((slot) => slotRows(ports, slot)))
  return slots.flat()
}

/** All rows of a call are in the slot in which it started. */
export async function slotRows(ports: PageReadNeeds, slot: number): Promise<readonly CallRow[]> {
  const pages = await ports.usagePages.list(slot)
  return mergeRows(pages.flatMap(({ rows }) => rows))
}
