/**
 * The built-in tools. They are free and call no upstream. Every caller has them, listed even if the
 * store fails, except those about tasks and keys.
 */
import type { Settings } from '../../settings.ts'
import {
  BUILT_IN_NAMES,
  type BuiltInName,
  type CallSideName,
  findBuiltInName,
  isCallSide,
  NAMES_BY_LIST,
  TASK_TOOL_NAMES,
} from '../../skills/built-in-names.ts'
import type { Tool, ToolAnnotations } from '../../skills/skill.ts'
import type { ToolListKind } from '../../skills/tool-list-kind.ts'
import type { BuiltInTool, ShownTool } from './built-in-tool.ts'
import { CALL } from './call-by-name.ts'
import { ISSUE_KEY } from './issue-key.ts'
import { READ_RESULT } from './read-result.ts'
import { SEARCH_SKILLS } from './search-skills.ts'
import { ACCOUNT } from './show-account.ts'
import { CANCEL_TASK, TASK } from './show-task.ts'
import { USAGE } from './show-usage.ts'

/** The tools that every function answers. */
export const BUILT_IN_TOOLS: {
  readonly [name in Exclude<BuiltInName, CallSideName>]: BuiltInTool
} = {
  account: ACCOUNT,
  call: CALL,
  cancel_task: CANCEL_TASK,
  search_skills: SEARCH_SKILLS,
  task: TASK,
  usage: USAGE,
}

/** Only execute-built-in.ts runs these. */
const CALL_SIDE_TOOLS: { readonly [name in CallSideName]: ShownTool } = {
  issue_key: ISSUE_KEY,
  read_result: READ_RESULT,
}

/** The annotations of built-in tools that only read the gateway's own records. */
const READING: ToolAnnotations = {
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

const CANCEL_HINTS: ToolAnnotations = { ...READING, readOnlyHint: false, destructiveHint: true }

/** A new key is no change of what exists, and each call makes another one. */
const ISSUING: ToolAnnotations = { ...READING, readOnlyHint: false, idempotentHint: false }

/** What tools have that do more than read. */
const MORE: { readonly [name in BuiltInName]?: Partial<Tool> } = {
  call: { annotations: CALL_HINTS, costsAsNamed: true },
  cancel_task: { annotations: CANCEL_HINTS },
  issue_key: { annotations: ISSUING },
}

/** True for a tool that an access token without the scope to call tools may call. */
export function isReading(name: BuiltInName): boolean {
  if (isCallSide(name)) return name === 'read_result'
  const tool = BUILT_IN_TOOLS[name]
  return tool.callers === 'anyone' || tool.changes !== true
}

/** Returns all built-in tools in the order of their names. Each list shows some of them. */
export function makeBuiltInTools({ prefix }: Pick<Settings, 'prefix'>): readonly Tool[] {
  return BUILT_IN_NAMES.map((name) => ({
    ...toTool(`${prefix}_${name}`, isCallSide(name) ? CALL_SIDE_TOOLS[name] : BUILT_IN_TOOLS[name]),
    ...MORE[name],
  }))
}

/** Returns the built-in tools that a list of this kind shows. */
export function listBuiltInTools(
  settings: Pick<Settings, 'prefix'>,
  kind: ToolListKind,
): readonly Tool[] {
  return pickShown(settings, kind, makeBuiltInTools(settings))
}

/** Returns the tools of a merged list that a list of this kind shows to everybody. */
export function pickShown(
  settings: Pick<Settings, 'prefix'>,
  kind: ToolListKind,
  tools: readonly Tool[],
): readonly Tool[] {
  return tools.filter(({ name }) => isShown(settings, kind, name))
}

function isShown({ prefix }: Pick<Settings, 'prefix'>, kind: ToolListKind, name: string): boolean {
  const builtIn = findBuiltInName(prefix, name)
  return builtIn === undefined ? kind === 'all' : NAMES_BY_LIST[kind].includes(builtIn)
}

/** The built-in tools about tasks, which fit-task-tools.ts adds to the lists that need them. */
export function listTaskTools({ prefix }: Pick<Settings, 'prefix'>): readonly Tool[] {
  const names = TASK_TOOL_NAMES.map((name) => `${prefix}_${name}`)
  return makeBuiltInTools({ prefix }).filter(({ name }) => names.includes(name))
}

/** The further tool of keys that may issue keys. */
export function listIssuingTool({ prefix }: Pick<Settings, 'prefix'>): readonly Tool[] {
  return makeBuiltInTools({ prefix }).filter(({ name }) => name === `${prefix}_issue_key`)
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
