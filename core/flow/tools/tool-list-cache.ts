/**
 * The tool lists that one environment caches: the shared one until the list version changes, and
 * those of some users until that version or the time in their profile changes. Each has its search index, built at
 * its first search. Reads no store.
 */
import { keepYoungest } from '../../cache/keep-youngest.ts'
import { indexTools, type SearchIndex } from '../../search/search-tools.ts'
import type { Tool } from '../../skills/skill.ts'
import type { OwnTools } from '../../skills/tool-list.ts'
import { once, type SharedLayer, type SharedView, sharedLayer } from './shared-layer.ts'

export type OwnLayer = { readonly own: OwnTools; index(): SearchIndex }

/** The layers of one caller's list; what it sees of the shared one. */
export type ListLayers = { readonly shared: SharedView; readonly own: OwnLayer | undefined }

/**
 * `changedAtMs`: the list version, read before the skills. `skillsChangedAtMs`: when the user's skills
 * last changed, by the profile.
 */
export type OwnVersion = {
  readonly changedAtMs: number
  readonly skillsChangedAtMs: number
  readonly nowMs: number
}

export type ToolListCache = {
  /** The version of the shared list that is cached; undefined before the first. */
  listVersion(): number | undefined
  shared(changedAtMs: number): SharedLayer | undefined
  keepShared(changedAtMs: number, tools: readonly Tool[]): SharedLayer
  own(uid: string, version: OwnVersion): OwnLayer | undefined
  /**
   * The first page of a view of the shared list as text, in one revision's shape; undefined for other
   * lists. The page is read far more often than it changes.
   */
  firstPage(tools: readonly Tool[], shape: string): string | undefined
  keepFirstPage(tools: readonly Tool[], shape: string, text: string): void
  /** Without a version nothing is cached. */
  keepOwn(uid: string, version: OwnVersion | undefined, own: OwnTools): OwnLayer
}

/**
 * Private tools of all users together; some 2 kB each. Past it the users seen longest ago are
 * dropped.
 */
export const OWN_TOOLS_KEPT_MAX = 5_000
/** First pages at once, for all views and revisions together: a megabyte each at most. */
export const FIRST_PAGES_MAX = 16
/** A sync that died before it changed the time in the profile shows after this at the latest. */
export const OWN_TOOLS_KEPT_MS = 60_000

type CacheEntry = { readonly known: OwnLayer; readonly version: OwnVersion }

export function toolListCache(): ToolListCache {
  let shared: { readonly changedAtMs: number; readonly known: SharedLayer } | undefined
  const owners = new Map<string, CacheEntry>()
  const firstPages = new Map<string, string>()
  const pageKey = (tools: readonly Tool[], shape: string) => {
    const view = shared?.known.nameOf(tools)
    return view === undefined ? undefined : `${shape} ${view}`
  }
  let keptTools = 0
  const forget = (uid: string, { known }: CacheEntry) => {
    owners.delete(uid)
    keptTools -= sizeOf(known)
  }
  return {
    listVersion: () => shared?.changedAtMs,
    shared: (changedAtMs) => (shared?.changedAtMs === changedAtMs ? shared.known : undefined),
    keepShared: (changedAtMs, tools) => {
      const known = sharedLayer(tools)
      shared = { changedAtMs, known }
      firstPages.clear()
      return known
    },
    firstPage: (tools, shape) => {
      const key = pageKey(tools, shape)
      return key === undefined ? undefined : firstPages.get(key)
    },
    keepFirstPage: (tools, shape, text) => {
      const key = pageKey(tools, shape)
      if (key !== undefined) keepYoungest(firstPages, key, text, FIRST_PAGES_MAX)
    },
    own: (uid, version) => {
      const found = owners.get(uid)
      if (found === undefined || isStale(found.version, version)) return undefined
      // Moved to the end of the map: the entries at its front are dropped first.
      owners.delete(uid)
      owners.set(uid, found)
      return found.known
    },
    keepOwn: (uid, version, own) => {
      const known = { own, index: once(() => indexTools(own.tools)) }
      const before = owners.get(uid)
      if (before !== undefined) forget(uid, before)
      if (version === undefined) return known
      owners.set(uid, { known, version })
      keptTools += sizeOf(known)
      for (const [other, entry] of owners) {
        if (keptTools <= OWN_TOOLS_KEPT_MAX) break
        forget(other, entry)
      }
      return known
    },
  }
}

function isStale(cached: OwnVersion, now: OwnVersion): boolean {
  return (
    cached.changedAtMs !== now.changedAtMs ||
    cached.skillsChangedAtMs !== now.skillsChangedAtMs ||
    now.nowMs - cached.nowMs >= OWN_TOOLS_KEPT_MS
  )
}

/** One more for the entry itself: many users have no skills. */
function sizeOf({ own }: OwnLayer): number {
  return own.tools.length + 1
}
