/**
 * Asks the person on the terminal the questions that an upstream has before it can answer. Bound by
 * MCP 2026-07-28, basic/patterns/mrtr, and client/elicitation.
 */

import { writeType } from '../../core/openapi/signature.ts'
import { type Fields, toFields } from '../gateway/admin-client.ts'
import { parseExactNumber } from '../gateway/exact-json.ts'
import { CommandFault } from '../terminal/exit-code.ts'
import type { Shell } from '../terminal/shell.ts'
import { printNote } from '../terminal/shell.ts'
import { toOneLine } from '../terminal/table.ts'

/**
 * Returns the responses by key, as the next round sends them. Throws a CommandFault for a request
 * that a terminal cannot answer.
 */
export async function answerRequests(shell: Shell, requests: Fields): Promise<Fields> {
  const responses: { [key: string]: unknown } = {}
  for (const [key, request] of Object.entries(requests)) {
    const { method, params } = toFields(request)
    if (method !== 'elicitation/create') {
      throw new CommandFault(
        `The tool asks for ${toOneLine(String(method))}, which a terminal cannot give.`,
      )
    }
    responses[key] = await elicit(shell, toFields(params))
  }
  return responses
}

async function elicit(shell: Shell, params: Fields): Promise<Fields> {
  const message = toOneLine(String(params['message'] ?? ''))
  if (!shell.input.isTTY) {
    throw new CommandFault(`The tool asks: ${message}`, {
      remedy: 'Call it on a terminal, where you can answer.',
    })
  }
  printNote(shell, message)
  if (params['mode'] === 'url') return askToOpen(shell, String(params['url'] ?? ''))
  const schema = toFields(params['requestedSchema'])
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  const content: { [name: string]: unknown } = {}
  for (const [name, property] of Object.entries(toFields(schema['properties']))) {
    const value = await askProperty(shell, {
      name,
      schema: toFields(property),
      required: required.includes(name),
    })
    if (value === DECLINED) return { action: 'decline' }
    if (value !== undefined) content[name] = value
  }
  return { action: 'accept', content }
}

/** Asks the person to open the page; the person sees its address first. */
async function askToOpen(shell: Shell, url: string): Promise<Fields> {
  printNote(shell, toOneLine(url))
  const answer = await shell.input.ask('Open this page, then confirm. Done? [y/N] ')
  return { action: /^y(es)?$/i.test(answer.trim()) ? 'accept' : 'decline' }
}

const DECLINED = Symbol('declined')
type Property = { readonly name: string; readonly schema: Fields; readonly required: boolean }

/**
 * Asks for one property. An empty line means the default, else no answer; for a required property
 * it declines the whole question.
 */
async function askProperty(shell: Shell, property: Property): Promise<unknown> {
  const { name, required, schema } = property
  const { default: defaultValue, description } = schema
  const about = description === undefined ? '' : ` ${toOneLine(String(description))}`
  for (;;) {
    const text = (
      await shell.input.ask(
        `  ${toOneLine(name)}: ${toOneLine(writeType(schema))}${about} (${formatHint(property)}) `,
      )
    ).trim()
    if (text === '') return defaultValue ?? (required ? DECLINED : undefined)
    const value = parseAnswer(schema, text)
    if (value !== undefined) return value
    printNote(shell, `  ${toOneLine(text)} is not ${toOneLine(writeType(schema))}.`)
  }
}

function formatHint({ required, schema }: Property): string {
  const defaultValue = schema['default']
  if (defaultValue !== undefined) return `empty is ${toOneLine(JSON.stringify(defaultValue))}`
  return required ? 'empty declines' : 'empty leaves it out'
}

const BOOLEANS = new Map([
  ...['true', 'yes', 'y'].map((word) => [word, true] as const),
  ...['false', 'no', 'n'].map((word) => [word, false] as const),
])

function parseAnswer({ enum: values, type }: Fields, text: string): unknown {
  if (Array.isArray(values)) return values.find((value) => String(value) === text)
  if (type === 'boolean') return BOOLEANS.get(text.toLowerCase())
  if (type !== 'number' && type !== 'integer') return text
  const number = parseExactNumber(text)
  return type === 'number' || Number.isInteger(Number(number)) ? number : undefined
}
