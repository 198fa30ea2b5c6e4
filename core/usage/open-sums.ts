/** Sums of one series that grow call by call. They use memory for each name, not for each call. */
import type { CallRow } from './call-row.ts'
import { countDuration, type DurationCounts } from './durations.ts'
import { type HourSums, type Series, toSumKey, type UsageSum } from './usage-sum.ts'

export type OpenSums = {
  /** Adds rows of calls that were not added before. */
  add(rows: readonly CallRow[]): void
  /** The sums so far, in no order. */
  read(): readonly UsageSum[]
}

type Writable<T> = { -readonly [name in keyof T]: T[name] }
type OpenSum = Writable<Omit<UsageSum, 'durations' | 'reasons'>> & {
  reasons: Writable<UsageSum['reasons']>
  /** Settled calls of shared skills by the bucket of their duration. */
  readonly buckets: Map<number, number>
}

/** Sums of one series, without any call yet. */
export function createOpenSums(series: Series): OpenSums {
  const sums = new Map<string, OpenSum>()
  return {
    add: (rows) => {
      for (const row of rows) {
        const sumName = TO_SUM_NAME[series](row)
        const key = toSumKey(sumName)
        let sum = sums.get(key)
        if (sum === undefined) {
          sum = { ...sumName, ...ZERO_SUM, reasons: {}, buckets: new Map() }
          sums.set(key, sum)
        }
        addRow(sum, row)
        if (series === 'skill') addDuration(sum, row)
      }
    },
    read: () => Array.from(sums.values(), closeSum),
  }
}

/** Sums of all series of an hour or a part of it. */
export function createOpenHour(): { add: OpenSums['add']; read(): HourSums } {
  const [skill, user, key] = [
    createOpenSums('skill'),
    createOpenSums('user'),
    createOpenSums('key'),
  ]
  return {
    add: (rows) => {
      for (const sums of [skill, user, key]) sums.add(rows)
    },
    read: () => ({ skill: skill.read(), user: user.read(), key: key.read() }),
  }
}

type SumName = Pick<UsageSum, 'name' | 'source' | 'uid'>

const TO_SUM_NAME: { readonly [series in Series]: (row: CallRow) => SumName } = {
  skill: ({ skillId, source }) => ({ name: skillId, source }),
  user: ({ uid }) => ({ name: uid }),
  key: ({ keyId, uid }) => ({ name: keyId ?? '', uid }),
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

function addDuration({ buckets }: OpenSum, { durationMs, source, state }: CallRow): void {
  if (state !== 'settled' || source === 'private') return
  const [bucket = 0] = countDuration(durationMs)
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1)
}

function closeSum({ buckets, ...sum }: OpenSum): UsageSum {
  if (buckets.size === 0) return sum
  const durations: DurationCounts = [...buckets].sort(([a], [b]) => a - b).flat()
  return { ...sum, durations }
}
