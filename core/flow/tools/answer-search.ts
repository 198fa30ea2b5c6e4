/**
 * Answers a call of the built-in tool `<prefix>_search_skills`: searches the caller's tool list by
 * words, best match first. Loaded with its first call by search-skills.ts. Bound by
 * docs/design/skills.md#search.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import type { ToolResult } from '../../mcp/content.ts'
import { toListedInputSchema } from '../../mcp/listed-schema.ts'
import { makeTextResult } from '../../mcp/text-result.ts'
import { listTopics } from '../../search/list-topics.ts'
import { type SearchedList, searchTools } from '../../search/search-tools.ts'
import {
  SEARCH_DESCRIPTION_CHARS_MAX,
  SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
  SEARCH_QUERY_CHARS_MAX,
  SEARCH_SCHEMAS_BYTES_MAX,
} from '../../skills/limits.ts'
import type { Tool } from '../../skills/skill.ts'
import type { BuiltInRequest } from './built-in-tool.ts'

/** Bad arguments are a result with `isError`. Throws `Fault` if the store fails. */
export async function searchSkills({
  arguments: args,
  layers,
  list,
}: Pick<BuiltInRequest, 'arguments' | 'layers' | 'list'>): Promise<ToolResult> {
  const question = readQuestion(args)
  if (!question.ok) return makeTextResult(`${question.error.detail} ${USAGE_TEXT}`, true)
  const { own, shared } = await layers()
  const lists: SearchedList[] = [{ ...shared.search(), hides: own?.own.hides }]
  if (own !== undefined) lists.push({ index: own.index() })
  const matches = searchTools(lists, question.value.query, question.value.limit)
  if (matches.length === 0) return answerNoMatch(lists)
  const found = list === 'search' ? withSchemas(matches) : toFound(matches.map(toShownTool))
  const content = [{ type: 'text', text: JSON.stringify(found) }] as const
  return { content, structuredContent: found, isError: false }
}

/**
 * Says what the tools here are about, so that a model tries one of these words, or stops. Without
 * that, models read the whole tool list.
 */
function answerNoMatch(lists: readonly SearchedList[]): ToolResult {
  const { tools, topics } = listTopics(lists)
  const text =
    tools === 0
      ? 'There is no tool here that you may call. Other searches find none either.'
      : `No tool here does that. The tools here are about: ${topics.join(', ')}. Search for one of these words if it fits; if none fits, no tool here can do it, and the tool list has no others.`
  return {
    content: [{ type: 'text', text }],
    structuredContent: { ...toFound([]), topics },
    isError: false,
  }
}

function toFound(tools: readonly JsonObject[]): JsonObject {
  return { tools, count: tools.length }
}

/**
 * For callers whose list has no other tools: all that a call needs. Matches that would make the
 * answer too long are left out, the worst first, and counted.
 */
function withSchemas(matches: readonly Tool[]): JsonObject {
  const tools: JsonObject[] = []
  let bytes = 0
  for (const match of matches) {
    const tool = toCallableTool(match)
    bytes += countBytes(JSON.stringify(tool))
    if (tools.length > 0 && bytes > SEARCH_SCHEMAS_BYTES_MAX) break
    tools.push(tool)
  }
  const leftOut = matches.length - tools.length
  return { ...toFound(tools), ...(leftOut === 0 ? {} : { left_out: leftOut }) }
}

function toCallableTool(tool: Tool): JsonObject {
  const { description, inputSchema, name, title, priceMicroCredits } = tool
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: toListedInputSchema(inputSchema),
    credits: toCreditsNumber(priceMicroCredits),
  }
}

const USAGE_TEXT =
  `This tool takes {"query": 1 to ${SEARCH_QUERY_CHARS_MAX} characters, ` +
  `"limit"?: 1 to ${SEARCH_LIMIT_MAX}}.`

type Question = { readonly query: string; readonly limit: number }

function readQuestion(args: JsonObject): Result<Question> {
  const { limit = SEARCH_LIMIT_DEFAULT, query, ...unknown } = args
  const extra = Object.keys(unknown)
  if (extra.length > 0) {
    const names = extra.slice(0, 5).map((name) => name.slice(0, 40))
    return refuse('invalid_arguments', `Unknown arguments: ${names.join(', ')}.`)
  }
  if (typeof query !== 'string' || query.trim() === '') {
    return refuse('invalid_arguments', 'query: must be a string with at least one word.')
  }
  if ([...query].length > SEARCH_QUERY_CHARS_MAX) {
    return refuse(
      'invalid_arguments',
      `query: is longer than ${SEARCH_QUERY_CHARS_MAX} characters.`,
    )
  }
  if (!isLimit(limit)) {
    return refuse(
      'invalid_arguments',
      `limit: must be a whole number from 1 to ${SEARCH_LIMIT_MAX}.`,
    )
  }
  return ok({ query, limit })
}

function isLimit(limit: Json): limit is number {
  return (
    typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= SEARCH_LIMIT_MAX
  )
}

function toShownTool({ description, name, priceMicroCredits, title }: Tool): JsonObject {
  const all = [...description]
  const isCut = all.length > SEARCH_DESCRIPTION_CHARS_MAX
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description: isCut
      ? `${all.slice(0, SEARCH_DESCRIPTION_CHARS_MAX - 1).join('')}…`
      : description,
    credits: toCreditsNumber(priceMicroCredits),
  }
}
