/**
 * Reads `name=value` words as the arguments of a tool. Each value gets the type of the tool's
 * schema, so `city=007` stays a text if the schema wants a text.
 */
import { writeSignature } from '../../core/openapi/signature.ts'
import type { Invocation } from '../command/command.ts'
import { type Fields, toFields } from '../gateway/admin-client.ts'
import { type ExactNumber, parseExactNumber } from '../gateway/exact-json.ts'
import type { Tool } from '../gateway/mcp-client.ts'
import { toUsageFault } from '../terminal/exit-code.ts'
import { readJson } from '../terminal/read-json.ts'
import { readJsonWord, readLoose, readWords } from './read-words.ts'

/** Returns the arguments. Throws a usage fault for a word or value that does not fit the schema. */
export async function readArguments(
  call: Pick<Invocation, 'shell'>,
  words: readonly string[],
  tool: Tool,
): Promise<Fields> {
  const args = new Map<string, unknown>()
  for (const word of await readWords(call, words, listArguments(tool))) {
    const { isJson, name, text } = word
    const schema = toFields(toFields(tool.inputSchema['properties'])[name])
    const value = isJson
      ? readJsonWord(word, listArguments(tool))
      : readTyped({ name, text, schema, tool })
    const before = args.get(name)
    // Repeated words such as `tag=a tag=b` fill a list.
    const isList = isType(schema, 'array') && Array.isArray(before) && Array.isArray(value)
    if (args.has(name) && !isList) throw toFault(`${name} is given twice.`, tool)
    args.set(name, isList ? [...before, ...value] : value)
  }
  return Object.fromEntries(args)
}

type ArgumentText = {
  readonly name: string
  readonly text: string
  readonly schema: Fields
  readonly tool: Tool
}

function readTyped(written: ArgumentText): unknown {
  const { name, schema, text, tool } = written
  if (isType(schema, 'string') || Object.keys(schema).length === 0) return text
  if (isType(schema, 'integer') || isType(schema, 'number')) return readNumber(written)
  if (isType(schema, 'boolean')) return readBoolean(written)
  if (isType(schema, 'array') && !text.startsWith('[')) {
    return [readTyped({ ...written, schema: toFields(schema['items']) })]
  }
  const isJson = isType(schema, 'array') || isType(schema, 'object')
  return isJson ? readJsonValue(name, text, tool) : readLoose(name, text)
}

function readNumber({ name, text, tool }: ArgumentText): number | ExactNumber {
  const number = parseExactNumber(text)
  if (number !== undefined) return number
  throw toFault(`${name}: ${text} is not a number.`, tool)
}

function readBoolean({ name, text, tool }: ArgumentText): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw toFault(`${name}: ${text} is neither true nor false.`, tool)
}

/** Tells whether the schema admits the type `wanted`. */
function isType({ type }: Fields, wanted: string): boolean {
  return Array.isArray(type) ? type.includes(wanted) : type === wanted
}

function readJsonValue(name: string, text: string, tool: Tool): unknown {
  const value = readJson(text, name)
  if (value !== undefined) return value
  throw toFault(`${name}: ${text} is not JSON.`, tool)
}

function toFault(message: string, tool: Tool) {
  return toUsageFault(message, listArguments(tool))
}

function listArguments(tool: Tool): string {
  return `Its arguments: ${writeSignature(tool.name, tool.inputSchema)}`
}
