/** Reads lists of the admin API page by page. */

import { toUtcSecond } from '../../core/json/utc-time.ts'
import { getOption, type Invocation, isOn, type Option } from '../command/command.ts'
import { toUsageFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import {
  type AdminClient,
  type AdminRequest,
  type Fields,
  toFields,
  toRows,
} from './admin-client.ts'

const ROWS_DEFAULT = 100

export const PAGE_OPTIONS: readonly Option[] = [
  { flag: 'limit', value: 'N', help: `show this many rows at most (${ROWS_DEFAULT})` },
  { flag: 'all', help: 'show all rows' },
]

/**
 * Returns as many rows as `--limit` or `--all` wants. Notes on stderr if there are more. `things`
 * is the field of a page that holds the rows.
 */
export async function fetchRows(
  call: Invocation,
  admin: AdminClient,
  request: Pick<AdminRequest, 'path' | 'query'>,
  things: string,
): Promise<readonly Fields[]> {
  const wanted = countWanted(call)
  const rows: Fields[] = []
  let cursor: string | undefined
  do {
    const query = { ...request.query, cursor }
    const page = await admin.send({ method: 'GET', path: request.path, query })
    const found = page[things]
    if (Array.isArray(found)) rows.push(...found.map(toFields))
    cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined
    if (cursor === undefined) noteArchived(call, page, query)
  } while (cursor !== undefined && rows.length < wanted)
  if (cursor !== undefined || rows.length > wanted) noteMore(call, wanted)
  return rows.slice(0, wanted)
}

/** Returns all rows, whatever the options of the command say. */
export function fetchAllRows(
  call: Invocation,
  admin: AdminClient,
  request: Pick<AdminRequest, 'path' | 'query'>,
  things: string,
): Promise<readonly Fields[]> {
  return fetchRows({ ...call, given: { ...call.given, all: ['true'] } }, admin, request, things)
}

/**
 * Returns as many rows of an answer without pages as `--limit` or `--all` wants. Notes on stderr if
 * there are more.
 */
export function takeRows(call: Invocation, found: unknown): readonly Fields[] {
  const wanted = countWanted(call)
  const rows = toRows(found)
  if (rows.length > wanted) noteMore(call, wanted)
  return rows.slice(0, wanted)
}

function noteMore(call: Invocation, wanted: number): void {
  call.shell.err.write(`There are more rows than ${wanted}: --limit N or --all shows them.\n`)
}

/**
 * Prints a note if the list was filtered by a time before the oldest call that the gateway keeps.
 */
function noteArchived(call: Invocation, page: Fields, query: AdminRequest['query'] = {}): void {
  const keptSinceMs = page['keptSinceMs']
  const from = query['since'] ?? query['until']
  if (typeof keptSinceMs !== 'number' || from === undefined) return
  const fromMs = /^\d+$/.test(from) ? Number(from) : Date.parse(from)
  if (fromMs >= keptSinceMs) return
  printNote(call.shell, `Calls before ${toUtcSecond(keptSinceMs)} are only in the archive.`)
}

/** The rows that `--limit` or `--all` wants. */
function countWanted(call: Invocation): number {
  if (isOn(call, 'all')) return Number.POSITIVE_INFINITY
  const text = getOption(call, 'limit')
  if (text === undefined) return ROWS_DEFAULT
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw toUsageFault(
    `--limit: ${text} is not a whole number above 0.`,
    'Write --limit 20, or --all.',
  )
}
