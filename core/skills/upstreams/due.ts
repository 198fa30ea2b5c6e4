/** Which upstreams the schedule refreshes now. Loaded by each run of the sweep, so it is small. */
import type { McpUpstream } from './upstream.ts'

/** Those that are due and that nobody works on, the oldest first. */
export function findDue(upstreams: readonly McpUpstream[], nowMs: number): readonly McpUpstream[] {
  const dueAtMs = ({ nextRefreshAtMs }: McpUpstream) => nextRefreshAtMs ?? Number.POSITIVE_INFINITY
  return upstreams
    .filter(
      (one) =>
        one.isDeleting !== true && dueAtMs(one) <= nowMs && (one.lease?.untilMs ?? 0) <= nowMs,
    )
    .toSorted((a, b) => dueAtMs(a) - dueAtMs(b))
}
