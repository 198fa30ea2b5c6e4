/**
 * GET statements/{month}: the balances of all users in a month, page by page: first users who exist,
 * by name, then deleted ones, whose accounts remain. Users who were made after the month are left
 * out. Bound by docs/usage-and-statements.md.
 */
import type { UserPlace } from '../../access/user-directory.ts'
import { ok, type Result } from '../../errors.ts'
import { decodePositionPart, readPageStart, writeCursor } from '../../json/cursor.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import type { Month } from '../../ledger/month.ts'
import type { Ports } from '../../ports/ports.ts'
import type { CreditPrice } from '../../settings/credit-price.ts'
import { STATEMENTS_PAGE_DEFAULT, STATEMENTS_PAGE_MAX } from '../../usage/limits.ts'
import type { StatementOwner, StatementTotals } from '../../usage/statement.ts'
import { computeTotals } from './compute-statement.ts'
import { type MonthSpan, readFacts, readMonth, type StatementNeeds } from './show-statement.ts'

export type StatementLine = StatementOwner & StatementTotals & { readonly complete: boolean }

export type StatementPage = {
  readonly month: Month
  readonly creditPrice?: CreditPrice
  readonly statements: readonly StatementLine[]
  /** Users with too many grants or sums of calls for a statement. */
  readonly tooLarge?: readonly string[]
  readonly nextCursor?: string
}

export type ListStatementsNeeds = StatementNeeds & {
  readonly userDirectory: Pick<Ports['userDirectory'], 'page'>
}

/** Users whose accounts are computed at once. */
const USERS_AT_ONCE = 8

/** Refuses with `malformed` a month that has not begun, and a bad limit or cursor. */
export async function listStatements(
  ports: ListStatementsNeeds,
  query: PageQuery & { readonly month: string },
  price?: CreditPrice | undefined,
): Promise<Result<StatementPage>> {
  const limits = { max: STATEMENTS_PAGE_MAX, otherwise: STATEMENTS_PAGE_DEFAULT }
  const limit = readPageLimit(query.limit, limits)
  if (!limit.ok) return limit
  const place = readPageStart(query.cursor, parsePlace)
  if (!place.ok) return place
  const span = readMonth(query.month, ports.clock.nowMs())
  if (!span.ok) return span
  const { after, phase } = place.value ?? { phase: 'present', after: undefined }
  const filter = phase === 'deleted' ? { state: 'deleted' as const } : {}
  const page = { ...filter, prefix: '', after, limit: limit.value }
  const { next, users } = await ports.userDirectory.page(page)
  const uids = users
    .filter(({ createdAtMs }) => createdAtMs < span.value.untilMs)
    .map(({ uid }) => uid)
  const { lines, tooLarge } = await computeLines(ports, uids, span.value, price)
  const following = findNext(phase, next)
  return ok({
    month: span.value.month,
    ...(price === undefined ? {} : { creditPrice: price }),
    statements: lines,
    ...(tooLarge.length === 0 ? {} : { tooLarge }),
    ...(following === undefined ? {} : { nextCursor: writePlace(following) }),
  })
}

/** A user whose account is too large does not stop the accounts of the others. */
async function computeLines(
  ports: StatementNeeds,
  uids: readonly string[],
  span: MonthSpan,
  price: CreditPrice | undefined,
): Promise<{ readonly lines: readonly StatementLine[]; readonly tooLarge: readonly string[] }> {
  const lines: StatementLine[] = []
  const tooLarge: string[] = []
  for (let at = 0; at < uids.length; at += USERS_AT_ONCE) {
    const some = uids.slice(at, at + USERS_AT_ONCE)
    const read = await Promise.all(some.map((uid) => computeLine(ports, uid, span, price)))
    for (const [index, line] of read.entries()) {
      if (!line.ok) tooLarge.push(some[index] ?? '')
      else if (line.value !== undefined) lines.push(line.value)
    }
  }
  return { lines, tooLarge }
}

async function computeLine(
  ports: StatementNeeds,
  uid: string,
  span: MonthSpan,
  price: CreditPrice | undefined,
): Promise<Result<StatementLine | undefined>> {
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return ok(undefined)
  const facts = await readFacts(ports, profile, span, price)
  if (!facts.ok) return facts
  const { complete, state, username } = facts.value.head
  return ok({ uid, username, state, complete, ...computeTotals(facts.value) })
}

type Place = { readonly phase: 'present' | 'deleted'; readonly after: UserPlace | undefined }

function findNext(phase: Place['phase'], next: UserPlace | undefined): Place | undefined {
  if (next !== undefined) return { phase, after: next }
  return phase === 'present' ? { phase: 'deleted', after: undefined } : undefined
}

function writePlace({ after, phase }: Place): string {
  if (after === undefined) return writeCursor(`${phase}:`)
  return writeCursor(`${phase}:${after.uid}:${encodeURIComponent(after.name)}`)
}

function parsePlace(position: string): Place | undefined {
  const [, phase, uid, encoded] =
    /^(present|deleted):(?:([A-Za-z0-9_-]{1,64}):(.+))?$/.exec(position) ?? []
  if (phase !== 'present' && phase !== 'deleted') return undefined
  if (uid === undefined) return { phase, after: undefined }
  const name = decodePositionPart(encoded)
  return name === undefined ? undefined : { phase, after: { uid, name } }
}
