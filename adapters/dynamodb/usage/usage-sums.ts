/**
 * usage:sum:{series}/{hour}#{part}: the gzipped sums of an hour; and usage:head: the last hour
 * whose sums are written. One transaction writes all items of an hour, again for each late page.
 * Each item has the version of its hour, so a reader that meets two versions reads again.
 */
import { Fault } from '../../../core/errors.ts'
import type { UsageSums } from '../../../core/ports/usage.ts'
import { SERIES, type Series, type UsageSum } from '../../../core/usage/usage-sum.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { bytesAt, type Item, intAt, textAt } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permissions } from '../permission.ts'
import { gunzipText, gzipText } from '../records/packed.ts'
import {
  USAGE_HEAD_PK,
  USAGE_SUMS_PKS,
  usageHeadKey,
  usageSumKey,
  usageSumRange,
} from '../table.ts'

const EVERY_SERIES = Object.values(USAGE_SUMS_PKS)

export const USAGE_SUM_PERMISSIONS: Permissions<UsageSums> = {
  readHead: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [USAGE_HEAD_PK] }],
  moveHead: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [USAGE_HEAD_PK] }],
  version: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [USAGE_SUMS_PKS.skill] }],
  write: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: EVERY_SERIES }],
  read: [{ table: 'gateway', actions: ['Query'], keyPrefixes: EVERY_SERIES }],
  readSkills: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [USAGE_SUMS_PKS.skill] }],
}

/**
 * Characters of JSON in one item. Gzip halves them at least, since counts and field names repeat.
 * So an item stays below DynamoDB's 400 kB even if all names are random and every sum has every
 * duration.
 */
const PART_CHARS_MAX = 500_000
/** Reads at most: an hour is rarely rewritten, and a reader meets that once at most. */
const READ_TRIES_MAX = 4

export function dynamoUsageSums(store: DynamoStore): UsageSums {
  const table = store.tables.gateway
  return {
    async readHead() {
      const item = await store.get(table, usageHeadKey(), 'consistent')
      return item === undefined
        ? undefined
        : { closed: intAt(item, 'closed'), rolled: intAt(item, 'rolled') }
    },

    // Two writes at once: the later hour wins in either order. The first write sets both numbers.
    async moveHead(to) {
      const [name, hour] = 'closed' in to ? ['closed', to.closed] : ['rolled', to.rolled]
      const other = name === 'closed' ? 'rolled' : 'closed'
      await store.update(table, {
        key: usageHeadKey(),
        set: 'SET #name = :hour, #other = if_not_exists(#other, :hour)',
        if: 'attribute_not_exists(#name) OR #name < :hour',
        names: { name: String(name), other },
        values: { hour },
      })
    },

    async version(hour) {
      const item = await store.get(table, usageSumKey('skill', hour, 0), 'consistent')
      return item === undefined ? 0 : intAt(item, 'version')
    },

    async write({ hour, sums, version }) {
      const parts = SERIES.flatMap((series) => splitParts(series, sums[series]))
      const writes = await Promise.all(
        parts.map(async ({ part, series, sums: some }): Promise<TransactWrite> => {
          const data = await gzipText(`[${some.join(',')}]`)
          const item = { ...usageSumKey(series, hour, part), hour, version: version + 1, data }
          const values = { version }
          return {
            table,
            put: item,
            if: 'attribute_not_exists(#pk) OR #version = :version',
            values,
          }
        }),
      )
      return (await store.transact(writes)).kind === 'written'
    },

    read: (of) => read(store, of),
    readSkills: (span) => read(store, { ...span, series: 'skill' }),
  }
}

/** Each series has one part or more, so that the version is always stored. */
function splitParts(series: Series, sums: readonly UsageSum[]) {
  const parts: string[][] = [[]]
  let chars = 0
  for (const text of sums.map((sum) => JSON.stringify(sum))) {
    if (chars + text.length > PART_CHARS_MAX) {
      parts.push([])
      chars = 0
    }
    parts.at(-1)?.push(text)
    chars += text.length
  }
  return parts.map((texts, part) => ({ part, series, sums: texts }))
}

async function read(
  store: DynamoStore,
  { from, series, to }: Parameters<UsageSums['read']>[0],
): ReturnType<UsageSums['read']> {
  const range = usageSumRange(from, to)
  for (let tries = 1; tries <= READ_TRIES_MAX; tries += 1) {
    const items = await store.query(store.tables.gateway, {
      where: '#pk = :pk AND #sk BETWEEN :from AND :to',
      values: { pk: usageSumKey(series, 0, 0).pk, ...range },
    })
    const byHour = Map.groupBy(items, (item) => intAt(item, 'hour'))
    if ([...byHour.values()].every(isOneVersion)) return unpackSums(byHour)
  }
  throw new Fault('store_unavailable', 'usage: its sums are being written; try again')
}

function isOneVersion(parts: readonly Item[]): boolean {
  return new Set(parts.map((part) => intAt(part, 'version'))).size === 1
}

async function unpackSums(
  byHour: ReadonlyMap<number, readonly Item[]>,
): Promise<ReadonlyMap<number, readonly UsageSum[]>> {
  const hours = await Promise.all(
    [...byHour].map(async ([hour, items]) => {
      const sorted = [...items].sort((a, b) => (textAt(a, 'sk') < textAt(b, 'sk') ? -1 : 1))
      const texts = await Promise.all(sorted.map((item) => gunzipText(bytesAt(item, 'data'))))
      // A cast by annotation: `write` packed these texts.
      const sums = texts.flatMap((text): readonly UsageSum[] => JSON.parse(text))
      return [hour, sums] as const
    }),
  )
  return new Map(hours)
}
