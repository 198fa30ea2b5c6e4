/**
 * Keeps the lease of a listen stream: renews it twice a minute, and five seconds after a failure, so a lease outlives
 * two renewals that failed. Says when the stream must leave. Bound by docs/service.md, Stream leases.
 */
import type { Ports } from '../../ports/ports.ts'
import { hasLapsed, leaveAtMs } from '../../session/lease-end.ts'
import type { StreamLease } from '../../session/session.ts'
import { ALIVE_MS, HEARTBEAT_MS, RENEW_MS } from '../../session/stream-plan.ts'

export type LeaseLoss = 'ended-elsewhere' | 'lease-lapsed'

export type LeaseKeeper = {
  /** Starts a renewal if one is due, and does not wait for it. */
  keep(nowMs: number): void
  /** Why the stream must leave; undefined while it may stay. */
  lossAt(nowMs: number): LeaseLoss | undefined
  /** When the stream must leave unless the lease is renewed before. */
  leaveAtMs(): number
}

export function leaseKeeper(
  ports: Pick<Ports, 'clock' | 'leases' | 'log'>,
  lease: StreamLease,
): LeaseKeeper {
  let loss: LeaseLoss | undefined
  let leasedUntilMs = lease.expiresAtMs
  let dueAtMs = lease.openedAtMs + RENEW_MS
  const renew = async (nowMs: number) => {
    const expiresAtMs = nowMs + ALIVE_MS
    const stands = await ports.leases.renew({ ...lease, expiresAtMs })
    if (!stands) loss ??= 'ended-elsewhere'
    // Too late (lease-end.ts): the place may be another's by now.
    if (hasLapsed(leasedUntilMs, ports.clock.nowMs())) loss ??= 'lease-lapsed'
    leasedUntilMs = Math.max(leasedUntilMs, expiresAtMs)
  }
  return {
    lossAt: (nowMs) => loss ?? (hasLapsed(leasedUntilMs, nowMs) ? 'lease-lapsed' : undefined),
    leaveAtMs: () => leaveAtMs(leasedUntilMs),
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
