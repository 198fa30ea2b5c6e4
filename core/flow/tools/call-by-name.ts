/**
 * The built-in tool `<prefix>_call`: calls any other tool by its name, for a model whose list has
 * the search in place of all tools. Doors replace the call by a call of the named tool before they
 * read anything, so limits, arguments, money, logs and the answer are those of a direct call. This
 * file has the entry of the list, and answers calls that name no tool. Only users of the short list
 * may call it. Bound by docs/service.md, Short tool list, and ADR 0109.
 */
import { SKILL_NAME_CHARS_MAX } from '../../call/read-execute.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { isJsonObject, type JsonObject } from '../../json/json.ts'
import { makeTextResult } from '../../mcp/text-result.ts'
import { findBuiltInName } from '../../skills/built-in-names.ts'
import type { BuiltInTool } from './built-in-tool.ts'

const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: SKILL_NAME_CHARS_MAX,
      description: 'The name of the tool, as the search shows it.',
    },
    arguments: {
      type: 'object',
      description: "The arguments of that tool, as its inputSchema in the search's answer says.",
      default: {},
    },
  },
  required: ['name'],
  additionalProperties: false,
}

export const CALL: BuiltInTool = {
  title: 'Call a tool',
  description:
    'Calls a tool that is not in this list. Find it with the search tool first, which shows its name, ' +
    'inputSchema and price. The answer is that of the called tool.',
  inputSchema: INPUT_SCHEMA,
  callers: 'users',
  answer: async ({ arguments: args, settings }) => {
    const read = readNamedTool(settings.prefix, args)
    return makeTextResult(read.ok ? NOT_REPLACED : `${read.error.detail} ${USAGE_TEXT}`, true)
  },
}

const USAGE_TEXT = 'This tool takes {"name": "…", "arguments": {…}}.'
const NOT_REPLACED = 'This call could not be passed on. Call the tool by its own name.'

/** What a call asks for: the name of a tool, and its arguments. */
export type AskedTool = {
  readonly name: string
  readonly arguments: JsonObject
  /** True for a call of `<prefix>_call`. */
  readonly byName: boolean
}

/**
 * Returns the tool that a call means: the named one for a call of `<prefix>_call`, else the called
 * one. A call that names no tool stays one of `<prefix>_call`, which answers with the reason.
 */
export function toAskedTool(prefix: string, name: string, args: JsonObject): AskedTool {
  if (findBuiltInName(prefix, name) !== 'call') return { name, arguments: args, byName: false }
  const named = readNamedTool(prefix, args)
  return named.ok ? { ...named.value, byName: true } : { name, arguments: args, byName: true }
}

function readNamedTool(
  prefix: string,
  { arguments: sent, name, ...unknown }: JsonObject,
): Result<Pick<AskedTool, 'arguments' | 'name'>> {
  // Null counts as absent, as in the params of tools/call.
  const inner = sent ?? {}
  const [extra] = Object.keys(unknown)
  if (extra !== undefined) {
    return refuseArguments(
      `${extra.slice(0, 64).toWellFormed()}: is not an argument of this tool; those of the called tool go into "arguments".`,
    )
  }
  if (typeof name !== 'string' || name === '' || name.length > SKILL_NAME_CHARS_MAX) {
    return refuseArguments(
      `name: must be the name of a tool, of 1 to ${SKILL_NAME_CHARS_MAX} characters.`,
    )
  }
  if (findBuiltInName(prefix, name) === 'call') {
    return refuseArguments('name: must be another tool than this one.')
  }
  if (!isJsonObject(inner)) {
    return refuseArguments(
      typeof inner === 'string'
        ? 'arguments: was sent as a text; send the JSON object itself, without quotes around it.'
        : 'arguments: must be an object; leave it out for {}.',
    )
  }
  return ok({ name, arguments: inner })
}

function refuseArguments(detail: string): Result<never> {
  return refuse('invalid_arguments', detail)
}
