/**
 * Caches the version of the tool list in this process: which copy the process reads, and how old a
 * cached value may be. All calls and streams of the process share it. Bound by docs/service.md,
 * Caches, and docs/design/store.md#the-broadcast.
 */
import type { Clock } from '../../../core/ports/outside.ts'
import { type Key, toolListVersionCopyKey, toolListVersionKey } from '../table.ts'

/** Copies of the version: each serves 3,000 read units a second; a broadcast writes all of them. */
export const LIST_VERSION_COPIES = 8
/** Streams poll each second; this time is shorter, since their timers may fire slightly early. */
export const LIST_VERSION_CACHE_MS = 900
/**
 * How often a process reads the record itself in addition to its copy; its first read does too. The
 * record is newer than the copies if an administrator's request died between the writes.
 */
export const LIST_VERSION_HEAD_MS = 30_000

export type ListVersionCache = {
  /**
   * The version that this process has cached or is reading; undefined if a read is due. `ageMsMax`
   * is at most {@link LIST_VERSION_CACHE_MS}.
   */
  recent(ageMsMax?: number): Promise<number> | undefined
  /** The keys of a read that begins now; the caller passes its answer to `keep`. */
  begin(): VersionRead
  /** Notes a broadcast of this process. */
  noteWritten(version: number): void
}

export type VersionRead = {
  readonly keys: readonly Key[]
  /** Resolves to the latest version that this process has read. A failed read is not cached. */
  keep(read: Promise<number>): Promise<number>
}

/**
 *   a read begins ── answer ────────────── + LIST_VERSION_CACHE_MS ── the next caller begins a read
 *        └── callers wait for the answer ── callers take it ──┘
 * The version never decreases: not if two reads run at once and one replica lags, and not if a read
 * begins before a broadcast of this process and ends after it.
 */
export function listVersionCache(
  clock: Clock,
  copy: number = Math.floor(Math.random() * LIST_VERSION_COPIES),
): ListVersionCache {
  // Depends on the copy, so that processes that started together read the record at different
  // times.
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
