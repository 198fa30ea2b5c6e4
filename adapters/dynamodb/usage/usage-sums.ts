/**
 * usage:head/{level}: the last hour, day and month whose sums are written; and
 * usage:sum:skill/{period}#{part}: the gzipped sums of skills of a period. One write has all items of
 * a period, again for each late page. Each item has the version of its period, so a reader that
 * meets two versions reads again. Details are in usage-details.ts.
 */
import { Fault } from '../../../core/errors.ts'
import type { UsageSums } from '../../../core/ports/usage.ts'
import { LEVELS } from '../../../core/usage/periods.ts'
import type { UsageSum } from '../../../core/usage/usage-sum.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { bytesAt, type Item, intAt, optionalIntAt, optionalTextAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { gunzipText, gzipText } from '../records/packed.ts'
import {
  USAGE_DETAILS_PK,
  USAGE_HEAD_PK,
  USAGE_SKILLS_PK,
  usageHeadKey,
  usageSkillsKey,
  usageSkillsRange,
} from '../table.ts'
import { dynamoUsageDetails, type GuardedPut, putAll } from './usage-details.ts'

export const USAGE_SUM_PERMISSIONS: Permissions<UsageSums> = {
  readHead: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [USAGE_HEAD_PK] }],
  startHeads: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [USAGE_HEAD_PK] }],
  moveHead: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [USAGE_HEAD_PK] }],
  markPart: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [USAGE_HEAD_PK] }],
  version: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [USAGE_SKILLS_PK] }],
  writeSkills: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [USAGE_SKILLS_PK] }],
  readSkills: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [USAGE_SKILLS_PK] }],
  parts: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [USAGE_DETAILS_PK] }],
  replacePart: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [USAGE_DETAILS_PK] }],
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
    async readHead(level) {
      const item = await store.get(table, usageHeadKey(level), 'consistent')
      if (item === undefined) return undefined
      const [index, from] = [optionalIntAt(item, 'part'), optionalTextAt(item, 'partFrom')]
      return {
        closed: intAt(item, 'closed'),
        rolled: intAt(item, 'rolled'),
        ...(index === undefined || from === undefined ? {} : { part: { index, from } }),
      }
    },

    // Two starts at once: one of them writes all heads. A head of days that is ahead of that of
    // hours would leave out calls, so no start writes a part of the heads.
    async startHeads(last) {
      const puts = LEVELS.map((level) => {
        const head = { closed: last[level], rolled: last[level] }
        return { item: { ...usageHeadKey(level), ...head }, version: 0 }
      })
      await putAll(store, puts)
    },

    // Two writes at once: the later period wins in either order.
    async moveHead(level, to) {
      const [name, index] = 'closed' in to ? ['closed', to.closed] : ['rolled', to.rolled]
      await store.update(table, {
        key: usageHeadKey(level),
        set: 'SET #name = :index',
        if: '#name < :index',
        names: { name: String(name) },
        values: { index },
      })
    },

    // Two runs write the same period: if the earlier place wins, parts are compared again and stay.
    async markPart(level, { from, index }) {
      await store.update(table, {
        key: usageHeadKey(level),
        set: 'SET #part = :index, #partFrom = :from',
        if: 'attribute_exists(#pk)',
        values: { index, from },
      })
    },

    async version({ index, level }) {
      const item = await store.get(table, usageSkillsKey(level, index, 0), 'consistent')
      return item === undefined ? 0 : intAt(item, 'version')
    },

    async writeSkills({ period: { index, level }, sums, version }) {
      const puts = splitParts(sums).map(async (texts, part): Promise<GuardedPut> => {
        const data = await gzipText(`[${texts.join(',')}]`)
        const key = usageSkillsKey(level, index, part)
        // Later parts may be new: a late call can bring a new skill.
        return {
          item: { ...key, index, version: version + 1, data },
          version,
          mayBeNew: part > 0,
        }
      })
      return putAll(store, await Promise.all(puts))
    },

    readSkills: (of) => readSkills(store, of),
    ...dynamoUsageDetails(store),
  }
}

/** There is one part or more, so that the version is always stored. */
function splitParts(sums: readonly UsageSum[]): readonly (readonly string[])[] {
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
  return parts
}

async function readSkills(
  store: DynamoStore,
  { from, level, to }: Parameters<UsageSums['readSkills']>[0],
): ReturnType<UsageSums['readSkills']> {
  const range = usageSkillsRange(level, from, to)
  for (let tries = 1; tries <= READ_TRIES_MAX; tries += 1) {
    const items = await store.query(store.tables.gateway, {
      where: '#pk = :pk AND #sk BETWEEN :from AND :to',
      values: { pk: USAGE_SKILLS_PK, ...range },
    })
    const byIndex = Map.groupBy(items, (item) => intAt(item, 'index'))
    if ([...byIndex.values()].every(isOneVersion)) return unpackSums(byIndex)
  }
  throw new Fault('store_unavailable', 'usage: its sums are being written; try again')
}

function isOneVersion(parts: readonly Item[]): boolean {
  return new Set(parts.map((part) => intAt(part, 'version'))).size === 1
}

async function unpackSums(
  byIndex: ReadonlyMap<number, readonly Item[]>,
): Promise<ReadonlyMap<number, readonly UsageSum[]>> {
  const periods = await Promise.all(
    [...byIndex].map(async ([index, items]) => {
      const sorted = [...items].sort((a, b) => (textAt(a, 'sk') < textAt(b, 'sk') ? -1 : 1))
      const texts = await Promise.all(sorted.map((item) => gunzipText(bytesAt(item, 'data'))))
      // A cast by annotation: `writeSkills` packed these texts.
      const sums = texts.flatMap((text): readonly UsageSum[] => JSON.parse(text))
      return [index, sums] as const
    }),
  )
  return new Map(periods)
}
