/** Sums of calls for a skill, a user or a key: how many ended how, and what they cost. */
import type { MicroCredits, RefundReason } from '../ledger/ledger.ts'
import type { SkillSource } from '../skills/skill.ts'
import { addCounts, type DurationCounts } from './durations.ts'

export const SERIES = ['skill', 'user', 'key'] as const
/** The kinds of sums. Each series has all calls, so the totals of all series are equal. */
export type Series = (typeof SERIES)[number]

export type UsageSum = {
  /** Skill id, user id or key id; '' for calls without one. */
  readonly name: string
  /** Tier of the skill, in the series `skill`. */
  readonly source?: SkillSource
  /** Owner of the key, in the series `key`. */
  readonly uid?: string
  readonly settled: number
  readonly refunded: number
  /** Price of the settled calls. */
  readonly charged: MicroCredits
  /** Price of the refunded calls. */
  readonly givenBack: MicroCredits
  readonly durationMs: number
  readonly reasons: { readonly [reason in RefundReason]?: number }
  /**
   * Durations of the settled calls in the series `skill`, for shared skills only. Absent without
   * such calls.
   */
  readonly durations?: DurationCounts
}

/** `closed` ≥ `rolled`, because an hour is closed before its sums are written. */
export type UsageHead = { readonly closed: number; readonly rolled: number }

export type HourSums = { readonly [series in Series]: readonly UsageSum[] }

/** Sums that are being added up, by {@link keyOf}. */
export type SumGroups = Map<string, UsageSum>

/** Adds up sums of the same name, tier and owner. No call may be in two of the sums. */
export function addSums(groups: SumGroups, sums: readonly UsageSum[]): void {
  for (const sum of sums) {
    const key = toSumKey(sum)
    const before = groups.get(key)
    groups.set(key, before === undefined ? sum : addSum(before, sum))
  }
}

/** The sums in the order of names. */
export function listSums(groups: SumGroups): readonly UsageSum[] {
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

/** The key of a sum; keys sort by name. */
export function toSumKey({ name, source, uid }: Pick<UsageSum, 'name' | 'source' | 'uid'>): string {
  return `${name} ${source ?? ''} ${uid ?? ''}`
}

function addSum(a: UsageSum, b: UsageSum): UsageSum {
  const reasons: { [reason: string]: number } = { ...a.reasons }
  for (const [reason, count] of Object.entries(b.reasons)) {
    reasons[reason] = (reasons[reason] ?? 0) + count
  }
  const durations = addCounts(a.durations, b.durations)
  return {
    ...a,
    settled: a.settled + b.settled,
    refunded: a.refunded + b.refunded,
    charged: a.charged + b.charged,
    givenBack: a.givenBack + b.givenBack,
    durationMs: a.durationMs + b.durationMs,
    reasons,
    ...(durations === undefined ? {} : { durations }),
  }
}
