/**
 * Keeps the lease of a listen stream: renews it every RENEW_MS, and one heartbeat after a failure,
 * so that a lease outlasts two failed renewals. Says when the stream must leave. Bound by
 * docs/service.md, Stream leases.
 */
import type { Ports } from '../../ports/ports.ts'
import { mustLeave, toLeaveAtMs } from '../../session/lease-end.ts'
import type { StreamLease } from '../../session/session.ts'
import { ALIVE_MS, HEARTBEAT_MS, RENEW_MS } from '../../session/stream-plan.ts'

export type LeaseLoss = 'ended-elsewhere' | 'lease-lapsed'

export type LeaseKeeper = {
  /** Starts a renewal if one is due, without waiting for it. */
  keep(nowMs: number): void
  /** Why the stream must leave; undefined while it may stay. */
  lossAt(nowMs: number): LeaseLoss | undefined
  /** The time at which the stream must leave unless the lease is renewed before. */
  leaveAtMs(): number
}

/** A keeper for a lease that was put just now. */
export function createLeaseKeeper(
  ports: Pick<Ports, 'clock' | 'leases' | 'log'>,
  lease: StreamLease,
): LeaseKeeper {
  let loss: LeaseLoss | undefined
  let leasedUntilMs = lease.expiresAtMs
  let dueAtMs = lease.openedAtMs + RENEW_MS
  const renew = async (nowMs: number) => {
    const expiresAtMs = nowMs + ALIVE_MS
    const isRenewed = await ports.leases.renew({ ...lease, expiresAtMs })
    if (!isRenewed) loss ??= 'ended-elsewhere'
    // The answer came too late (lease-end.ts): another stream may have the slot.
    if (mustLeave(leasedUntilMs, ports.clock.nowMs())) loss ??= 'lease-lapsed'
    leasedUntilMs = Math.max(leasedUntilMs, expiresAtMs)
  }
  return {
    lossAt: (nowMs) => loss ?? (mustLeave(leasedUntilMs, nowMs) ? 'lease-lapsed' : undefined),
    leaveAtMs: () => toLeaveAtMs(leasedUntilMs),
    keep: (nowMs) => {
      if (nowMs < dueAtMs) return
      dueAtMs = nowMs + RENEW_MS
      renew(nowMs).catch((cause: unknown) => {
        dueAtMs = ports.clock.nowMs() + HEARTBEAT_MS
        ports.log.note('warn', 'stream-action-failed', { action: 'renew' }, cause)
      })
    },
  }
}
