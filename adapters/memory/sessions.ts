/**
 * In-memory twin of the port Sessions. Each change rings the session's bell, so that a tail in this
 * process hears of it at once. Expired sessions are not seen, swept or not. Bound by
 * docs/service.md, Sessions.
 */
import type { Clock, Sessions } from '../../core/ports.ts'
import { PENDING_MAX, sessionExpiresAtMs } from '../../core/session/limits.ts'
import type { Session } from '../../core/session/session.ts'
import { type Database, ONLY, type SessionRow } from './database.ts'

type Post = Parameters<Sessions['accept']>[0]

export function memorySessions(database: Database, clock: Clock): Sessions {
  database.sessions.sweep(clock.nowMs())
  const find = (hash: string) => findSession(database, hash, clock.nowMs())
  const store = (row: SessionRow) => {
    database.sessions.put(row.session.hash, ONLY, row)
    database.sessions.sweepSome(clock.nowMs())
    database.bells.ring(row.session.hash)
  }
  const change = (row: SessionRow, changed: Partial<Session>) =>
    store({ ...row, session: { ...row.session, ...changed } })
  return {
    // One write token per request, as if each had been accepted: lists of equal length.
    create: async (session) => store({ session, writeTokens: session.pending.map(() => '-') }),
    accept: async (post) => {
      const row = find(post.hash)
      return row === undefined ? undefined : acceptPost(row, post, store)
    },
    read: async (hash) => find(hash)?.session,
    renew: async (hash, aliveUntilMs) => {
      const row = find(hash)
      if (row !== undefined) change(row, { aliveUntilMs })
    },
    forget: async ({ hash, ifBase, base }) => {
      const row = find(hash)
      if (row?.session.base === ifBase) forgetUpTo(database, row, base)
    },
    end: async ({ hash, nowMs, ifSeq }) => {
      const row = find(hash)
      if (row === undefined || row.session.endedAtMs !== undefined) return true
      if (ifSeq !== undefined && row.session.seq !== ifSeq) return false
      change(row, { endedAtMs: nowMs })
      return true
    },
  }
}

export function findSession(
  database: Database,
  hash: string,
  nowMs: number,
): SessionRow | undefined {
  const row = database.sessions.get(hash, ONLY)
  return row === undefined || sessionExpiresAtMs(row.session) <= nowMs ? undefined : row
}

/** A write token that stands already is the same POST again: it gets the answer of the first time. */
function acceptPost(
  row: SessionRow,
  { client, nowMs, writeToken, request }: Post,
  store: (row: SessionRow) => void,
): Session | 'full' | undefined {
  const { session, writeTokens } = row
  const standing = request === undefined ? -1 : writeTokens.indexOf(writeToken)
  if (standing >= 0) {
    const pending = session.pending.slice(0, standing + 1)
    return { ...session, seq: session.base + pending.length, pending }
  }
  if (session.endedAtMs !== undefined || session.aliveUntilMs <= nowMs) return undefined
  const renewed = { ...session, lastPostAtMs: nowMs }
  if (request === undefined) {
    store({ session: renewed, writeTokens })
    return renewed
  }
  if (session.pending.length >= PENDING_MAX) return 'full'
  const named = client === undefined ? renewed : { ...renewed, client }
  const accepted = { ...named, seq: session.seq + 1, pending: [...session.pending, request] }
  store({ session: accepted, writeTokens: [...writeTokens, writeToken] })
  return accepted
}

/** The delivered replies go too: nobody asks for them again, and memory is not free. */
function forgetUpTo(database: Database, { session, writeTokens }: SessionRow, base: number): void {
  const dropped = base - session.base
  const forgotten = {
    session: { ...session, base, pending: session.pending.slice(dropped) },
    writeTokens: writeTokens.slice(dropped),
  }
  const delivered = Array.from({ length: dropped }, (_, index) =>
    database.replies.removing(session.hash, String(session.base + 1 + index)),
  )
  database.commit([database.sessions.putting(session.hash, ONLY, forgotten), ...delivered])
  database.bells.ring(session.hash)
}
