/**
 * Claims a place among the open streams for a stream that has its lease already: SSE sessions and listen
 * streams share the limits. Ends the key's idlest streams where the key has too many. Waits for younger
 * openers of its first list that are in its way, since they may be refused themselves; later ones have it
 * in their lists. Bound by docs/service.md, Stream leases, and ADR 0058.
 */

import type { Ports } from '../../ports/ports.ts'
import { hasLapsed } from '../../session/lease-end.ts'
import {
  chooseEvicted,
  claimTriesMax,
  countedLeases,
  hasRoom,
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
  const look = await firstLook(ports, settings, own)
  let { leases: listed } = look
  const seenFirst = new Set(listed.map(({ session }) => session))
  for (let tries = 1; ; tries += 1) {
    const leases = countedLeases(listed, own, seenFirst)
    // A younger stream of the key has taken the place.
    if (!leases.some((one) => one.session === own.session)) return keyIsFull(settings)
    const judged = judgeLeases(leases, own, settings.streams)
    const placed = await takePlace(ports, judged)
    // Others count this place as free from then on, as they do that of a stream which was not renewed.
    if (hasLapsed(own.expiresAtMs, ports.clock.nowMs())) return TOO_LATE
    if (placed !== undefined) return noteOpened(ports, look.atMost, leases.length, placed)
    if (!isContested(judged) || tries >= claimTriesMax(leases, own)) {
      return refusalOf(ports, settings, judged, leases.length)
    }
    await ports.clock.sleep(tries === 1 ? CLAIM_PAUSE_MS : 2 * CLAIM_PAUSE_MS)
    listed = await look.again()
  }
}

const TOO_LATE = 'The store took too long to find a place for this stream. Try again.'

/** The leases that decide: all of them, or where `atMost` of all leave room, those of the key. */
type Look = {
  readonly leases: readonly StreamLease[]
  readonly atMost: number | undefined
  again(): Promise<readonly StreamLease[]>
}

/**
 * Few openers list all leases (ADR 0088): whoever counts its opening bounds the number of all streams.
 *   A: put ── counts ── lists                counted after its put, and before its list: of two openers the one
 *   B:     put ── counts: bound has A        that counts last has the other in its bound, or in its list
 */
async function firstLook(
  { clock, leases }: Needs,
  { streams }: Settings,
  own: StreamLease,
): Promise<Look> {
  const nowMs = clock.nowMs()
  const count = await leases.countOpening(nowMs)
  if (hasRoom(count, streams)) {
    const listKey = () => leases.listOfKey(own.keyHash, clock.nowMs())
    return { leases: await listKey(), atMost: count.atMost, again: listKey }
  }
  const listAll = () => leases.list(clock.nowMs())
  const all = await listAll()
  await leases.noteListed(count, all.length, nowMs)
  return { leases: all, atMost: undefined, again: listAll }
}

function noteOpened(
  { log }: Needs,
  atMost: number | undefined,
  listed: number,
  { ended }: { readonly ended: number },
): undefined {
  log.note('info', 'stream-opened', { count: (atMost ?? listed) - ended })
}

function isContested(judged: LeaseJudgement): boolean {
  return judged.kind !== 'fits' && judged.contested
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
