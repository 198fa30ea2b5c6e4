/**
 * Whether lines of the archive add up to the ledger: hour by hour and user by user to the sums, which are
 * kept for ever, and entry by entry to the records that the store still has. Pure: the caller does all the
 * reading. Bound by ADR 0053.
 */
import type { MicroCredits } from '../ledger/ledger.ts'
import type { UsageSum } from '../usage/usage-sum.ts'
import { type ArchiveLine, keyOf } from './archive-entry.ts'
import { nameOf } from './read-objects.ts'

export type LedgerComparison = {
  readonly lines: readonly ArchiveLine[]
  /** By hour since 1970, as the sums of users are kept; hours without sums are left out. */
  readonly sums: ReadonlyMap<number, readonly UsageSum[]>
  /** The hours that `sums` is about. */
  readonly hours: { readonly from: number; readonly to: number }
  /** Lines of the records that the store has. */
  readonly records: readonly ArchiveLine[]
  /** Records of calls that began before this may have ended; those of grants never end. */
  readonly coldBeforeMs: number
}

const HOUR_MS = 3_600_000

export function ledgerFaults(compared: LedgerComparison): readonly string[] {
  return [...recordFaults(compared), ...sumFaults(compared)]
}

function recordFaults({ coldBeforeMs, lines, records }: LedgerComparison): readonly string[] {
  const archived = new Map(lines.map((line) => [keyOf(line), line]))
  const stored = new Set(records.map(keyOf))
  return [
    ...records.flatMap((record) => {
      const line = archived.get(keyOf(record))
      if (line === undefined) return [`${nameOf(record)}: not in the archive`]
      return line.text === record.text ? [] : [`${nameOf(record)}: differs from the ledger`]
    }),
    ...lines
      .filter((line) => line.kind === 'grant' || line.createdAtMs >= coldBeforeMs)
      .filter((line) => !stored.has(keyOf(line)))
      .map((line) => `${nameOf(line)}: in the archive but not in the ledger`),
  ]
}

type Sums = Pick<UsageSum, 'charged' | 'givenBack' | 'refunded' | 'settled'>
const NONE: Sums = { charged: 0, givenBack: 0, refunded: 0, settled: 0 }

function sumFaults({ hours, lines, sums }: LedgerComparison): readonly string[] {
  const wanted = new Map<string, Sums>()
  for (const [hour, users] of sums) {
    for (const sum of users) wanted.set(placeOf(hour, sum.name), sum)
  }
  const found = new Map<string, Sums>()
  for (const line of lines) {
    const hour = Math.floor(line.createdAtMs / HOUR_MS)
    if (line.kind === 'grant' || hour < hours.from || hour > hours.to) continue
    const place = placeOf(hour, line.uid)
    found.set(place, added(found.get(place) ?? NONE, line))
  }
  return [...new Set([...wanted.keys(), ...found.keys()])].sort().flatMap((place) => {
    const [archive, ledger] = [found.get(place) ?? NONE, wanted.get(place) ?? NONE]
    return textOf(archive) === textOf(ledger)
      ? []
      : [`${place}: the archive has ${textOf(archive)}; the ledger's sums have ${textOf(ledger)}`]
  })
}

function placeOf(hour: number, uid: string): string {
  return `${new Date(hour * HOUR_MS).toISOString().slice(0, 13)}h of ${uid}`
}

function added(sums: Sums, { amount, state }: ArchiveLine): Sums {
  return state === 'settled'
    ? { ...sums, settled: sums.settled + 1, charged: sums.charged + amount }
    : { ...sums, refunded: sums.refunded + 1, givenBack: sums.givenBack + amount }
}

function textOf({ charged, givenBack, refunded, settled }: Sums): string {
  return `${settled} settled for ${shown(charged)} and ${refunded} refunded of ${shown(givenBack)}`
}

/** Whole micro-credits as a decimal of credits. */
function shown(amount: MicroCredits): string {
  const text = String(amount).padStart(7, '0')
  return `${text.slice(0, -6)}.${text.slice(-6)}`.replace(/\.?0+$/, '') || '0'
}
