/**
 * One version of the shared tool list, and the view of each caller. If no entry has groups,
 * everyone gets the same array. Otherwise a view is made and cached for each combination of groups
 * that are used in this list. Bound by docs/service.md, Groups, and ADR 0047.
 */
import { keepYoungest } from '../../cache/keep-youngest.ts'
import { indexTools, type SearchIndex } from '../../search/index-tools.ts'
import type { Tool } from '../../skills/skill.ts'
import { type Groups, isVisible } from '../../skills/visible.ts'
import { fitTaskTools } from './fit-task-tools.ts'

/** The tools that one caller sees. */
export type SharedView = {
  readonly tools: readonly Tool[]
  /**
   * The index of the whole list. `unseen` has 1 at the positions of tools hidden from the caller.
   */
  search(): { readonly index: SearchIndex; readonly unseen: Uint8Array | undefined }
}

export type SharedLayer = {
  viewOf(groups: Groups): SharedView
  /** The list of users who have the search in place of all tools. */
  readonly short: readonly Tool[]
  /** Returns the name of the view that this array belongs to; undefined for any other list. */
  nameOf(tools: readonly Tool[]): string | undefined
}

/** Cached views, 80 kB each for a list of 10,000. Past the limit the oldest one is dropped. */
export const VIEWS_MAX = 64

/** What the layer has besides its list. */
export type FurtherTools = {
  /** The list of users who have the search in place of all tools. */
  readonly short?: readonly Tool[]
  /** Added to views with a skill that runs as a task alone; a search does not find them. */
  readonly taskTools?: readonly Tool[]
}

/** Makes the layer. Its search index is built at the first search. */
export function makeSharedLayer(
  tools: readonly Tool[],
  { short = [], taskTools = [] }: FurtherTools = {},
): SharedLayer {
  const index = once(() => indexTools(tools))
  const withTaskTools = (visible: readonly Tool[]) => fitTaskTools(visible, taskTools)
  const whole: SharedView = {
    tools: withTaskTools(tools),
    search: () => ({ index: index(), unseen: undefined }),
  }
  const usedGroups = new Set(tools.flatMap(({ groups }) => groups ?? []))
  const names = new WeakMap([
    [whole.tools, 'whole'],
    [short, 'short'],
  ])
  const nameOf = (list: readonly Tool[]) => names.get(list)
  if (usedGroups.size === 0) return { viewOf: () => whole, short, nameOf }
  const views = new Map<string, SharedView>()
  return {
    nameOf,
    short,
    viewOf: (groups) => {
      const relevant = groups.filter((group) => usedGroups.has(group)).sort()
      const key = relevant.join(' ')
      const cached = views.get(key)
      if (cached !== undefined) return cached
      const made = makeView(tools, relevant, index)
      const view = made === undefined ? whole : { ...made, tools: withTaskTools(made.tools) }
      if (view !== whole) names.set(view.tools, `view of ${key}`)
      keepYoungest(views, key, view, VIEWS_MAX)
      return view
    },
  }
}

/** Returns undefined if these groups see everything. */
function makeView(
  tools: readonly Tool[],
  groups: Groups,
  index: () => SearchIndex,
): SharedView | undefined {
  const visible = tools.filter((tool) => isVisible(tool.groups, groups))
  if (visible.length === tools.length) return undefined
  const unseen = once(() => markUnseen(tools, groups))
  return { tools: visible, search: () => ({ index: index(), unseen: unseen() }) }
}

function markUnseen(tools: readonly Tool[], groups: Groups): Uint8Array {
  return Uint8Array.from(tools, (tool) => (isVisible(tool.groups, groups) ? 0 : 1))
}

/** Returns a function that calls `make` at its first call and returns the same value ever after. */
export function once<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined
  return () => {
    cached ??= { value: make() }
    return cached.value
  }
}
