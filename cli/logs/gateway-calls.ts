/**
 * Ended calls from the gateway's own list, as entries of a log. Calls that were refused before their price
 * was held are not in it. A call is listed by its start when it ends, so each look reaches back as far as a
 * call may last.
 */
import { type AdminClient, type Fields, fieldsOf } from '../gateway/admin-client.ts'
import type { CallFilter } from './call-filter.ts'
import type { LogEntry } from './log-entry.ts'

/** A call lasts 15 s at most, and is listed some seconds later. */
const BACK_MS = 60_000

export async function gatewayCalls(
  admin: AdminClient,
  filter: CallFilter,
  span: { readonly sinceMs: number; readonly rowsMax: number },
): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = []
  let cursor: string | undefined
  do {
    const query = { ...filter, since: String(span.sinceMs), limit: '200', cursor }
    const page = await admin.send({ method: 'GET', path: '/calls', query })
    const calls: readonly unknown[] = Array.isArray(page['calls']) ? page['calls'] : []
    entries.push(...calls.map(fieldsOf).map(entryOf))
    cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined
  } while (cursor !== undefined && entries.length < span.rowsMax)
  return entries.slice(0, span.rowsMax)
}

/** From when the next look reads. */
export function nextLook(nowMs: number): number {
  return nowMs - BACK_MS
}

function entryOf(call: Fields): LogEntry {
  const { callId, durationMs, startedAtMs, uid } = call
  return {
    id: `${uid}/${callId}`,
    atMs: Number(startedAtMs) + Number(durationMs ?? 0),
    fields: call,
  }
}
