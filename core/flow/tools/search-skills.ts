/**
 * The built-in tool `<prefix>_search_skills`: searches the caller's own tool list. The search finds
 * neither tools that the caller may not see nor tools that a private skill of the caller hides.
 * Free; calls no upstream. Bound by docs/service.md, Built-in tools, and
 * docs/design/skills.md#search.
 */
import { loadOnce } from '../../cache/load-once.ts'
import type { JsonObject } from '../../json/json.ts'
import {
  SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
  SEARCH_QUERY_CHARS_MAX,
} from '../../skills/limits.ts'
import type { BuiltInTool } from './built-in-tool.ts'

const importAnswer = loadOnce(() => import('./answer-search.ts'))

const INPUT_SCHEMA: JsonObject = {
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

/** The code that answers is loaded with the first call. */
export const SEARCH_SKILLS: BuiltInTool = {
  title: 'Search skills',
  description:
    'Finds tools that can be called here by words of their name, title, description and tags, best match ' +
    'first, each with its price in credits per call. Use it when the tool list is long, or when it ' +
    'is not clear which tool does something.',
  inputSchema: INPUT_SCHEMA,
  callers: 'anyone',
  answer: async (request) => (await importAnswer()).searchSkills(request),
}
