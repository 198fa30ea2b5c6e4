/**
 * Tells how long rows that were read stay valid. SQLite counts the commits of other connections in
 * `data_version`. Our own transactions that were rolled back count as well, since rows may have been cached
 * while they ran.
 *
 *   callback ─ look ─ promises of it ─────────── next callback ─ look
 *              └────── one look serves all ─────┘
 * This process hears of nothing between the start of a callback (of a socket, a timer) and the end of the
 * promises that it settles. So whatever reads there may have read at the moment of the look.
 */
import { afterPromises } from './turn-end.ts'

export type Epochs = {
  now(): number
  /** Whether `now` answers without a look. */
  isFresh(): boolean
  began(): void
  committed(): void
  rolledBack(): void
}

/** `dataVersion` changes when another connection commits; never does for a database in memory. */
export function epochsOf(dataVersion: () => number): Epochs {
  let epoch = 0
  let version: number | undefined
  let isInside = false
  let isFresh = false
  const endFresh = () => {
    isFresh = false
  }
  const look = () => {
    const now = dataVersion()
    if (now !== version) epoch += 1
    version = now
    if (!isFresh) afterPromises(endFresh)
    isFresh = true
    return epoch
  }
  return {
    // A transaction sees one moment, so one look serves all of it.
    now: () => (isInside || isFresh ? epoch : look()),
    isFresh: () => isFresh,
    began: () => {
      look()
      isInside = true
    },
    committed: () => {
      isInside = false
    },
    rolledBack: () => {
      isInside = false
      epoch += 1
    },
  }
}
