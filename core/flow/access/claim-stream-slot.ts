/**
 * Claims a place among the open streams for one that has its lease already: SSE sessions and listen
 * streams share the limits. Ends the key's idlest streams where the key has too many. Bound by
 * docs/service.md, Stream leases.
 */

import type { Ports } from '../../ports.ts'
import { chooseEvicted, judgeLeases } from '../../session/lease-policy.ts'
import type { StreamLease } from '../../session/session.ts'
import type { Settings } from '../../settings.ts'

type Needs = Pick<Ports, 'clock' | 'leases' | 'log' | 'sessions'>

/** Undefined when the stream has its place; else why not. Ends the key's idlest streams for it. */
export async function claimStreamSlot(
  ports: Needs,
  settings: Settings,
  own: StreamLease,
): Promise<string | undefined> {
  const leases = await ports.leases.list(ports.clock.nowMs())
  const judged = judgeLeases(leases, own, settings.streams)
  switch (judged.kind) {
    case 'fits':
      noteOpened(ports, leases.length)
      return undefined
    case 'full':
      // Without its own, which is about to be removed.
      ports.log.note('warn', 'streams-full', {
        limit: judged.limit,
        max: judged.max,
        count: leases.length - 1,
      })
      return `All ${judged.max} places for ${judged.limit === 'anonymous' ? 'anonymous ' : ''}streams are taken. Try again later.`
    case 'key-full':
      if (await evictIdle(ports, judged.others, judged.surplus)) {
        noteOpened(ports, leases.length - judged.surplus)
        return undefined
      }
      return `This key has ${settings.streams.perKeyMax} open streams, each with a request in the last minute. Close one, or use another key.`
    default:
      return judged satisfies never
  }
}

/** `count`: the open streams of everybody, this one among them. */
function noteOpened(ports: Pick<Needs, 'log'>, count: number): void {
  ports.log.note('info', 'stream-opened', { count })
}

/** Ends `surplus` of the key's other streams, idlest first; false when too many are in use. */
async function evictIdle(
  ports: Needs,
  others: readonly StreamLease[],
  surplus: number,
): Promise<boolean> {
  const nowMs = ports.clock.nowMs()
  const known = await Promise.all(
    others.map(async (lease) => {
      const session = await ports.sessions.read(lease.session)
      const over = session === undefined || session.endedAtMs !== undefined
      const posted = session !== undefined && session.lastPostAtMs > session.createdAtMs
      return {
        session: lease.session,
        posted: posted && !over,
        // A listen stream has no session: the one opened first goes first.
        lastPostAtMs: session === undefined ? lease.openedAtMs : over ? 0 : session.lastPostAtMs,
      }
    }),
  )
  const evicted = chooseEvicted(known, surplus, nowMs)
  if (evicted === undefined) return false
  const byHash = new Map(others.map((lease) => [lease.session, lease]))
  await Promise.all(
    evicted.map(async (hash) => {
      await ports.sessions.end({ hash, nowMs })
      const lease = byHash.get(hash)
      if (lease !== undefined) await ports.leases.remove(lease)
    }),
  )
  ports.log.note('info', 'streams-evicted', { count: evicted.length })
  return true
}
