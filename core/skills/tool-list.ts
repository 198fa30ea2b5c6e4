/**
 * The merged tool list (docs/service.md, Tool list) and its pages. The order is by listed name in
 * UTF-16 code units, the same for all callers and after every restart.
 */
import { CURSOR_CHARS_MAX, TOOL_NAME_CHARS_MAX, TOOLS_PAGE_SIZE } from './limits.ts'
import type { Tool } from './skill.ts'
import { toolKey } from './tool-name.ts'

export type Layers = {
  readonly builtIn: readonly Tool[]
  readonly cached: readonly Tool[]
  /** The caller's own tools, named `{username}_{skillId}`; empty for anonymous callers. */
  readonly private: readonly Tool[]
  readonly prefix: string
}

export type ToolPage = { readonly tools: readonly Tool[]; readonly nextCursor: string | undefined }

/** A caller's own tools, ready to be merged; made by {@link ownTools}. */
export type OwnTools = {
  /** In order of their names. */
  readonly tools: readonly Tool[]
  /** Names in the shared list that mean one of this caller's private skills. */
  readonly hides: ReadonlySet<string>
}

export const NO_OWN_TOOLS: OwnTools = { tools: [], hides: new Set() }

/** Built-in < cached < private: {@link sharedTools} with {@link withOwnTools} on top. */
export function mergeTools(layers: Layers): readonly Tool[] {
  const skillIds = layers.private.flatMap(({ skillId }) => skillId ?? [])
  return withOwnTools(sharedTools(layers), ownTools(layers.private, skillIds, layers))
}

/**
 * The list that all callers see, in order: built-in < cached, in a map by normalised name; both are
 * listed under their key. Sorting 10,000 takes about 10 ms, so callers cache the result.
 */
export function sharedTools(layers: Omit<Layers, 'private'>): readonly Tool[] {
  const listed = new Map<string, Tool>()
  for (const tool of layers.builtIn) listed.set(tool.name, tool)
  for (const tool of layers.cached) {
    const key = toolKey(layers.prefix, tool.name)
    const builtIn = layers.builtIn.find(({ name }) => name === key)
    listed.set(key, builtIn === undefined ? named(tool, key) : presentedAs(builtIn, tool))
  }
  return [...listed.values()].sort(byName)
}

/**
 * `skillIds` are all private skills of the caller, including those that cannot be listed. A call by
 * such an id runs the private skill (core/skills/visible.ts), so the list hides other tools of that
 * name. An id that is only equal in safe characters hides nothing, since no call by the name
 * reaches it. Built-in tools are answered before any resolution, so nothing hides them.
 */
export function ownTools(
  tools: readonly Tool[],
  skillIds: readonly string[],
  { builtIn, prefix }: Pick<Layers, 'builtIn' | 'prefix'>,
): OwnTools {
  const always = new Set(builtIn.map(({ name }) => toolKey(prefix, name)))
  const byOwnName = new Map(tools.map((tool) => [tool.name, tool]))
  const own = [...byOwnName.values()].filter(({ name }) => !always.has(name)).sort(byName)
  const names = [...own.map(({ name }) => name), ...skillIds]
  return { tools: own, hides: new Set(names.filter((name) => !always.has(name))) }
}

/** One pass over `shared`, which {@link sharedTools} has sorted. */
export function withOwnTools(shared: readonly Tool[], own: OwnTools): readonly Tool[] {
  const { hides, tools } = own
  if (tools.length === 0 && hides.size === 0) return shared
  const merged: Tool[] = []
  let next = 0
  for (const tool of shared) {
    for (
      let first = tools[next];
      first !== undefined && first.name < tool.name;
      first = tools[next]
    ) {
      merged.push(first)
      next += 1
    }
    if (!hides.has(tool.name)) merged.push(tool)
  }
  return [...merged, ...tools.slice(next)]
}

/**
 * The page after `cursor` (undefined: the first) of a list in {@link mergeTools} order; undefined
 * when the cursor is not one of ours. A cursor holds the last name of its page, so a list that
 * changed in between continues after that name: no tool repeats, and only tools added before it are
 * missed, which `list_changed` announces.
 */
export function pageOf(
  tools: readonly Tool[],
  cursor: string | undefined,
  pageSize: number = TOOLS_PAGE_SIZE,
): ToolPage | undefined {
  const after = cursor === undefined ? '' : nameOfCursor(cursor)
  if (after === undefined) return undefined
  const from = firstAfter(tools, after)
  const page = tools.slice(from, from + pageSize)
  const last = page.at(-1)
  const more = from + page.length < tools.length
  return { tools: page, nextCursor: more && last ? cursorOf(last.name) : undefined }
}

/** A pushed entry changes what agents read of a built-in tool; a call of its name runs the built-in one. */
function presentedAs(builtIn: Tool, { annotations, description, inputSchema, title }: Tool): Tool {
  return {
    ...builtIn,
    description,
    inputSchema,
    ...(title === undefined ? {} : { title }),
    ...(annotations === undefined ? {} : { annotations }),
  }
}

function named(tool: Tool, name: string): Tool {
  return tool.name === name ? tool : { ...tool, name }
}

export function byName(a: Tool, b: Tool): number {
  if (a.name === b.name) return 0
  return a.name < b.name ? -1 : 1
}

/** Binary search: a page in the middle of 10,000 tools takes 14 comparisons. */
function firstAfter(tools: readonly Tool[], name: string): number {
  let low = 0
  let high = tools.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((tools[middle]?.name ?? '') <= name) low = middle + 1
    else high = middle
  }
  return low
}

/** Opaque to clients; the leading version lets a later build read both forms. */
function cursorOf(name: string): string {
  return btoa(`1:${name}`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function nameOfCursor(cursor: string): string | undefined {
  if (cursor.length > CURSOR_CHARS_MAX || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined
  if (cursor.length % 4 === 1) return undefined
  const text = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
  const name = /^1:([A-Za-z0-9_-]+)$/.exec(text)?.[1]
  return name !== undefined && name.length <= TOOL_NAME_CHARS_MAX * 2 ? name : undefined
}
