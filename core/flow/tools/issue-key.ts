/**
 * The built-in tool `<prefix>_issue_key`: issues a sub-key of the caller's key. Only keys whose
 * record says so list it and may call it. Free; calls no upstream. Bound by docs/service.md,
 * Sub-keys.
 */
import { KEY_GLOB_PATTERN } from '../../access/key-scope.ts'
import { KEY_GLOBS_MAX } from '../../access/limits.ts'
import type { JsonObject } from '../../json/json.ts'
import { CALLS_PER_DAY_MAX } from '../../ledger/limits.ts'
import type { ShownTool } from './built-in-tool.ts'

const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    tools: {
      type: 'array',
      maxItems: KEY_GLOBS_MAX,
      items: { type: 'string', pattern: KEY_GLOB_PATTERN },
      description:
        'Globs over tool names, such as ["sg_weather*"]; only * is special. Without it: every tool of this key.',
    },
    maxCreditsPerCall: { type: 'number', minimum: 0, description: 'Most credits of one call.' },
    monthlyBudget: { type: 'number', minimum: 0, description: 'Most credits of one month.' },
    callsPerDay: {
      type: 'integer',
      minimum: 1,
      maximum: CALLS_PER_DAY_MAX,
      description: 'Most calls of one day (UTC).',
    },
  },
  additionalProperties: false,
}

/** The function execute answers its calls (execute-built-in.ts). */
export const ISSUE_KEY: ShownTool = {
  title: 'Issue a key',
  description:
    'Issues an API key for another agent, which may do no more than this key, and spends from its limits. ' +
    'The answer shows the key, only once. Free. Use it to give a sub-agent less than you may do yourself.',
  inputSchema: INPUT_SCHEMA,
}
