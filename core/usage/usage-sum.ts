/** Sums of calls that have a name in common: how many ended how, and what they cost. */
import type { MicroCredits, RefundReason } from '../ledger/ledger.ts'
import type { SkillSource } from '../skills/skill.ts'
import { addCounts, type DurationCounts } from './durations.ts'

export type UsageSum = {
  /** What the calls have in common: a skill, user, key, day or month; '' for calls without one. */
  readonly name: string
  /** Tier of the skill, in sums of skills. */
  readonly source?: SkillSource
  /** Owner of the key, in sums of keys. */
  readonly uid?: string
  readonly settled: number
  readonly refunded: number
  /** Price of the settled calls. */
  readonly charged: MicroCredits
  /** Price of the refunded calls. */
  readonly givenBack: MicroCredits
  readonly durationMs: number
  readonly reasons: { readonly [reason in RefundReason]?: number }
  /** Durations of the settled calls of a shared skill in an hour. Absent without such calls. */
  readonly durations?: DurationCounts
  /** Calls of a shared skill in an hour that failed at the upstream. Absent without such calls. */
  readonly failures?: number
}

/**
 * `closed` ≥ `rolled`, because a period is closed before its sums are written. `part` is the place
 * up to which the details of a period are written whose roll-up took more than one run.
 */
export type UsageHead = {
  readonly closed: number
  readonly rolled: number
  readonly part?: { readonly index: number; readonly from: string }
}

/** The sum of no calls, to add others to. */
export const NO_CALLS: UsageSum = {
  name: '',
  settled: 0,
  refunded: 0,
  charged: 0,
  givenBack: 0,
  durationMs: 0,
  reasons: {},
}

/** Sums that are being added up, by {@link toSumKey}. */
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

export function addSum(a: UsageSum, b: UsageSum): UsageSum {
  const reasons: { [reason: string]: number } = { ...a.reasons }
  for (const [reason, count] of Object.entries(b.reasons)) {
    reasons[reason] = (reasons[reason] ?? 0) + count
  }
  const durations = addCounts(a.durations, b.durations)
  const failures = (a.failures ?? 0) + (b.failures ?? 0)
  return {
    ...a,
    settled: a.settled + b.settled,
    refunded: a.refunded + b.refunded,
    charged: a.charged + b.charged,
    givenBack: a.givenBack + b.givenBack,
    durationMs: a.durationMs + b.durationMs,
    reasons,
    ...(durations === undefined ? {} : { durations }),
    ...(failures === 0 ? {} : { failures }),
  }
}
