/**
 * Compares lines of the archive with the ledger: by hour and user with the sums, which are kept for
 * ever, and entry by entry with the records that the store still has. The caller does all the
 * reading. Bound by ADR 0053.
 */
import type { MicroCredits } from '../ledger/ledger.ts'
import type { UsageSum } from '../usage/usage-sum.ts'
import { type ArchiveLine, toEntryKey } from './archive-entry.ts'
import { describeEntry } from './read-objects.ts'

export type LedgerComparison = {
  readonly lines: readonly ArchiveLine[]
  /** Sums of users by hour since 1970; hours without sums are absent. */
  readonly sums: ReadonlyMap<number, readonly UsageSum[]>
  /** The hours that `sums` covers, both included. */
  readonly hours: { readonly from: number; readonly to: number }
  /** Lines of the records that the store still has. */
  readonly records: readonly ArchiveLine[]
  /**
   * Records of calls that began before this time may have expired. Records of grants never expire.
   */
  readonly coldBeforeMs: number
}

const HOUR_MS = 3_600_000

/** Returns one sentence for each difference; [] if the archive agrees with the ledger. */
export function findLedgerDifferences(compared: LedgerComparison): readonly string[] {
  return [...findRecordDifferences(compared), ...findSumDifferences(compared)]
}

function findRecordDifferences({
  coldBeforeMs,
  lines,
  records,
}: LedgerComparison): readonly string[] {
  const archived = new Map(lines.map((line) => [toEntryKey(line), line]))
  const stored = new Set(records.map(toEntryKey))
  return [
    ...records.flatMap((record) => {
      const line = archived.get(toEntryKey(record))
      if (line === undefined) return [`${describeEntry(record)}: not in the archive`]
      return line.text === record.text ? [] : [`${describeEntry(record)}: differs from the ledger`]
    }),
    ...lines
      .filter((line) => line.kind === 'grant' || line.createdAtMs >= coldBeforeMs)
      .filter((line) => !stored.has(toEntryKey(line)))
      .map((line) => `${describeEntry(line)}: in the archive but not in the ledger`),
  ]
}

type Sums = Pick<UsageSum, 'charged' | 'givenBack' | 'refunded' | 'settled'>
const NO_CALLS: Sums = { charged: 0, givenBack: 0, refunded: 0, settled: 0 }

function findSumDifferences({ hours, lines, sums }: LedgerComparison): readonly string[] {
  const wanted = new Map<string, Sums>()
  for (const [hour, users] of sums) {
    for (const sum of users) wanted.set(describeHourOfUser(hour, sum.name), sum)
  }
  const found = new Map<string, Sums>()
  for (const line of lines) {
    const hour = Math.floor(line.createdAtMs / HOUR_MS)
    if (line.kind === 'grant' || hour < hours.from || hour > hours.to) continue
    const hourOfUser = describeHourOfUser(hour, line.uid)
    found.set(hourOfUser, addLine(found.get(hourOfUser) ?? NO_CALLS, line))
  }
  return [...new Set([...wanted.keys(), ...found.keys()])].sort().flatMap((hourOfUser) => {
    const [archive, ledger] = [
      found.get(hourOfUser) ?? NO_CALLS,
      wanted.get(hourOfUser) ?? NO_CALLS,
    ]
    return describeSums(archive) === describeSums(ledger)
      ? []
      : [
          `${hourOfUser}: the archive has ${describeSums(archive)}; the ledger's sums have ${describeSums(ledger)}`,
        ]
  })
}

function describeHourOfUser(hour: number, uid: string): string {
  return `${new Date(hour * HOUR_MS).toISOString().slice(0, 13)}h of ${uid}`
}

function addLine(sums: Sums, { amount, state }: ArchiveLine): Sums {
  return state === 'settled'
    ? { ...sums, settled: sums.settled + 1, charged: sums.charged + amount }
    : { ...sums, refunded: sums.refunded + 1, givenBack: sums.givenBack + amount }
}

function describeSums({ charged, givenBack, refunded, settled }: Sums): string {
  return `${settled} settled for ${formatCredits(charged)} and ${refunded} refunded of ${formatCredits(givenBack)}`
}

/** Writes whole micro-credits as a decimal number of credits. */
function formatCredits(amount: MicroCredits): string {
  const text = String(amount).padStart(7, '0')
  return `${text.slice(0, -6)}.${text.slice(-6)}`.replace(/\.?0+$/, '') || '0'
}
