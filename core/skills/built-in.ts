/** The tools that every caller has: free, no upstream, listed even when the store is down. */
import type { JsonObject } from '../json/json.ts'
import type { Tool } from './skill.ts'

/** Names without the prefix; also those of tools to come, so that no skill takes them before. */
export const RESERVED_NAMES: readonly string[] = ['account', 'search_skills', 'usage']

/** Built-in tools of this build, without the prefix; each has its handler in core/flow/call-tool.ts. */
export type BuiltInName = 'account' | 'usage'

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
      description: 'next_cursor of the answer before, to go on from there.',
    },
  },
  additionalProperties: false,
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
  usage: {
    title: 'Usage',
    description:
      "Lists the account's own recent calls, newest first: skill, state (held while it runs, settled, or " +
      'refunded with the reason), credits charged, duration and upstream status. Never shows arguments. Free. ' +
      'Use it to see what was charged, or whether a failed call was refunded.',
    inputSchema: PAGE_ARGUMENTS,
  },
}

const NAMES: readonly BuiltInName[] = ['account', 'usage']

export function builtInTools(prefix: string): readonly Tool[] {
  return NAMES.map((name) => ({
    name: `${prefix}_${name}`,
    ...BUILT_IN[name],
    skillId: undefined,
    priceMicroCredits: 0,
  }))
}

/** Which of {@link builtInTools} a name means; undefined for any other, which must be resolved. */
export function builtInName(prefix: string, toolName: string): BuiltInName | undefined {
  return NAMES.find((name) => toolName === `${prefix}_${name}`)
}

/** True for ids that no skill may have. */
export function isReserved(prefix: string, skillId: string): boolean {
  return RESERVED_NAMES.some((name) => skillId === `${prefix}_${name}`)
}
