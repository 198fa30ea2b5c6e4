/**
 * What holds at every moment of the scenario of leases: no more open streams than the limits, a lease for
 * each, as long as the store has confirmed, and no stream that goes on after its place was taken.
 */
import { leaseKey } from '../../../adapters/dynamodb/table.ts'
import { ANONYMOUS, type StreamLease } from '../../../core/session/session.ts'
import { ALIVE_MS } from '../../../core/session/stream-plan.ts'
import { itemAt, type Process, report, type World } from '../world.ts'

export const LIMITS = { perKeyMax: 2, totalMax: 4, anonymousMax: 1 }
/** How late a stream may hear that its place was taken: the tail is slow, and then a lease runs out. */
export const TAIL_MS = 20_000
const HEARS_WITHIN_MS = ALIVE_MS + TAIL_MS

export type OpenStream = {
  readonly lease: StreamLease
  readonly isListen: boolean
  readonly process: Process
  /** As the store has confirmed. */
  leasedUntilMs: number
  /** It has decided to end. */
  closed: boolean
  /** The store has confirmed the removal of its lease at its end. */
  removed: boolean
  /** When another one had taken its place; Infinity while nobody has. */
  takenAtMs: number
}

export function checkStreams(world: World, streams: readonly OpenStream[]): void {
  if (world.violations.length > 0) return
  const open = streams.filter((stream) => isOpen(world, stream))
  checkLimits(world, open)
  for (const stream of open) checkLease(world, stream)
  const nowMs = world.scheduler.nowMs()
  const deaf = streams.find(
    (one) => !one.closed && one.process.alive && nowMs - one.takenAtMs > HEARS_WITHIN_MS,
  )
  if (deaf !== undefined) report(world, 'a stream outlives its place')
  const left = streams.find(
    ({ lease, removed }) => removed && leaseItem(world, lease) !== undefined,
  )
  if (left !== undefined) report(world, 'a lease is back after its removal')
}

function checkLimits(world: World, open: readonly OpenStream[]): void {
  if (open.length > LIMITS.totalMax) report(world, `${open.length} streams of the stage`)
  for (const keyHash of new Set(open.map(({ lease }) => lease.keyHash))) {
    const count = open.filter(({ lease }) => lease.keyHash === keyHash).length
    const max = keyHash === ANONYMOUS ? LIMITS.anonymousMax : LIMITS.perKeyMax
    if (count > max) report(world, `${count} streams of one key, at most ${max}`)
  }
}

function checkLease(world: World, { lease, leasedUntilMs }: OpenStream): void {
  const untilMs = Number(String(leaseItem(world, lease)?.['expiresAtMs'] ?? 0))
  if (untilMs <= world.scheduler.nowMs()) report(world, 'an open stream has no lease')
  else if (untilMs < leasedUntilMs) report(world, 'a lease is shorter than was confirmed')
}

/** A stream whose process has died is none, and one whose place was taken has been told to end. */
function isOpen(world: World, stream: OpenStream): boolean {
  if (stream.closed || !stream.process.alive) return false
  const { lease } = stream
  const session = itemAt(world, 'sessions', { pk: `session:${lease.session}`, sk: 'meta' })
  const isTaken = stream.isListen
    ? leaseItem(world, lease) === undefined
    : session === undefined || session['endedAtMs'] !== undefined
  if (isTaken) stream.takenAtMs = Math.min(stream.takenAtMs, world.scheduler.nowMs())
  return stream.takenAtMs === Infinity
}

function leaseItem(world: World, { keyHash, session }: StreamLease) {
  return itemAt(world, 'sessions', leaseKey(keyHash, session))
}
