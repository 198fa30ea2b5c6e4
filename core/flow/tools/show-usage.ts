/**
 * The built-in tool `<prefix>_usage`: shows the caller's own recent calls, newest first, each with
 * its charge or the reason of its refund. Free; calls no upstream and shows no arguments. Bound by
 * docs/service.md, Built-in tools.
 */
import { loadOnce } from '../../cache/load-once.ts'
import type { JsonObject } from '../../json/json.ts'
import type { BuiltInTool } from './built-in-tool.ts'

const importAnswer = loadOnce(() => import('./answer-usage.ts'))

const INPUT_SCHEMA: JsonObject = {
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

/** The code that answers is loaded with the first call. */
export const USAGE: BuiltInTool = {
  title: 'Usage',
  description:
    "Lists the account's own recent calls, newest first: skill, state (held while it runs, settled, or " +
    'refunded with the reason), credits charged, duration and upstream status. Never shows arguments. ' +
    'Use it to see what was charged, or whether a failed call was refunded.',
  inputSchema: INPUT_SCHEMA,
  callers: 'users',
  answer: async (request, ports) => (await importAnswer()).showUsage(request, ports),
}
