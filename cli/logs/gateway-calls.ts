/**
 * Reads ended calls from the gateway's own list, as entries of a log. The list lacks calls that
 * were refused before their price was held. A call is listed when it ends, by the time of its
 * start, so each poll reads back as far as a call may last.
 */
import { type AdminClient, type Fields, toFields } from '../gateway/admin-client.ts'
import type { CallFilter } from './call-filter.ts'
import type { LogEntry } from './log-entry.ts'

/** How far a poll reads back: a call lasts 15 s at most, and is listed up to a minute later. */
const READ_BACK_MS = 120_000

export async function fetchGatewayCalls(
  admin: AdminClient,
  filter: CallFilter,
  range: { readonly sinceMs: number; readonly rowsMax: number },
): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = []
  let cursor: string | undefined
  do {
    const query = { ...filter, since: String(range.sinceMs), limit: '200', cursor }
    const page = await admin.send({ method: 'GET', path: '/calls', query })
    const calls: readonly unknown[] = Array.isArray(page['calls']) ? page['calls'] : []
    entries.push(...calls.map(toFields).map(toEntry))
    cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined
  } while (cursor !== undefined && entries.length < range.rowsMax)
  return entries.slice(0, range.rowsMax)
}

/** Returns the time from which the next poll reads. */
export function getNextCallSinceMs(nowMs: number): number {
  return nowMs - READ_BACK_MS
}

function toEntry(call: Fields): LogEntry {
  const { callId, durationMs, startedAtMs, uid } = call
  return {
    id: `${uid}/${callId}`,
    atMs: Number(startedAtMs) + Number(durationMs ?? 0),
    fields: call,
  }
}
