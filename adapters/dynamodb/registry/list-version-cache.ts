/**
 * The version of the tool list as far as this process knows it: which copy of it the process reads, and
 * how old a known value may be. All calls and streams of the process share it. Bound by docs/service.md,
 * Caches, and ADR 0066.
 */
import type { Clock } from '../../../core/ports/outside.ts'
import { type Key, toolListVersionCopyKey, toolListVersionKey } from '../table.ts'

/** Each copy serves 3,000 read units a second; each broadcast writes all of them. */
export const LIST_VERSION_COPIES = 8
/** Streams look each second; their timers fire a little early or late. */
export const LIST_VERSION_CACHE_MS = 900
/**
 * The record itself is read that often beside the copy, and by each process first. It is ahead of the
 * copies where an administrator's request died between them.
 */
export const LIST_VERSION_HEAD_MS = 30_000

export type ListVersionCache = {
  /**
   * What this process knows, or is about to read; undefined when a read is due. `ageMsMax` is at most
   * {@link LIST_VERSION_CACHE_MS}.
   */
  recent(ageMsMax?: number): Promise<number> | undefined
  /** The keys of a read that begins now; its answer goes to `keep`. */
  begin(): VersionRead
  /** A broadcast of this process. */
  noteWritten(version: number): void
}

export type VersionRead = {
  readonly keys: readonly Key[]
  /** Answers the latest version that this process knows. A read that fails is not kept. */
  keep(read: Promise<number>): Promise<number>
}

/**
 *   a read begins ── answer ────────────── + LIST_VERSION_CACHE_MS ── the next one begins one
 *        └── others wait for the answer ── others take it ──┘
 * Two reads at once, of which one replica lags: the version never goes back. A read that began before
 * a broadcast of this process, and ends after it: the same.
 */
export function listVersionCache(
  clock: Clock,
  copy: number = Math.floor(Math.random() * LIST_VERSION_COPIES),
): ListVersionCache {
  // Processes that started at once read the record at different times.
  const headEveryMs = LIST_VERSION_HEAD_MS * (1 - copy / (2 * LIST_VERSION_COPIES))
  let latest = 0
  let last: { readonly fromMs: number; readonly version: Promise<number> } | undefined
  let headFromMs: number | undefined
  const recent = (ageMsMax = LIST_VERSION_CACHE_MS) => {
    if (last === undefined) return undefined
    const ageMs = clock.nowMs() - last.fromMs
    return ageMs >= 0 && ageMs < ageMsMax ? last.version : undefined
  }
  const begin = (): VersionRead => {
    const fromMs = clock.nowMs()
    const withHead = headFromMs === undefined || fromMs - headFromMs >= headEveryMs
    const own = toolListVersionCopyKey(copy)
    return {
      keys: withHead ? [own, toolListVersionKey()] : [own],
      keep: (read) => {
        const version = read.then((found) => {
          if (withHead) headFromMs = fromMs
          latest = Math.max(latest, found)
          return latest
        })
        const kept = { fromMs, version }
        last = kept
        version.catch(() => {
          if (last === kept) last = undefined
        })
        return version
      },
    }
  }
  return {
    recent,
    begin,
    noteWritten: (version) => {
      latest = Math.max(latest, version)
      last = { fromMs: clock.nowMs(), version: Promise.resolve(latest) }
    },
  }
}
