/**
 * The tools that every caller has: free, without an upstream, listed even when the store is down.
 */
import type { JsonObject } from '../json/json.ts'
import { SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX, SEARCH_QUERY_CHARS_MAX } from './limits.ts'
import type { Tool, ToolAnnotations } from './skill.ts'

/** Names without the prefix; no skill may use them. */
export const RESERVED_NAMES: readonly string[] = ['account', 'search_skills', 'usage']

/** The built-in tools without the prefix; core/flow/tools/call-built-in.ts handles them. */
export type BuiltInName = 'account' | 'search_skills' | 'usage'

const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {}, additionalProperties: false }

const PAGE_ARGUMENTS: JsonObject = {
  type: 'object',
  properties: {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 20,
      description: 'How many calls to show.',
    },
    cursor: {
      type: 'string',
      description: 'next_cursor of the previous answer, to continue from there.',
    },
  },
  additionalProperties: false,
}

const SEARCH_ARGUMENTS: JsonObject = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      minLength: 1,
      maxLength: SEARCH_QUERY_CHARS_MAX,
      description: 'Words that describe the tool, such as "convert currency".',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: SEARCH_LIMIT_MAX,
      default: SEARCH_LIMIT_DEFAULT,
      description: 'How many tools to show.',
    },
  },
  required: ['query'],
  additionalProperties: false,
}

/** They read only the gateway's own records. */
const HINTS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

const BUILT_IN: {
  readonly [name in BuiltInName]: Pick<Tool, 'title' | 'description' | 'inputSchema'>
} = {
  account: {
    title: 'Account',
    description:
      'Shows the account that calls are charged to: credits left, tier and limits. ' +
      'Free, takes no arguments. Use it before an expensive call, or when a call was refused for lack of credits.',
    inputSchema: NO_ARGUMENTS,
  },
  search_skills: {
    title: 'Search skills',
    description:
      'Finds tools that can be called here by words of their name, title, description and tags, best match ' +
      'first, each with its price in credits per call. Free. Use it when the tool list is long, or when it ' +
      'is not clear which tool does something.',
    inputSchema: SEARCH_ARGUMENTS,
  },
  usage: {
    title: 'Usage',
    description:
      "Lists the account's own recent calls, newest first: skill, state (held while it runs, settled, or " +
      'refunded with the reason), credits charged, duration and upstream status. Never shows arguments. Free. ' +
      'Use it to see what was charged, or whether a failed call was refunded.',
    inputSchema: PAGE_ARGUMENTS,
  },
}

const NAMES: readonly BuiltInName[] = ['account', 'search_skills', 'usage']

export function builtInTools(prefix: string): readonly Tool[] {
  return NAMES.map((name) => ({
    name: `${prefix}_${name}`,
    ...BUILT_IN[name],
    skillId: undefined,
    priceMicroCredits: 0,
    annotations: HINTS,
  }))
}

/** The built-in tool that a name means; undefined for other names, which must be resolved. */
export function builtInName(prefix: string, toolName: string): BuiltInName | undefined {
  return NAMES.find((name) => toolName === `${prefix}_${name}`)
}

/** True for ids that no skill may have. */
export function isReserved(prefix: string, skillId: string): boolean {
  return RESERVED_NAMES.some((name) => skillId === `${prefix}_${name}`)
}
