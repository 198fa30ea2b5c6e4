/**
 * The built-in tools. Every caller has them. They are free, call no upstream and are listed even if
 * the store fails.
 */
import type { Settings } from '../../settings.ts'
import { BUILT_IN_NAMES, type BuiltInName } from '../../skills/built-in-names.ts'
import type { Tool, ToolAnnotations } from '../../skills/skill.ts'
import type { BuiltInTool } from './built-in-tool.ts'
import { SEARCH_SKILLS } from './search-skills.ts'
import { ACCOUNT } from './show-account.ts'
import { USAGE } from './show-usage.ts'

export const BUILT_IN_TOOLS: { readonly [name in BuiltInName]: BuiltInTool } = {
  account: ACCOUNT,
  search_skills: SEARCH_SKILLS,
  usage: USAGE,
}

/** The annotations of all built-in tools, which only read the gateway's own records. */
const HINTS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** The built-in tools as a tool list shows them. */
export function listBuiltInTools({ prefix }: Pick<Settings, 'prefix'>): readonly Tool[] {
  return BUILT_IN_NAMES.map((name) => toTool(`${prefix}_${name}`, BUILT_IN_TOOLS[name]))
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
