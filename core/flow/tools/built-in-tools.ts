/**
 * The built-in tools. Every caller has them. They are free, call no upstream and are listed even if
 * the store fails.
 */
import type { Settings } from '../../settings.ts'
import { BUILT_IN_NAMES, type BuiltInName } from '../../skills/built-in-names.ts'
import type { Tool, ToolAnnotations } from '../../skills/skill.ts'
import type { BuiltInTool } from './built-in-tool.ts'
import { ISSUE_KEY } from './issue-key.ts'
import { SEARCH_SKILLS } from './search-skills.ts'
import { ACCOUNT } from './show-account.ts'
import { USAGE } from './show-usage.ts'

/** The tools of every key. The tool that issues keys writes, so only execute-built-in.ts runs it. */
export const BUILT_IN_TOOLS: { readonly [name in Exclude<BuiltInName, 'issue_key'>]: BuiltInTool } =
  {
    account: ACCOUNT,
    search_skills: SEARCH_SKILLS,
    usage: USAGE,
  }

/** The annotations of built-in tools that only read the gateway's own records. */
const READING: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** A new key is no change of what exists, and each call makes another one. */
const ISSUING: ToolAnnotations = { ...READING, readOnlyHint: false, idempotentHint: false }

/** The built-in tools as every tool list shows them. */
export function listBuiltInTools({ prefix }: Pick<Settings, 'prefix'>): readonly Tool[] {
  return BUILT_IN_NAMES.flatMap((name) =>
    name === 'issue_key' ? [] : toTool(`${prefix}_${name}`, BUILT_IN_TOOLS[name]),
  )
}

/** The further tool of keys that may issue keys. */
export function listIssuingTool({ prefix }: Pick<Settings, 'prefix'>): Tool {
  return { ...toTool(`${prefix}_issue_key`, ISSUE_KEY), annotations: ISSUING }
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
    annotations: READING,
  }
}
