/**
 * Makes one set of rows from the pages of a slot, page by page, so that few of them are in memory. Pages come
 * in the order of their first calls, and the rows of a page are in the order of calls. So a call before the
 * first one of the newest page is in no later page: its rows are complete and leave; the others wait.
 *
 *   page 1: a b c     e        a, b leave when page 2 comes (first: c), c and d when page 3 does (first: e)
 *   page 2:     c d     f
 *   page 3:         e     g
 * Bound by ADR 0086.
 */
import type { CallRow } from './call-row.ts'
import { mergeRows, type UsagePage } from './usage-page.ts'

/** Rows that leave at once, and as many again at most: about a millisecond of work. */
export const PORTION_ROWS = 1_000
/** Rows that wait: 35 MB. Calls of 15 s need fewer at 3,000 a second. */
export const ROWS_WAITING_MAX = 50_000

export type PageMerge = {
  /** False when pages are not in order, or too many rows wait: then the rows that left do not count. */
  add(page: Pick<UsagePage, 'rows'>): boolean
  /** There are no more pages. */
  end(): void
  /** The next complete rows, one for each call; none when all others wait. */
  take(): readonly CallRow[]
  /** Rows that have not left. */
  waiting(): number
}

type OpenPage = { rows: readonly CallRow[]; next: number }

export function mergePages(): PageMerge {
  let open: OpenPage[] = []
  let waiting = 0
  /** Calls before this one are complete; undefined: all are. */
  let below: string | undefined = ''
  return {
    add: ({ rows }) => {
      const [first] = rows
      if (first === undefined) return true
      if (below === undefined || first.callId < below || !isSorted(rows)) return false
      if (waiting > ROWS_WAITING_MAX) return false
      open.push({ rows, next: 0 })
      waiting += rows.length
      below = first.callId
      return true
    },
    end: () => {
      below = undefined
    },
    take: () => {
      const taken: CallRow[] = []
      while (taken.length < PORTION_ROWS && open.length > 0) {
        const rows = takeSome(open, below)
        if (rows.length === 0) break
        taken.push(...rows)
        open = open.filter((page) => page.next < page.rows.length)
      }
      waiting -= taken.length
      return mergeRows(taken)
    },
    waiting: () => waiting,
  }
}

/** All rows of the next calls, PORTION_ROWS of all pages at most, but for rows of one call. */
function takeSome(open: readonly OpenPage[], below: string | undefined): readonly CallRow[] {
  const share = Math.max(1, Math.floor(PORTION_ROWS / open.length))
  const last = leastOf(open.map((page) => callAt(page, share)))
  return open.flatMap((page) => {
    const from = page.next
    const isTaken = ({ callId }: CallRow) =>
      callId <= last && (below === undefined || callId < below)
    let to = from
    for (let row = page.rows[to]; row !== undefined && isTaken(row); row = page.rows[to]) to += 1
    const taken = page.rows.slice(from, to)
    page.next = to
    dropTaken(page)
    return taken
  })
}

/** The call of the row that is so many rows on, or of the last one. */
function callAt({ next, rows }: OpenPage, share: number): string {
  return rows[Math.min(next + share, rows.length) - 1]?.callId ?? ''
}

function leastOf(ids: readonly string[]): string {
  let least = ids[0] ?? ''
  for (const id of ids) if (id < least) least = id
  return least
}

/** A page of which little is left does not keep all of its rows. */
function dropTaken(page: OpenPage): void {
  if (2 * page.next < page.rows.length) return
  page.rows = page.rows.slice(page.next)
  page.next = 0
}

function isSorted(rows: readonly CallRow[]): boolean {
  return rows.every(({ callId }, index) => index === 0 || (rows[index - 1]?.callId ?? '') <= callId)
}
