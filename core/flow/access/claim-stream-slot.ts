/**
 * Claims a place among the open streams for a stream that has its lease already: SSE sessions and listen
 * streams share the limits. Ends the key's idlest streams where the key has too many. Waits for younger
 * openers of its first list that are in its way, since they may be refused themselves; later ones have it
 * in their lists. Bound by docs/service.md, Stream leases, and ADR 0058.
 */

import type { Ports } from '../../ports.ts'
import {
  chooseEvicted,
  claimTriesMax,
  countedLeases,
  judgeLeases,
  type LeaseJudgement,
} from '../../session/lease-policy.ts'
import type { StreamLease } from '../../session/session.ts'
import type { Settings } from '../../settings.ts'

type Needs = Pick<Ports, 'clock' | 'leases' | 'log' | 'sessions'>

/** Longer than an opener usually takes from its lease to its decision; twice this after the first look. */
export const CLAIM_PAUSE_MS = 100

/** Undefined when the stream has its place; else why not. Ends the key's idlest streams for it. */
export async function claimStreamSlot(
  ports: Needs,
  settings: Settings,
  own: StreamLease,
): Promise<string | undefined> {
  let seenFirst: ReadonlySet<string> | undefined
  for (let tries = 1; ; tries += 1) {
    const listed = await ports.leases.list(ports.clock.nowMs())
    seenFirst ??= new Set(listed.map(({ session }) => session))
    const leases = countedLeases(listed, own, seenFirst)
    // A younger stream of the key has taken the place.
    if (!leases.some((one) => one.session === own.session)) return keyIsFull(settings)
    const judged = judgeLeases(leases, own, settings.streams)
    const placed = await takePlace(ports, judged)
    if (placed !== undefined) {
      ports.log.note('info', 'stream-opened', { count: leases.length - placed.ended })
      return undefined
    }
    const isContested = judged.kind !== 'fits' && judged.contested
    if (!isContested || tries >= claimTriesMax(leases, own)) {
      return refusalOf(ports, settings, judged, leases.length)
    }
    await ports.clock.sleep(tries === 1 ? CLAIM_PAUSE_MS : 2 * CLAIM_PAUSE_MS)
  }
}

/** Undefined when there is no place. */
async function takePlace(
  ports: Needs,
  judged: LeaseJudgement,
): Promise<{ readonly ended: number } | undefined> {
  switch (judged.kind) {
    case 'fits':
      return { ended: 0 }
    case 'full':
      return undefined
    case 'key-full':
      return (await evictIdle(ports, judged.others, judged.surplus))
        ? { ended: judged.surplus }
        : undefined
    default:
      return judged satisfies never
  }
}

function refusalOf(
  ports: Needs,
  settings: Settings,
  judged: LeaseJudgement,
  count: number,
): string {
  if (judged.kind !== 'full') return keyIsFull(settings)
  const { limit, max } = judged
  // The count leaves out this stream's own lease, which is about to be removed.
  ports.log.note('warn', 'streams-full', { limit, max, count: count - 1 })
  return `All ${max} places for ${limit === 'anonymous' ? 'anonymous ' : ''}streams are taken. Try again later.`
}

function keyIsFull({ streams }: Settings): string {
  return `This key has ${streams.perKeyMax} open streams, each with a request in the last minute. Close one, or use another key.`
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
