/**
 * What one environment remembers of tool lists: the shared one in order, as long as the broadcast
 * stands still, and those of some users, as long as the listVersion in their profile does. Each with its
 * index for searching, made when it is first searched. Reads no store.
 */
import { indexTools, type SearchIndex } from '../../skills/search-index.ts'
import type { Tool } from '../../skills/skill.ts'
import type { OwnTools } from '../../skills/tool-list.ts'

export type SharedLayer = { readonly tools: readonly Tool[]; index(): SearchIndex }
export type OwnLayer = { readonly own: OwnTools; index(): SearchIndex }

/** The layers of one caller's list; `shared` is cached until the list version changes. */
export type ListLayers = { readonly shared: SharedLayer; readonly own: OwnLayer | undefined }

/** When the user's skills last changed, as the profile said, and when it is asked. */
type ListVersion = { readonly changedAtMs: number; readonly nowMs: number }

export type ToolListCache = {
  shared(changedAtMs: number): SharedLayer | undefined
  keepShared(changedAtMs: number, tools: readonly Tool[]): SharedLayer
  own(uid: string, listVersion: ListVersion): OwnLayer | undefined
  /**
   * The first page of the shared list as text, in one shape of an answer; undefined for other lists.
   * One of some revision, a megabyte at most each: it is asked for far more often than it changes.
   */
  firstPage(tools: readonly Tool[], shape: string): string | undefined
  keepFirstPage(tools: readonly Tool[], shape: string, text: string): void
  /** Without a listVersion nothing is remembered. */
  keepOwn(uid: string, listVersion: ListVersion | undefined, own: OwnTools): OwnLayer
}

/** Private tools of all users together; some 2 kB each. Past it the users asked longest ago go. */
export const OWN_TOOLS_KEPT_MAX = 5_000
/** A sync that died before it moved the listVersion shows after this at the latest. */
export const OWN_TOOLS_KEPT_MS = 60_000

type CacheEntry = { readonly known: OwnLayer; readonly listVersion: ListVersion }

export function toolListCache(): ToolListCache {
  let shared: { readonly changedAtMs: number; readonly known: SharedLayer } | undefined
  const owners = new Map<string, CacheEntry>()
  const firstPages = new Map<string, string>()
  let kept = 0
  const forget = (uid: string, { known }: CacheEntry) => {
    owners.delete(uid)
    kept -= sizeOf(known)
  }
  return {
    shared: (changedAtMs) => (shared?.changedAtMs === changedAtMs ? shared.known : undefined),
    keepShared: (changedAtMs, tools) => {
      const known = { tools, index: once(() => indexTools(tools)) }
      shared = { changedAtMs, known }
      firstPages.clear()
      return known
    },
    firstPage: (tools, shape) =>
      tools === shared?.known.tools ? firstPages.get(shape) : undefined,
    keepFirstPage: (tools, shape, text) => {
      if (tools === shared?.known.tools) firstPages.set(shape, text)
    },
    own: (uid, { changedAtMs, nowMs }) => {
      const found = owners.get(uid)
      if (found === undefined) return undefined
      const isOld = nowMs - found.listVersion.nowMs >= OWN_TOOLS_KEPT_MS
      if (found.listVersion.changedAtMs !== changedAtMs || isOld) return undefined
      // Asked just now: to the end of those that may go.
      owners.delete(uid)
      owners.set(uid, found)
      return found.known
    },
    keepOwn: (uid, listVersion, own) => {
      const known = { own, index: once(() => indexTools(own.tools)) }
      const before = owners.get(uid)
      if (before !== undefined) forget(uid, before)
      if (listVersion === undefined) return known
      owners.set(uid, { known, listVersion })
      kept += sizeOf(known)
      for (const [other, remembered] of owners) {
        if (kept <= OWN_TOOLS_KEPT_MAX) break
        forget(other, remembered)
      }
      return known
    },
  }
}

/** One for the entry itself: users without skills are many. */
function sizeOf({ own }: OwnLayer): number {
  return own.tools.length + 1
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
