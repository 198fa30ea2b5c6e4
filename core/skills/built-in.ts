/** The tools that every caller has: free, no upstream, listed even when the store is down. */
import type { JsonObject } from '../json/json.ts'
import type { Tool } from './skill.ts'

/** Names without the prefix; also those of tools to come, so that no skill takes them before. */
export const RESERVED_NAMES: readonly string[] = ['account', 'search_skills', 'usage']

const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {}, additionalProperties: false }

export function builtInTools(prefix: string): readonly Tool[] {
  return [
    {
      name: `${prefix}_account`,
      title: 'Account',
      description:
        'Shows the account that calls are charged to: credits left, tier and limits. ' +
        'Free, takes no arguments. Use it before an expensive call, or when a call was refused for lack of credits.',
      inputSchema: NO_ARGUMENTS,
      skillId: undefined,
      priceMicroCredits: 0,
    },
  ]
}

/** True for the name of a tool of {@link builtInTools}: answered without any resolution. */
export function isBuiltIn(prefix: string, toolName: string): boolean {
  return toolName === `${prefix}_account`
}

/** True for ids that no skill may have. */
export function isReserved(prefix: string, skillId: string): boolean {
  return RESERVED_NAMES.some((name) => skillId === `${prefix}_${name}`)
}
