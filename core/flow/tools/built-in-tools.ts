/**
 * The built-in tools. They are free and call no upstream. Every caller has them, listed even if the
 * store fails, except those about tasks.
 */
import type { Settings } from '../../settings.ts'
import { BUILT_IN_NAMES, type BuiltInName, TASK_TOOL_NAMES } from '../../skills/built-in-names.ts'
import type { Tool, ToolAnnotations } from '../../skills/skill.ts'
import type { BuiltInTool } from './built-in-tool.ts'
import { SEARCH_SKILLS } from './search-skills.ts'
import { ACCOUNT } from './show-account.ts'
import { CANCEL_TASK, TASK } from './show-task.ts'
import { USAGE } from './show-usage.ts'

export const BUILT_IN_TOOLS: { readonly [name in BuiltInName]: BuiltInTool } = {
  account: ACCOUNT,
  cancel_task: CANCEL_TASK,
  search_skills: SEARCH_SKILLS,
  task: TASK,
  usage: USAGE,
}

/** The annotations of built-in tools, which only read the gateway's own records. */
const HINTS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

const CANCEL_HINTS: ToolAnnotations = { ...HINTS, readOnlyHint: false, destructiveHint: true }

/** The built-in tools as a tool list shows them. */
export function listBuiltInTools({ prefix }: Pick<Settings, 'prefix'>): readonly Tool[] {
  return BUILT_IN_NAMES.map((name) => toTool(`${prefix}_${name}`, BUILT_IN_TOOLS[name]))
}

/** The built-in tools about tasks, which fit-task-tools.ts adds to the lists that need them. */
export function listTaskTools({ prefix }: Pick<Settings, 'prefix'>): readonly Tool[] {
  return TASK_TOOL_NAMES.map((name) => ({
    ...toTool(`${prefix}_${name}`, BUILT_IN_TOOLS[name]),
    annotations: name === 'task' ? HINTS : CANCEL_HINTS,
  }))
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
