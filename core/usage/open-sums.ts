/** Sums that grow call by call. They use memory for each name, not for each call. */
import type { CallRow } from './call-row.ts'
import { countDuration, type DurationCounts } from './durations.ts'
import { isToolFailure } from './tool-failure.ts'
import { type RefundCause, toDetail, toDetailKey, type UsageDetail } from './usage-detail.ts'
import { toSumKey, type UsageSum } from './usage-sum.ts'

export type OpenSums<T> = {
  /** Adds rows of calls that were not added before. */
  add(rows: readonly CallRow[]): void
  /** The sums so far, in no order. */
  read(): readonly T[]
}

type Writable<T> = { -readonly [name in keyof T]: T[name] }
type OpenSum = Writable<Omit<UsageSum, 'durations' | 'failures' | 'reasons'>> & {
  reasons: Writable<UsageSum['reasons']>
  /** Settled calls of shared skills by the bucket of their duration. */
  readonly buckets: Map<number, number>
  failures: number
}

/** Sums of skills, without any call yet. */
export function createOpenSkills(): OpenSums<UsageSum> {
  const sums = new Map<string, OpenSum>()
  return {
    add: (rows) => {
      for (const row of rows) {
        const name = { name: row.skillId, source: row.source }
        const key = toSumKey(name)
        let sum = sums.get(key)
        if (sum === undefined) {
          sum = { ...name, ...ZERO_SUM, reasons: {}, buckets: new Map(), failures: 0 }
          sums.set(key, sum)
        }
        addRow(sum, row)
        addMeasure(sum, row)
      }
    },
    read: () => Array.from(sums.values(), closeSum),
  }
}

type OpenDetail = Writable<Omit<UsageDetail, 'refunds'>> & {
  refunds: { [cause in RefundCause]?: [calls: number, givenBack: number] }
}

/** Details, without any call yet. */
export function createOpenDetails(): OpenSums<UsageDetail> {
  const details = new Map<string, OpenDetail>()
  return {
    add: (rows) => {
      for (const row of rows) {
        const key = toDetailKey({ ...row, keyId: row.keyId ?? '' })
        let detail = details.get(key)
        if (detail === undefined) {
          detail = { ...toDetail(row), settled: 0, charged: 0, durationMs: 0, refunds: {} }
          details.set(key, detail)
        }
        addToDetail(detail, row)
      }
    },
    read: () => [...details.values()],
  }
}

export type HourSums = {
  readonly skills: readonly UsageSum[]
  readonly details: readonly UsageDetail[]
}

/** All sums of an hour or a part of it. */
export function createOpenHour(): { add(rows: readonly CallRow[]): void; read(): HourSums } {
  const [skills, details] = [createOpenSkills(), createOpenDetails()]
  return {
    add: (rows) => {
      skills.add(rows)
      details.add(rows)
    },
    read: () => ({ skills: skills.read(), details: details.read() }),
  }
}

const ZERO_SUM = { settled: 0, refunded: 0, charged: 0, givenBack: 0, durationMs: 0 }

function addRow(sum: OpenSum, { amount, durationMs, reason, state }: CallRow): void {
  sum.durationMs += durationMs
  if (state === 'settled') {
    sum.settled += 1
    sum.charged += amount
  } else {
    sum.refunded += 1
    sum.givenBack += amount
  }
  if (reason !== undefined) sum.reasons[reason] = (sum.reasons[reason] ?? 0) + 1
}

function addToDetail(detail: OpenDetail, { amount, durationMs, reason, state }: CallRow): void {
  detail.durationMs += durationMs
  if (state === 'settled') {
    detail.settled += 1
    detail.charged += amount
    return
  }
  const cause = reason ?? 'other'
  const refund = detail.refunds[cause] ?? [0, 0]
  refund[0] += 1
  refund[1] += amount
  detail.refunds[cause] = refund
}

/** Counts what the catalog shows of a shared skill: durations of successes, and failures. */
function addMeasure(sum: OpenSum, row: CallRow): void {
  if (row.source === 'private') return
  if (isToolFailure(row)) sum.failures += 1
  if (row.state !== 'settled') return
  const [bucket = 0] = countDuration(row.durationMs)
  sum.buckets.set(bucket, (sum.buckets.get(bucket) ?? 0) + 1)
}

function closeSum({ buckets, failures, ...sum }: OpenSum): UsageSum {
  const durations: DurationCounts = [...buckets].sort(([a], [b]) => a - b).flat()
  return {
    ...sum,
    ...(durations.length === 0 ? {} : { durations }),
    ...(failures === 0 ? {} : { failures }),
  }
}
