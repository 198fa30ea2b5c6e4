/**
 * The built-in tools. Every caller has them. They are free, call no upstream and are listed even if
 * the store fails.
 */
import type { Settings } from '../../settings.ts'
import { type BuiltInName, FULL_LIST_NAMES, SHORT_LIST_NAMES } from '../../skills/built-in-names.ts'
import type { Tool, ToolAnnotations } from '../../skills/skill.ts'
import type { ToolListKind } from '../../skills/tool-list-kind.ts'
import type { BuiltInTool } from './built-in-tool.ts'
import { CALL } from './call-by-name.ts'
import { SEARCH_SKILLS } from './search-skills.ts'
import { ACCOUNT } from './show-account.ts'
import { USAGE } from './show-usage.ts'

export const BUILT_IN_TOOLS: { readonly [name in BuiltInName]: BuiltInTool } = {
  account: ACCOUNT,
  call: CALL,
  search_skills: SEARCH_SKILLS,
  usage: USAGE,
}

/** The annotations of built-in tools that only read the gateway's own records. */
const HINTS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** A call of any tool may do whatever the most dangerous one does. */
const CALL_HINTS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
}

/** The built-in tools as a list of all tools shows them. */
export function listBuiltInTools({ prefix }: Pick<Settings, 'prefix'>): readonly Tool[] {
  return FULL_LIST_NAMES.map((name) => toTool(`${prefix}_${name}`, BUILT_IN_TOOLS[name]))
}

/** The whole short list. */
function shortList({ prefix }: Pick<Settings, 'prefix'>): readonly Tool[] {
  return SHORT_LIST_NAMES.map((name) => {
    const tool = toTool(`${prefix}_${name}`, BUILT_IN_TOOLS[name])
    return name === 'call' ? { ...tool, annotations: CALL_HINTS, costsAsNamed: true } : tool
  })
}

/** The built-in tools of a list of this kind. */
export function builtInOf(settings: Pick<Settings, 'prefix'>, kind: ToolListKind): readonly Tool[] {
  return kind === 'search' ? shortList(settings) : listBuiltInTools(settings)
}

function toTool(
  name: string,
  { description, inputSchema, title }: Pick<Tool, 'description' | 'inputSchema' | 'title'>,
): Tool {
  return {
    name,
    title,
    description,
    inputSchema,
    skillId: undefined,
    priceMicroCredits: 0,
    annotations: HINTS,
  }
}
