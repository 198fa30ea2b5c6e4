/**
 * The tool lists that one environment caches. The shared list is valid until the list version
 * changes. A user's private list is valid until that version or the time in the profile changes.
 * Each list has a search index, which is built at its first search. Reads no store.
 */
import { keepYoungest } from '../../cache/keep-youngest.ts'
import { indexTools, type SearchIndex } from '../../search/index-tools.ts'
import type { Tool } from '../../skills/skill.ts'
import type { OwnTools } from '../../skills/tool-list.ts'
import {
  type FurtherTools,
  makeSharedLayer,
  once,
  type SharedLayer,
  type SharedView,
} from './shared-layer.ts'

export type OwnLayer = { readonly own: OwnTools; index(): SearchIndex }

/** The layers of one caller's list: the caller's view of the shared list, and the private one. */
export type ListLayers = { readonly shared: SharedView; readonly own: OwnLayer | undefined }

/**
 * `changedAtMs` is the list version, read before the skills. `skillsChangedAtMs` is the time of the
 * last change of the user's skills, from the profile. `nowMs` is the time of the read.
 */
export type OwnVersion = {
  readonly changedAtMs: number
  readonly skillsChangedAtMs: number
  readonly nowMs: number
}

export type ToolListCache = {
  /** The version of the cached shared list; undefined if none is cached. */
  listVersion(): number | undefined
  shared(changedAtMs: number): SharedLayer | undefined
  keepShared(changedAtMs: number, tools: readonly Tool[], further?: FurtherTools): SharedLayer
  own(uid: string, version: OwnVersion): OwnLayer | undefined
  /**
   * The first page of a view of the shared list as text, in the shape of one revision; undefined
   * for other lists. The text is cached, since it is read far more often than it changes.
   */
  firstPage(tools: readonly Tool[], shape: string): string | undefined
  keepFirstPage(tools: readonly Tool[], shape: string, text: string): void
  /** Caches the layer and returns it. Without a version it is not cached. */
  keepOwn(uid: string, version: OwnVersion | undefined, own: OwnTools): OwnLayer
}

/**
 * Private tools of all users together, some 2 kB each. Past the limit the least recently used lists
 * are dropped.
 */
export const OWN_TOOLS_KEPT_MAX = 5_000
/** Cached first pages, for all views and revisions together: a megabyte each at most. */
export const FIRST_PAGES_MAX = 16
/** A sync that died before it changed the time in the profile becomes visible after this time. */
export const OWN_TOOLS_KEPT_MS = 60_000

type CacheEntry = { readonly layer: OwnLayer; readonly version: OwnVersion }

/** An empty cache: one for each environment. */

export function makeToolListCache(): ToolListCache {
  let shared: { readonly changedAtMs: number; readonly layer: SharedLayer } | undefined
  const owners = new Map<string, CacheEntry>()
  const firstPages = new Map<string, string>()
  const pageKey = (tools: readonly Tool[], shape: string) => {
    const view = shared?.layer.nameOf(tools)
    return view === undefined ? undefined : `${shape} ${view}`
  }
  let keptTools = 0
  const forget = (uid: string, { layer }: CacheEntry) => {
    owners.delete(uid)
    keptTools -= countTools(layer)
  }
  return {
    listVersion: () => shared?.changedAtMs,
    shared: (changedAtMs) => (shared?.changedAtMs === changedAtMs ? shared.layer : undefined),
    keepShared: (changedAtMs, tools, further) => {
      const layer = makeSharedLayer(tools, further)
      shared = { changedAtMs, layer }
      firstPages.clear()
      return layer
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
      // Moved to the end of the map, since the entries at its front are dropped first.
      owners.delete(uid)
      owners.set(uid, found)
      return found.layer
    },
    keepOwn: (uid, version, own) => {
      const layer = { own, index: once(() => indexTools(own.tools)) }
      const before = owners.get(uid)
      if (before !== undefined) forget(uid, before)
      if (version === undefined) return layer
      owners.set(uid, { layer, version })
      keptTools += countTools(layer)
      for (const [other, entry] of owners) {
        if (keptTools <= OWN_TOOLS_KEPT_MAX) break
        forget(other, entry)
      }
      return layer
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

/** Counts one more for the entry itself, since many users have no skills. */
function countTools({ own }: OwnLayer): number {
  return own.tools.length + 1
}
