/** All calls that started in an hour, each once, from the pages of its slots. */
import type { Ports } from '../../ports.ts'
import type { CallRow } from '../../usage/call-row.ts'
import { slotsOf } from '../../usage/slots.ts'
import { mergeRows } from '../../usage/usage-page.ts'

export type PageReadNeeds = { readonly usagePages: Pick<Ports['usagePages'], 'list'> }

export async function hourRows(ports: PageReadNeeds, hour: number): Promise<readonly CallRow[]> {
  const slots = await Promise.all(slotsOf(hour).map((slot) => ports.usagePages.list(slot)))
  return mergeRows(slots.flat().flatMap(({ rows }) => rows))
}
