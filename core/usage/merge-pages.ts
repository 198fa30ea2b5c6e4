/**
 * Merges the pages of a slot into one set of rows, page by page, so that few rows are in memory.
 * Pages come in the order of their first calls, and the rows of a page are in the order of calls.
 * So no later page has a call before the first one of the newest page: such rows are complete and
 * can be taken. The other rows wait. Bound by docs/design/usage.md#the-open-hour.
 *
 *   page 1: a b c     e        a, b are taken when page 2 comes (first: c),
 *   page 2:     c d     f      c and d when page 3 comes (first: e)
 *   page 3:         e     g
 */
import type { CallRow } from './call-row.ts'
import { mergeRows, type UsagePage } from './usage-page.ts'

/** Rows that are taken at once, and at most as many again: about a millisecond of work. */
export const PORTION_ROWS = 1_000
/** Rows that wait: 35 MB. Calls of 15 s need fewer rows at 3,000 calls a second. */
export const ROWS_WAITING_MAX = 50_000

export type PageMerge = {
  /**
   * Returns false if pages are not in order or too many rows wait. Then all rows taken so far are
   * invalid.
   */
  add(page: Pick<UsagePage, 'rows'>): boolean
  /** Call it after the last page. */
  end(): void
  /** The next complete rows, one for each call; none if all others wait. */
  take(): readonly CallRow[]
  /** Number of rows that are not taken. */
  waiting(): number
}

type OpenPage = { rows: readonly CallRow[]; next: number }

/** A merge of one slot, without pages yet. */
export function createPageMerge(): PageMerge {
  let open: OpenPage[] = []
  let waiting = 0
  /** Calls before this one are complete; undefined once all are. */
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
        const rows = takeFromPages(open, below)
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

/**
 * All rows of the next calls. They are at most PORTION_ROWS of all pages, or more if one call has
 * more rows.
 */
function takeFromPages(open: readonly OpenPage[], below: string | undefined): readonly CallRow[] {
  const share = Math.max(1, Math.floor(PORTION_ROWS / open.length))
  const last = findLeast(open.map((page) => findCallAt(page, share)))
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

/** The call of the row `share` rows further on, or of the last row. */
function findCallAt({ next, rows }: OpenPage, share: number): string {
  return rows[Math.min(next + share, rows.length) - 1]?.callId ?? ''
}

function findLeast(ids: readonly string[]): string {
  let least = ids[0] ?? ''
  for (const id of ids) if (id < least) least = id
  return least
}

/** Drops taken rows once at least half of a page is taken. */
function dropTaken(page: OpenPage): void {
  if (2 * page.next < page.rows.length) return
  page.rows = page.rows.slice(page.next)
  page.next = 0
}

function isSorted(rows: readonly CallRow[]): boolean {
  return rows.every(({ callId }, index) => index === 0 || (rows[index - 1]?.callId ?? '') <= callId)
}
