/**
 * Refreshes the upstreams that are due: a part of each run of the sweep. The oldest come first, so
 * that no slow server keeps another waiting for ever. A refresh that another process has begun is
 * left to it (lease.ts).
 */
import { Fault } from '../../errors.ts'
import type { Settings } from '../../settings.ts'
import { REFRESHES_AT_ONCE, REFRESHES_PER_RUN_MAX } from '../../skills/upstreams/limits.ts'
import type { McpUpstream } from '../../skills/upstreams/upstream.ts'
import { type RefreshNeeds, refreshUpstream } from './refresh-upstream.ts'

/** The author of versions that a refresh by schedule makes. */
export const REFRESH_AUTHOR = 'refresh'

/** Returns the number of refreshes that began. No refresh begins after `untilMs`. */
export async function refreshUpstreams(
  ports: RefreshNeeds,
  settings: Settings,
  due: readonly McpUpstream[],
  untilMs: number,
): Promise<number> {
  let begun = 0
  const waiting = due.slice(0, REFRESHES_PER_RUN_MAX).values()
  const worker = async () => {
    for (const { id } of waiting) {
      if (ports.clock.nowMs() >= untilMs) return
      begun += 1
      await refreshSafely(ports, settings, id)
    }
  }
  await Promise.all(Array.from({ length: REFRESHES_AT_ONCE }, worker))
  return begun
}

/** A refusal was logged by the refresh, and is in the upstream's record. */
async function refreshSafely(ports: RefreshNeeds, settings: Settings, id: string): Promise<void> {
  try {
    await refreshUpstream(ports, settings, id, { by: REFRESH_AUTHOR })
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    ports.log.note('error', 'upstream-refresh-failed', { upstream: id, code: cause.code }, cause)
  }
}
