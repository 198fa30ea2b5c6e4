/**
 * `name=value` words as the arguments of a tool: each value becomes what the tool's schema says, so
 * that `city=007` stays a text where the schema wants one. `name:=JSON` is taken as it is.
 */

import { type Fields, fieldsOf } from '../gateway/admin-client.ts'
import { type ExactNumber, exactNumberOf } from '../gateway/exact-json.ts'
import type { Tool } from '../gateway/mcp-client.ts'
import { usageFault } from '../terminal/exit-code.ts'
import { readJson } from '../terminal/read-json.ts'
import { signature } from './signature.ts'

export function readArguments(words: readonly string[], tool: Tool): Fields {
  const args = new Map<string, unknown>()
  for (const word of words) {
    const [, name = '', raw = '', text = ''] = /^([^=]+?)(:?)=(.*)$/s.exec(word) ?? []
    if (name === '') throw wrong(`${word} is not name=value.`, tool)
    const schema = fieldsOf(fieldsOf(tool.inputSchema['properties'])[name])
    const value = raw === ':' ? jsonOf(name, text, tool) : typed({ name, text, schema, tool })
    const before = args.get(name)
    // `tag=a tag=b` fills a list.
    const isList = isType(schema, 'array') && Array.isArray(before) && Array.isArray(value)
    if (args.has(name) && !isList) throw wrong(`${name} is given twice.`, tool)
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

function typed(written: ArgumentText): unknown {
  const { name, schema, text, tool } = written
  if (isType(schema, 'string') || Object.keys(schema).length === 0) return text
  if (isType(schema, 'integer') || isType(schema, 'number')) return numberOf(written)
  if (isType(schema, 'boolean')) return booleanOf(written)
  if (isType(schema, 'array') && !text.startsWith('[')) {
    return [typed({ ...written, schema: fieldsOf(schema['items']) })]
  }
  const isJson = isType(schema, 'array') || isType(schema, 'object')
  return isJson ? jsonOf(name, text, tool) : looseOf(name, text)
}

function numberOf({ name, text, tool }: ArgumentText): number | ExactNumber {
  const number = exactNumberOf(text)
  if (number !== undefined) return number
  throw wrong(`${name}: ${text} is not a number.`, tool)
}

function booleanOf({ name, text, tool }: ArgumentText): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw wrong(`${name}: ${text} is neither true nor false.`, tool)
}

/** A type among others wins only when it is a string: every text fits that. */
function isType({ type }: Fields, wanted: string): boolean {
  return Array.isArray(type) ? type.includes(wanted) : type === wanted
}

function jsonOf(name: string, text: string, tool: Tool): unknown {
  const value = readJson(text, name)
  if (value !== undefined) return value
  throw wrong(`${name}: ${text} is not JSON.`, tool)
}

/** A schema without a type takes anything: JSON where it is JSON. */
function looseOf(name: string, text: string): unknown {
  const value = readJson(text, name)
  return value === undefined ? text : value
}

function wrong(message: string, tool: Tool) {
  return usageFault(message, `Its arguments: ${signature(tool)}`)
}
