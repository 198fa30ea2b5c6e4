/**
 * Makes the merged tool list (docs/service.md, Tool list) and its pages. The list is sorted by name
 * in UTF-16 units, so its order is the same for all callers and after every restart.
 */
import { readCursor, writeCursor } from '../json/cursor.ts'
import { CURSOR_CHARS_MAX, TOOL_NAME_CHARS_MAX, TOOLS_PAGE_SIZE } from './limits.ts'
import type { Tool } from './skill.ts'
import { toToolKey } from './tool-name.ts'

export type Layers = {
  readonly builtIn: readonly Tool[]
  readonly cached: readonly Tool[]
  /** The caller's own tools, named `{username}_{skillId}`; empty for anonymous callers. */
  readonly private: readonly Tool[]
  readonly prefix: string
}

export type ToolPage = { readonly tools: readonly Tool[]; readonly nextCursor: string | undefined }

/** A caller's own tools, prepared by {@link prepareOwnTools} for merging. */
export type OwnTools = {
  /** Sorted by name. */
  readonly tools: readonly Tool[]
  /** Names in the shared list that are names of this caller's private skills. */
  readonly hides: ReadonlySet<string>
}

export const NO_OWN_TOOLS: OwnTools = { tools: [], hides: new Set() }

/** Merges all layers. A later layer replaces an earlier one: built-in, cached, private. */
export function mergeTools(layers: Layers): readonly Tool[] {
  const skillIds = layers.private.flatMap(({ skillId }) => skillId ?? [])
  return withOwnTools(mergeSharedTools(layers), prepareOwnTools(layers.private, skillIds, layers))
}

/**
 * Returns the sorted list that all callers see. Tools are merged and listed by their normalised
 * name. Sorting 10,000 tools takes about 10 ms, so callers cache the result.
 */
export function mergeSharedTools(layers: Omit<Layers, 'private'>): readonly Tool[] {
  const listed = new Map<string, Tool>()
  for (const tool of layers.builtIn) listed.set(tool.name, tool)
  for (const tool of layers.cached) {
    const key = toToolKey(layers.prefix, tool.name)
    const builtIn = layers.builtIn.find(({ name }) => name === key)
    listed.set(key, builtIn === undefined ? withName(tool, key) : withPushedTexts(builtIn, tool))
  }
  return [...listed.values()].sort(compareNames)
}

/**
 * Prepares a caller's own tools. `skillIds` are all private skills of the caller, including skills
 * that cannot be listed. A call by such an id runs the private skill (core/skills/visible.ts), so
 * the list hides other tools of that name. An id that is equal only in safe characters hides
 * nothing, because no call by that name reaches it. Built-in tools are never hidden, because they
 * are answered before a name is resolved.
 */
export function prepareOwnTools(
  tools: readonly Tool[],
  skillIds: readonly string[],
  { builtIn, prefix }: Pick<Layers, 'builtIn' | 'prefix'>,
): OwnTools {
  const always = new Set(builtIn.map(({ name }) => toToolKey(prefix, name)))
  const byOwnName = new Map(tools.map((tool) => [tool.name, tool]))
  const own = [...byOwnName.values()].filter(({ name }) => !always.has(name)).sort(compareNames)
  const names = [...own.map(({ name }) => name), ...skillIds]
  return { tools: own, hides: new Set(names.filter((name) => !always.has(name))) }
}

/** Merges own tools into `shared`, the sorted result of {@link mergeSharedTools}, in one pass. */
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
 * Returns the page after `cursor` of a list in {@link mergeTools} order; the first page without a
 * cursor, and undefined for a foreign cursor. A cursor has the last name of its page. If the list
 * changes between two pages, no tool repeats, and only tools added before that name are missed;
 * `list_changed` announces them.
 */
export function pickPage(
  tools: readonly Tool[],
  cursor: string | undefined,
  pageSize: number = TOOLS_PAGE_SIZE,
): ToolPage | undefined {
  const after = cursor === undefined ? '' : readName(cursor)
  if (after === undefined) return undefined
  const from = findFirstAfter(tools, after)
  const page = tools.slice(from, from + pageSize)
  const last = page.at(-1)
  const more = from + page.length < tools.length
  return { tools: page, nextCursor: more && last ? writeCursor(last.name) : undefined }
}

/**
 * A pushed entry only changes the texts of a built-in tool; a call still runs the built-in tool.
 */
function withPushedTexts(
  builtIn: Tool,
  { annotations, description, inputSchema, title }: Tool,
): Tool {
  return {
    ...builtIn,
    description,
    inputSchema,
    ...(title === undefined ? {} : { title }),
    ...(annotations === undefined ? {} : { annotations }),
  }
}

function withName(tool: Tool, name: string): Tool {
  return tool.name === name ? tool : { ...tool, name }
}

/** Compares names by UTF-16 units, for sorting. */
export function compareNames(a: Tool, b: Tool): number {
  if (a.name === b.name) return 0
  return a.name < b.name ? -1 : 1
}

/** Returns the index of the first tool after `name`, by binary search. */
function findFirstAfter(tools: readonly Tool[], name: string): number {
  let low = 0
  let high = tools.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((tools[middle]?.name ?? '') <= name) low = middle + 1
    else high = middle
  }
  return low
}

function readName(cursor: string): string | undefined {
  const name = cursor.length > CURSOR_CHARS_MAX ? undefined : readCursor(cursor)
  if (name === undefined || !/^[A-Za-z0-9_-]+$/.test(name)) return undefined
  return name.length <= TOOL_NAME_CHARS_MAX * 2 ? name : undefined
}
