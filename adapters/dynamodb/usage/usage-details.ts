/**
 * usage:detail:{period}/#{from}: the details of a period by user, key and skill, in gzipped parts
 * that divide all keys among them. A part begins at its sort key and ends at `to`, where the next
 * one begins. So the part of a user is found by one query that goes backwards.
 */
import type { UsageSums } from '../../../core/ports/usage.ts'
import type { DetailPart } from '../../../core/usage/detail-parts.ts'
import type { Period } from '../../../core/usage/periods.ts'
import { type DetailRange, readDetails, writeDetail } from '../../../core/usage/usage-detail.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { bytesAt, type Item, intAt, optionalTextAt, textAt } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import { gunzipText, gzipText } from '../records/packed.ts'
import { usageDetailsKey } from '../table.ts'

export function dynamoUsageDetails(store: DynamoStore): Pick<UsageSums, 'parts' | 'replacePart'> {
  return {
    parts: ({ limit, period, ...range }) => readParts(store, { limit, period, range }),

    //   A: read the part, version 3 ── read its calls ── write if 3 ✔ (now two parts, version 4)
    //   B: read the part, version 3 ── read its calls ──────── write if 3 ✘ ── again, with version 4
    // The parts that a part is divided into cannot exist yet: only its writer could have made them.
    async replacePart({ before, parts, period: { index, level } }) {
      const puts = parts.map(async ({ details, from, to }, at): Promise<GuardedPut> => {
        const data = await gzipText(`[${details.map(writeDetail).join(',')}]`)
        const version = before.version + 1
        const end = to === undefined ? {} : { to }
        return {
          item: { ...usageDetailsKey(level, index, from), ...end, version, data },
          version: at === 0 ? before.version : 0,
        }
      })
      return putAll(store, await Promise.all(puts))
    },
  }
}

async function readParts(
  store: DynamoStore,
  { limit, period, range }: { limit: number; period: Period; range: DetailRange },
): Promise<readonly DetailPart[]> {
  const { pk, sk } = usageDetailsKey(period.level, period.index, range.from)
  const [item] = await store.query(store.tables.gateway, {
    where: '#pk = :pk AND #sk <= :sk',
    values: { pk, sk },
    backwards: true,
    limit: 1,
  })
  if (item === undefined) return [{ from: '', to: undefined, version: 0, details: [] }]
  const first = await readPart(item)
  if (limit === 1 || isEnd(first.to, range)) return [first]
  const others = await store.query(store.tables.gateway, {
    where: '#pk = :pk AND #sk BETWEEN :from AND :to',
    values: { pk, from: `#${first.to}`, to: range.to === undefined ? AFTER_KEYS : `#${range.to}` },
    limit: limit - 1,
  })
  return keepChain([first, ...(await Promise.all(others.map(readPart)))], range)
}

/**
 * Keeps parts that begin where the one before them ends. A part that was divided between two pages
 * of a query is followed by its own second half.
 */
function keepChain(parts: readonly DetailPart[], range: DetailRange): readonly DetailPart[] {
  const chain: DetailPart[] = []
  for (const part of parts) {
    const last = chain.at(-1)
    if (last === undefined || (part.from === last.to && !isEnd(last.to, range))) chain.push(part)
  }
  return chain
}

/** '$' is the character after '#', with which all sort keys begin. */
const AFTER_KEYS = '$'

function isEnd(to: string | undefined, range: DetailRange): boolean {
  return to === undefined || (range.to !== undefined && to >= range.to)
}

async function readPart(item: Item): Promise<DetailPart> {
  return {
    from: textAt(item, 'sk').slice(1),
    to: optionalTextAt(item, 'to'),
    version: intAt(item, 'version'),
    details: readDetails(await gunzipText(bytesAt(item, 'data'))),
  }
}

/** An item that is put if the stored one has this version; 0 if there must be none. */
export type GuardedPut = {
  readonly item: Item
  readonly version: number
  /** There may also be none. */
  readonly mayBeNew?: boolean
}

/**
 * Puts all items or none; false if a stored item has another version. One item alone needs no
 * transaction, which costs twice as much. If the answer to a put is lost and it is sent again, it
 * is refused; the caller then reads what it wrote itself.
 */
export async function putAll(store: DynamoStore, puts: readonly GuardedPut[]): Promise<boolean> {
  const table = store.tables.gateway
  const [first, ...others] = puts.map(({ item, mayBeNew = false, version }) => ({
    item,
    ...toGuard(version, mayBeNew),
  }))
  if (first === undefined) return true
  if (others.length === 0) return (await store.put(table, first)).kind === 'written'
  const writes = [first, ...others].map(
    ({ item, ...guard }): TransactWrite => ({
      table,
      put: item,
      ...guard,
    }),
  )
  return (await store.transact(writes)).kind === 'written'
}

function toGuard(version: number, mayBeNew: boolean) {
  if (version === 0) return { if: 'attribute_not_exists(#pk)' }
  const isVersion = '#version = :version'
  return {
    if: mayBeNew ? `attribute_not_exists(#pk) OR ${isVersion}` : isVersion,
    values: { version },
  }
}
