/**
 * One version of the shared tool list, and what each caller sees of it. A list without grouped entries
 * is seen whole by everyone: the same array, at no cost. Otherwise a view is made once for each set of
 * groups that matters in this list, and cached. Bound by docs/service.md, Groups, and ADR 0047.
 */
import { keepYoungest } from '../../cache/keep-youngest.ts'
import { indexTools, type SearchIndex } from '../../search/search-tools.ts'
import type { Tool } from '../../skills/skill.ts'
import { type Groups, isVisible } from '../../skills/visible.ts'

/** The tools that one caller sees. */
export type SharedView = {
  readonly tools: readonly Tool[]
  /** The index of the whole list, with 1 at the places of tools that this caller does not see. */
  search(): { readonly index: SearchIndex; readonly unseen: Uint8Array | undefined }
}

export type SharedLayer = {
  viewOf(groups: Groups): SharedView
  /** Names the view whose very array this is; undefined for any other list. */
  nameOf(tools: readonly Tool[]): string | undefined
}

/** Views at once: 80 kB each for a list of 10,000. Past it the oldest is made again. */
export const VIEWS_MAX = 64

export function sharedLayer(tools: readonly Tool[]): SharedLayer {
  const index = once(() => indexTools(tools))
  const whole: SharedView = { tools, search: () => ({ index: index(), unseen: undefined }) }
  const named = new Set(tools.flatMap(({ groups }) => groups ?? []))
  const names = new WeakMap([[tools, 'whole']])
  const nameOf = (list: readonly Tool[]) => names.get(list)
  if (named.size === 0) return { viewOf: () => whole, nameOf }
  const views = new Map<string, SharedView>()
  return {
    nameOf,
    viewOf: (groups) => {
      const mine = groups.filter((group) => named.has(group)).sort()
      const key = mine.join(' ')
      const known = views.get(key)
      if (known !== undefined) return known
      const view = viewFor(tools, mine, index) ?? whole
      if (view !== whole) names.set(view.tools, `view of ${key}`)
      keepYoungest(views, key, view, VIEWS_MAX)
      return view
    },
  }
}

/** Undefined when these groups see everything. */
function viewFor(
  tools: readonly Tool[],
  groups: Groups,
  index: () => SearchIndex,
): SharedView | undefined {
  const visible = tools.filter((tool) => isVisible(tool.groups, groups))
  if (visible.length === tools.length) return undefined
  const unseen = once(() => unseenIn(tools, groups))
  return { tools: visible, search: () => ({ index: index(), unseen: unseen() }) }
}

function unseenIn(tools: readonly Tool[], groups: Groups): Uint8Array {
  return Uint8Array.from(tools, (tool) => (isVisible(tool.groups, groups) ? 0 : 1))
}

export function once<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined
  return () => {
    cached ??= { value: make() }
    return cached.value
  }
}
