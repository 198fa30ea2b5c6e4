/**
 * Claims one of the slots for open streams for a stream that has its lease already. SSE sessions
 * and listen streams share the limits. If the key has too many streams, its idlest ones are ended.
 * The opener waits for younger openers of its first list that are in its way, since they may be
 * refused themselves; later openers have this stream in their own lists. Bound by docs/service.md,
 * Stream leases, and docs/design/streams.md#leases.
 */

import type { Ports } from '../../ports/ports.ts'
import { mustLeave } from '../../session/lease-end.ts'
import {
  chooseStreamsToEnd,
  computeLeaseReadsMax,
  decideLease,
  filterCountedLeases,
  hasRoom,
  type LeaseDecision,
} from '../../session/lease-policy.ts'
import type { StreamLease } from '../../session/session.ts'
import type { Settings } from '../../settings.ts'

type Needs = Pick<Ports, 'clock' | 'leases' | 'log' | 'sessions'>

/**
 * Longer than an opener usually takes from its lease to its decision. Later pauses are twice as
 * long.
 */
export const CLAIM_PAUSE_MS = 100

/**
 * Returns undefined if the stream has its slot, otherwise the reason for people. May end the key's
 * idlest streams.
 */
export async function claimStreamSlot(
  ports: Needs,
  settings: Settings,
  own: StreamLease,
): Promise<string | undefined> {
  const reading = await readLeases(ports, settings, own)
  let { leases: listed } = reading
  const seenFirst = new Set(listed.map(({ session }) => session))
  for (let tries = 1; ; tries += 1) {
    const leases = filterCountedLeases(listed, own, seenFirst)
    // If the own lease is missing, a younger stream of the key has taken the slot.
    if (!leases.some((one) => one.session === own.session)) return refuseFullKey(settings)
    const decision = decideLease(leases, own, settings.streams)
    const taken = await takeSlot(ports, decision)
    // From then on others treat this slot as free, like that of a stream without a renewal.
    if (mustLeave(own.expiresAtMs, ports.clock.nowMs())) return TOO_LATE
    if (taken !== undefined) return logOpened(ports, reading.atMost, leases.length, taken)
    if (!isContested(decision) || tries >= computeLeaseReadsMax(leases, own)) {
      return toRefusal(ports, settings, decision, leases.length)
    }
    await ports.clock.sleep(tries === 1 ? CLAIM_PAUSE_MS : 2 * CLAIM_PAUSE_MS)
    listed = await reading.repeat()
  }
}

const TOO_LATE = 'The store took too long to find a place for this stream. Try again.'

/**
 * The leases that decide: those of the key if at most `atMost` streams are open, otherwise all
 * leases.
 */
type LeaseReading = {
  readonly leases: readonly StreamLease[]
  readonly atMost: number | undefined
  repeat(): Promise<readonly StreamLease[]>
}

/**
 * Few openers list all leases (docs/design/streams.md#leases): an opener that counts its opening gets an upper bound of
 * all streams. Each counts after its put and before its list. Of two openers, the one that counts
 * last has the other in its bound or in its list:
 *
 *   A: put ── counts ── lists
 *   B:     put ── counts: the bound includes A
 */
async function readLeases(
  { clock, leases }: Needs,
  { streams }: Settings,
  own: StreamLease,
): Promise<LeaseReading> {
  const nowMs = clock.nowMs()
  const count = await leases.countOpening(nowMs)
  if (hasRoom(count, streams)) {
    const listKey = () => leases.listOfKey(own.keyHash, clock.nowMs())
    return { leases: await listKey(), atMost: count.atMost, repeat: listKey }
  }
  const listAll = () => leases.list(clock.nowMs())
  const all = await listAll()
  await leases.noteListed(count, all.length, nowMs)
  return { leases: all, atMost: undefined, repeat: listAll }
}

function logOpened(
  { log }: Needs,
  atMost: number | undefined,
  listed: number,
  { ended }: { readonly ended: number },
): undefined {
  log.note('info', 'stream-opened', { count: (atMost ?? listed) - ended })
}

function isContested(decision: LeaseDecision): boolean {
  return decision.kind !== 'fits' && decision.contested
}

/** Returns how many streams were ended for the slot, or undefined if there is no slot. */
async function takeSlot(
  ports: Needs,
  decision: LeaseDecision,
): Promise<{ readonly ended: number } | undefined> {
  switch (decision.kind) {
    case 'fits':
      return { ended: 0 }
    case 'full':
      return undefined
    case 'key-full':
      return (await evictIdle(ports, decision.others, decision.surplus))
        ? { ended: decision.surplus }
        : undefined
    default:
      return decision satisfies never
  }
}

function toRefusal(
  ports: Needs,
  settings: Settings,
  decision: LeaseDecision,
  count: number,
): string {
  if (decision.kind !== 'full') return refuseFullKey(settings)
  const { limit, max } = decision
  // The count leaves out this stream's own lease, which is removed next.
  ports.log.note('warn', 'streams-full', { limit, max, count: count - 1 })
  return `All ${max} places for ${limit === 'anonymous' ? 'anonymous ' : ''}streams are taken. Try again later.`
}

function refuseFullKey({ streams }: Settings): string {
  return `This key has ${streams.perKeyMax} open streams, each with a request in the last minute. Close one, or use another key.`
}

/**
 * Ends `surplus` of the key's other streams, idlest first. Returns false if too many are in use.
 */
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
        // A listen stream has no session. Of such streams, the one opened first is ended first.
        lastPostAtMs: session === undefined ? lease.openedAtMs : over ? 0 : session.lastPostAtMs,
      }
    }),
  )
  const evicted = chooseStreamsToEnd(known, surplus, nowMs)
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
