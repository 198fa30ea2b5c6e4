/** Lists of the admin API, page by page. */
import { type Invocation, isOn, type Option, option } from '../command/command.ts'
import { usageFault } from '../command/exit-code.ts'
import { type AdminClient, type AdminRequest, type Fields, fieldsOf } from './admin-client.ts'

const ROWS_DEFAULT = 100

export const PAGE_OPTIONS: readonly Option[] = [
  { flag: 'limit', value: 'N', help: `show this many rows at most (${ROWS_DEFAULT})` },
  { flag: 'all', help: 'show all rows' },
]

/** Rows of as many pages as `--limit` or `--all` ask for; a word on stderr when there are more. */
export async function rowsOf(
  call: Invocation,
  admin: AdminClient,
  request: Pick<AdminRequest, 'path' | 'query'>,
  things: string,
): Promise<readonly Fields[]> {
  const wanted = isOn(call, 'all') ? Number.POSITIVE_INFINITY : countOf(option(call, 'limit'))
  const rows: Fields[] = []
  let cursor: string | undefined
  do {
    const query = { ...request.query, cursor }
    const page = await admin.send({ method: 'GET', path: request.path, query })
    const found = page[things]
    if (Array.isArray(found)) rows.push(...found.map(fieldsOf))
    cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined
  } while (cursor !== undefined && rows.length < wanted)
  if (cursor !== undefined || rows.length > wanted) {
    call.shell.err.write(`There are more than ${wanted} rows: --limit N or --all shows them.\n`)
  }
  return rows.slice(0, wanted)
}

function countOf(text: string | undefined): number {
  if (text === undefined) return ROWS_DEFAULT
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw usageFault(`--limit: ${text} is not a whole number above 0.`, 'Write --limit 20, or --all.')
}
