/**
 * Lists and ends the logins of a user for administrators. A login is listed once its client has got
 * tokens, until it ends. Bound by docs/login.md.
 */
import { LOGINS_PAGE_DEFAULT, LOGINS_PAGE_MAX } from '../../access/limits.ts'
import { refuseUnknownUser } from '../../access/user-names.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { readPageStart, writeCursor } from '../../json/cursor.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import { isAlive, type Login } from '../../login/login.ts'
import { toShownHost } from '../../login/redirects.ts'
import { HANDLE_CHARS } from '../../login/tokens.ts'
import type { Ports } from '../../ports/ports.ts'

export type LoginView = {
  readonly loginId: string
  /** As the client calls itself; nobody has checked it. */
  readonly clientName: string
  /** The host of the client's own description; absent for a client that registered itself. */
  readonly clientHost?: string
  /** Where the person's browser went back to. */
  readonly redirectHost: string
  /** The key under which the client calls. */
  readonly keyId: string
  readonly createdAtMs: number
  readonly lastRefreshAtMs: number
}

type Needs = {
  readonly clock: Ports['clock']
  readonly logins: Pick<Ports['logins'], 'list'>
  readonly profiles: Pick<Ports['profiles'], 'read'>
}

/** Lists logins that have not ended, newest first. Refuses with `not_found` an unknown user. */
export async function listLogins(
  { clock, logins, profiles }: Needs,
  uid: string,
  query: PageQuery,
): Promise<Result<{ logins: readonly LoginView[]; nextCursor?: string }>> {
  const limit = readPageLimit(query.limit, { max: LOGINS_PAGE_MAX, otherwise: LOGINS_PAGE_DEFAULT })
  if (!limit.ok) return limit
  const place = readPageStart(query.cursor, parsePlace)
  if (!place.ok) return place
  const after = place.value
  const [profile, records] = await Promise.all([profiles.read(uid), logins.list(uid)])
  if (profile === undefined) return refuseUnknownUser(uid)
  const nowMs = clock.nowMs()
  const following = records
    .filter((one) => one.generation > 0 && isAlive(one, nowMs))
    .sort(compareAge)
    .filter((one) => after === undefined || compareAge(one, after) > 0)
  const page = following.slice(0, limit.value)
  const last = page.at(-1)
  const shown = { logins: page.map(toLoginView) }
  if (last === undefined || following.length === page.length) return ok(shown)
  return ok({ ...shown, nextCursor: writeCursor(`${last.createdAtMs}:${last.id}`) })
}

/**
 * Ends a login. Its tokens are refused at once, and within KEY_CACHE_MS (30 s) by functions that
 * have read them. Sent again it does the same again, so an end that was interrupted is completed.
 * Refuses with `not_found` a login that this user does not have.
 */
export async function endLogin(
  { logins }: { readonly logins: Pick<Ports['logins'], 'end' | 'find'> },
  { loginId, uid }: { readonly uid: string; readonly loginId: string },
): Promise<Result<undefined>> {
  const login = await findLogin(logins, { uid, loginId })
  if (!login.ok) return login
  await logins.end(loginId)
  return ok(undefined)
}

/** Shows a login, also one that ended. Refuses with `not_found` as {@link endLogin} does. */
export async function showLogin(
  { logins }: { readonly logins: Pick<Ports['logins'], 'find'> },
  of: { readonly uid: string; readonly loginId: string },
): Promise<Result<LoginView>> {
  const login = await findLogin(logins, of)
  return login.ok ? ok(toLoginView(login.value)) : login
}

async function findLogin(
  logins: Pick<Ports['logins'], 'find'>,
  { loginId, uid }: { readonly uid: string; readonly loginId: string },
): Promise<Result<Login>> {
  const login = await logins.find(loginId)
  if (login?.uid === uid) return ok(login)
  return refuse('not_found', 'loginId: this user has no such login.', {
    remedy: { code: 'list_logins', uid },
  })
}

export const LOGIN_ID_PATTERN = `^[A-Za-z0-9_-]{${HANDLE_CHARS}}$`

type Place = Pick<Login, 'createdAtMs' | 'id'>

function parsePlace(position: string): Place | undefined {
  const match = /^(\d{1,15}):([A-Za-z0-9_-]{22})$/.exec(position)
  return match?.[2] === undefined ? undefined : { createdAtMs: Number(match[1]), id: match[2] }
}

function compareAge(a: Place, b: Place): number {
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs
  if (a.id === b.id) return 0
  return a.id < b.id ? -1 : 1
}

function toLoginView(login: Login): LoginView {
  return {
    loginId: login.id,
    clientName: login.clientName,
    ...(login.clientHost === undefined ? {} : { clientHost: login.clientHost }),
    redirectHost: toShownHost(login.redirectUri),
    keyId: login.keyHash,
    createdAtMs: login.createdAtMs,
    lastRefreshAtMs: login.rotatedAtMs,
  }
}
