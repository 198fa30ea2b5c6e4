/**
 * The merged tool list (spec, tools/list resolution) and its pages. Order: by listed name in UTF-16
 * code units, the same for everybody and after every restart.
 */
import { CURSOR_CHARS_MAX, TOOL_NAME_CHARS_MAX, TOOLS_PAGE_SIZE } from './limits.ts'
import type { Skill, Tool } from './skill.ts'
import { toolKey } from './tool-name.ts'

export type Layers = {
  readonly builtIn: readonly Tool[]
  readonly cached: readonly Tool[]
  /** The caller's own, named `{username}_{skillId}`; empty for anonymous callers. */
  readonly private: readonly Tool[]
  readonly prefix: string
}

export type ToolPage = { readonly tools: readonly Tool[]; readonly nextCursor: string | undefined }

/**
 * Built-in < cached < private, in a map by normalised name. Built-in and cached tools are listed
 * under their key. A private tool is listed under its own name and hides the official entry that it
 * shadows, but never a built-in one: those are always present and answered before any resolution.
 */
export function mergeTools(layers: Layers): readonly Tool[] {
  const builtInKeys = new Set<string>()
  const listed = new Map<string, Tool>()
  for (const tool of layers.builtIn) {
    const key = toolKey(layers.prefix, tool.name)
    builtInKeys.add(key)
    listed.set(key, named(tool, key))
  }
  for (const tool of layers.cached) {
    const key = toolKey(layers.prefix, tool.name)
    listed.set(key, named(tool, key))
  }
  for (const tool of layers.private) {
    const shadowed = toolKey(layers.prefix, tool.skillId ?? tool.name)
    if (!builtInKeys.has(shadowed)) listed.delete(shadowed)
  }
  for (const tool of layers.private) listed.set(tool.name, tool)
  return [...listed.values()].sort(byName)
}

/**
 * The page after `cursor` (undefined: the first) of a list in {@link mergeTools} order; undefined
 * when the cursor is not one of ours. A cursor holds the last name of its page, so a list that
 * changed in between goes on behind that name: nothing comes twice, only what was added before it
 * is missed, and `list_changed` tells of that.
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

/** A skill as it stands in a list under `toolName`. */
export function toolOfSkill(skill: Skill, toolName: string): Tool {
  return {
    name: toolName,
    title: skill.name,
    description: skill.description,
    inputSchema: skill.parameters,
    skillId: skill.skillId,
    priceMicroCredits: skill.priceMicroCredits,
  }
}

function named(tool: Tool, name: string): Tool {
  return tool.name === name ? tool : { ...tool, name }
}

function byName(a: Tool, b: Tool): number {
  if (a.name === b.name) return 0
  return a.name < b.name ? -1 : 1
}

/** Binary search: a page in the middle of 10,000 tools costs 14 comparisons. */
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
