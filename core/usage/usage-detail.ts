/**
 * Sums of a user's calls of one skill with one key. Every other sum but the distribution of
 * durations follows from them. They are sorted by user, so that the details of one user are
 * together.
 */
import type { MicroCredits, RefundReason } from '../ledger/ledger.ts'
import type { SkillSource } from '../skills/skill.ts'
import type { CallRow } from './call-row.ts'
import type { UsageSum } from './usage-sum.ts'

/** `other`: a refund without a reason. */
export type RefundCause = RefundReason | 'other'

/** Number of refunded calls, and the credits that they would have cost. */
export type RefundSum = readonly [calls: number, givenBack: MicroCredits]

export type UsageDetail = {
  readonly uid: string
  /** '' for calls without a key. */
  readonly keyId: string
  /** '' for calls that were voided before their skill was known. */
  readonly skillId: string
  readonly source: SkillSource
  readonly settled: number
  readonly charged: MicroCredits
  readonly durationMs: number
  readonly refunds: { readonly [cause in RefundCause]?: RefundSum }
}

/** Details by {@link toDetailKey}. */
export type DetailGroups = Map<string, UsageDetail>

/** Keys from `from` up to `to`, which is not included; an undefined `to` is after all keys. */
export type DetailRange = { readonly from: string; readonly to: string | undefined }

export const ALL_DETAILS: DetailRange = { from: '', to: undefined }

/** Separates the parts of a key; it sorts before every character of an id. */
const SEPARATOR = ' '
/** The character after the separator. */
const AFTER_SEPARATOR = '!'

type DetailName = Pick<UsageDetail, 'keyId' | 'skillId' | 'source' | 'uid'>

/** The key of a detail; keys sort by user. */
export function toDetailKey({ keyId, skillId, source, uid }: DetailName): string {
  return [uid, keyId, skillId, source].join(SEPARATOR)
}

/** The keys of one user. */
export function toUserRange(uid: string): DetailRange & { readonly to: string } {
  return { from: `${uid}${SEPARATOR}`, to: `${uid}${AFTER_SEPARATOR}` }
}

export function isInRange(key: string, { from, to }: DetailRange): boolean {
  return key >= from && (to === undefined || key < to)
}

/** The detail of one call. */
export function toDetail({ amount, durationMs, state, ...row }: CallRow): UsageDetail {
  const { keyId = '', reason = 'other', skillId, source, uid } = row
  const isSettled = state === 'settled'
  return {
    uid,
    keyId,
    skillId,
    source,
    settled: isSettled ? 1 : 0,
    charged: isSettled ? amount : 0,
    durationMs,
    refunds: isSettled ? {} : { [reason]: [1, amount] },
  }
}

/** Adds details; no call may be in two of them. */
export function addDetails(groups: DetailGroups, details: Iterable<UsageDetail>): void {
  for (const detail of details) {
    const key = toDetailKey(detail)
    const before = groups.get(key)
    groups.set(key, before === undefined ? detail : addDetail(before, detail))
  }
}

function addDetail(a: UsageDetail, b: UsageDetail): UsageDetail {
  return {
    ...a,
    settled: a.settled + b.settled,
    charged: a.charged + b.charged,
    durationMs: a.durationMs + b.durationMs,
    refunds: addRefunds(a.refunds, b.refunds),
  }
}

export function addRefunds(
  a: UsageDetail['refunds'],
  b: UsageDetail['refunds'],
): UsageDetail['refunds'] {
  const sum: { [cause in RefundCause]?: RefundSum } = { ...a }
  for (const [cause, [calls, givenBack]] of listRefunds(b)) {
    const [callsBefore, givenBackBefore] = sum[cause] ?? [0, 0]
    sum[cause] = [callsBefore + calls, givenBackBefore + givenBack]
  }
  return sum
}

export function listRefunds(
  refunds: UsageDetail['refunds'],
): readonly (readonly [cause: RefundCause, sum: RefundSum])[] {
  return Object.entries(refunds) as unknown as [RefundCause, RefundSum][]
}

/** The details in the order of their keys. */
export function sortDetails(groups: DetailGroups): readonly UsageDetail[] {
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, detail]) => detail)
}

/** The detail as a sum with this name. */
export function toSumOfDetail(
  { charged, durationMs, refunds, settled }: UsageDetail,
  name: Pick<UsageSum, 'name' | 'source' | 'uid'>,
): UsageSum {
  let [refunded, givenBack] = [0, 0]
  const reasons: { [reason in RefundReason]?: number } = {}
  for (const [cause, [calls, credits]] of listRefunds(refunds)) {
    refunded += calls
    givenBack += credits
    if (cause !== 'other') reasons[cause] = calls
  }
  return { ...name, settled, refunded, charged, givenBack, durationMs, reasons }
}

type WrittenDetail = readonly [
  uid: string,
  keyId: string,
  skillId: string,
  source: SkillSource,
  settled: number,
  charged: number,
  durationMs: number,
  refunds: UsageDetail['refunds'] | 0,
]

/** JSON without names, which {@link readDetails} reads in a list. */
export function writeDetail(detail: UsageDetail): string {
  const { charged, durationMs, keyId, refunds, settled, skillId, source, uid } = detail
  const sorted = listRefunds(refunds).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const written: WrittenDetail = [
    uid,
    keyId,
    skillId,
    source,
    settled,
    charged,
    durationMs,
    sorted.length === 0 ? 0 : Object.fromEntries(sorted),
  ]
  return JSON.stringify(written)
}

/** Reads a JSON list of {@link writeDetail}. */
export function readDetails(text: string): readonly UsageDetail[] {
  const written: readonly WrittenDetail[] = JSON.parse(text)
  return written.map(([uid, keyId, skillId, source, settled, charged, durationMs, refunds]) => ({
    uid,
    keyId,
    skillId,
    source,
    settled,
    charged,
    durationMs,
    refunds: refunds === 0 ? {} : refunds,
  }))
}
