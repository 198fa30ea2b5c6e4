/** What an entry of GET usage is about: one or two of skill, user, key, day and month. */
import type { SkillSource } from '../skills/skill.ts'
import { toPeriodName } from './periods.ts'
import type { UsageDetail } from './usage-detail.ts'

export const DIMENSIONS = ['skill', 'user', 'key', 'day', 'month'] as const
export type Dimension = (typeof DIMENSIONS)[number]
/** The first is the one that has totals. */
export type Dimensions = readonly [Dimension] | readonly [Dimension, Dimension]

/** Every value of `by`: `skill`, and `skill,user` with any other second word. */
export const USAGE_BY: readonly string[] = [
  ...DIMENSIONS,
  ...DIMENSIONS.flatMap((first) =>
    DIMENSIONS.filter((second) => second !== first).map((second) => `${first},${second}`),
  ),
]

/** Undefined if the text is no value of {@link USAGE_BY}. */
export function parseDimensions(text: string): Dimensions | undefined {
  if (!USAGE_BY.includes(text)) return undefined
  const [first, second] = text
    .split(',')
    .flatMap((word) => DIMENSIONS.filter((dimension) => dimension === word))
  if (first === undefined) return undefined
  return second === undefined ? [first] : [first, second]
}

export type EntryName = {
  readonly skillId?: string
  readonly source?: SkillSource
  readonly uid?: string
  readonly keyId?: string
  readonly day?: string
  readonly month?: string
}

/** The names of what the calls have in common, in the order of the dimensions. */
export function nameEntry(
  dimensions: Dimensions,
  of: Pick<UsageDetail, 'skillId' | 'source'> & Partial<Pick<UsageDetail, 'keyId' | 'uid'>>,
  startMs: number,
): EntryName {
  let name: EntryName = {}
  for (const dimension of dimensions) name = { ...name, ...nameOne(dimension, of, startMs) }
  return name
}

function nameOne(
  dimension: Dimension,
  of: Pick<UsageDetail, 'skillId' | 'source'> & Partial<Pick<UsageDetail, 'keyId' | 'uid'>>,
  startMs: number,
): EntryName {
  switch (dimension) {
    case 'skill':
      return { skillId: of.skillId, source: of.source }
    case 'user':
      return { uid: of.uid ?? '' }
    case 'key':
      return { keyId: of.keyId ?? '', uid: of.uid ?? '' }
    case 'day':
      return { day: toPeriodName('day', startMs) }
    case 'month':
      return { month: toPeriodName('month', startMs) }
    default:
      return dimension satisfies never
  }
}

/** True if sums of skills alone have what the entries need. */
export function needsSkillsOnly(dimensions: Dimensions): boolean {
  return !dimensions.includes('user') && !dimensions.includes('key')
}
