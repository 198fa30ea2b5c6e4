/**
 * Questions that an upstream asks before it can answer, put to the person on the terminal. Bound by
 * MCP 2026-07-28, basic/patterns/mrtr, and client/elicitation.
 */

import { type Fields, fieldsOf } from '../gateway/admin-client.ts'
import { exactNumberOf } from '../gateway/exact-json.ts'
import { CommandFault } from '../terminal/exit-code.ts'
import type { Shell } from '../terminal/shell.ts'
import { note } from '../terminal/shell.ts'
import { plain } from '../terminal/table.ts'
import { typeText } from './signature.ts'

/** The responses by key, as the next round sends them. */
export async function answered(shell: Shell, requests: Fields): Promise<Fields> {
  const responses: { [key: string]: unknown } = {}
  for (const [key, request] of Object.entries(requests)) {
    const { method, params } = fieldsOf(request)
    if (method !== 'elicitation/create') {
      throw new CommandFault(
        `The tool asks for ${plain(String(method))}, which a terminal cannot give.`,
      )
    }
    responses[key] = await elicited(shell, fieldsOf(params))
  }
  return responses
}

async function elicited(shell: Shell, params: Fields): Promise<Fields> {
  const message = plain(String(params['message'] ?? ''))
  if (!shell.input.isTTY) {
    throw new CommandFault(`The tool asks: ${message}`, {
      remedy: 'Call it on a terminal, where you can answer.',
    })
  }
  note(shell, message)
  if (params['mode'] === 'url') return opened(shell, String(params['url'] ?? ''))
  const schema = fieldsOf(params['requestedSchema'])
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  const content: { [name: string]: unknown } = {}
  for (const [name, property] of Object.entries(fieldsOf(schema['properties']))) {
    const value = await askProperty(shell, {
      name,
      schema: fieldsOf(property),
      required: required.includes(name),
    })
    if (value === DECLINED) return { action: 'decline' }
    if (value !== undefined) content[name] = value
  }
  return { action: 'accept', content }
}

/** The page is opened by the person, who sees its address first. */
async function opened(shell: Shell, url: string): Promise<Fields> {
  note(shell, plain(url))
  const answer = await shell.input.ask('Open this page, then confirm. Done? [y/N] ')
  return { action: /^y(es)?$/i.test(answer.trim()) ? 'accept' : 'decline' }
}

const DECLINED = Symbol('declined')
type Property = { readonly name: string; readonly schema: Fields; readonly required: boolean }

/** An empty line is the default, no answer, or for a required property a refusal. */
async function askProperty(shell: Shell, property: Property): Promise<unknown> {
  const { name, required, schema } = property
  const { default: otherwise, description } = schema
  const about = description === undefined ? '' : ` ${plain(String(description))}`
  for (;;) {
    const text = (
      await shell.input.ask(
        `  ${plain(name)}: ${plain(typeText(schema))}${about} (${hintOf(property)}) `,
      )
    ).trim()
    if (text === '') return otherwise ?? (required ? DECLINED : undefined)
    const value = valueFor(schema, text)
    if (value !== undefined) return value
    note(shell, `  ${plain(text)} is not ${plain(typeText(schema))}.`)
  }
}

function hintOf({ required, schema }: Property): string {
  const otherwise = schema['default']
  if (otherwise !== undefined) return `empty is ${plain(JSON.stringify(otherwise))}`
  return required ? 'empty declines' : 'empty leaves it out'
}

const BOOLEANS = new Map([
  ...['true', 'yes', 'y'].map((word) => [word, true] as const),
  ...['false', 'no', 'n'].map((word) => [word, false] as const),
])

function valueFor({ enum: values, type }: Fields, text: string): unknown {
  if (Array.isArray(values)) return values.find((value) => String(value) === text)
  if (type === 'boolean') return BOOLEANS.get(text.toLowerCase())
  if (type !== 'number' && type !== 'integer') return text
  const number = exactNumberOf(text)
  return type === 'number' || Number.isInteger(Number(number)) ? number : undefined
}
