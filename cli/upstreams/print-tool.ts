/**
 * Prints a tool of an upstream for a person who decides about it: what is approved, what the server
 * offers, and what the search of the gateway found in its texts.
 */
import { wrapWords } from '../../adapters/formats/wrap-words.ts'
import { type Fields, toFields } from '../gateway/admin-client.ts'
import type { Shell } from '../terminal/shell.ts'
import { formatInstant, toOneLine } from '../terminal/table.ts'
import { type DiffLine, diffLines } from './text-diff.ts'

/** Words for the states of a tool, as an administrator reads them. */
const STATES: { readonly [state: string]: string } = {
  approved: 'approved',
  new: 'new: not listed before an approval',
  changed: 'changed: listed as approved',
  flagged: 'flagged: read its texts before an approval',
  gone: 'gone: the server lists it no more, and the next refresh disables it',
  unusable: 'unusable: cannot be a tool here',
}

export function printTool({ out }: Shell, tool: Fields): void {
  const print = (text: string) => out.write(`${text}\n`)
  for (const [name, value] of listFacts(tool)) {
    if (value !== undefined) print(`${name.padEnd(7)}  ${toOneLine(value)}`)
  }
  for (const fault of toTexts(tool['faults'])) print(`found    ${toOneLine(fault)}`)
  const { approved, offered } = tool
  const width = Math.max(NARROW_MIN, (out.columns ?? Number.POSITIVE_INFINITY) - MARGIN)
  for (const field of listFields(toFields(approved), toFields(offered))) {
    const lines = diffField(field, { approved, offered })
    if (lines.length === 0) continue
    print('')
    print(field)
    for (const { mark, text } of lines) {
      for (const row of wrapWords(text, width)) print(`${mark} ${row}`.trimEnd())
    }
  }
}

/** Columns of the mark and its gap. */
const MARGIN = 2
/** Narrowest texts on a terminal that says it is narrower than this. */
const NARROW_MIN = 20

function listFacts(tool: Fields): readonly (readonly [name: string, value: string | undefined])[] {
  const { isHeld, skillId, skillState } = tool
  const state = STATES[String(tool['state'])] ?? String(tool['state'])
  const skill = skillId === undefined ? undefined : `${skillId} (${skillState})`
  return [
    ['tool', String(tool['tool'])],
    ['state', isHeld === true ? `${state}; its calls are refused, free of charge` : state],
    ['skill', skill],
    ['since', formatInstant(tool['seenAtMs'])],
    ['digest', tool['digest'] === '' ? undefined : toText(tool['digest'])],
  ]
}

/** Texts that a person reads first come first. */
const FIRST_FIELDS = ['name', 'description', 'parameters']

function listFields(approved: Fields, offered: Fields): readonly string[] {
  const names = new Set([...Object.keys(approved), ...Object.keys(offered)])
  const first = FIRST_FIELDS.filter((name) => names.has(name))
  return [...first, ...[...names].filter((name) => !first.includes(name)).sort()]
}

type Definitions = { readonly approved: unknown; readonly offered: unknown }

/** Without a second definition, returns the lines of the only one. */
function diffField(field: string, { approved, offered }: Definitions): readonly DiffLine[] {
  const before = toLines(toFields(approved)[field])
  const after = toLines(toFields(offered)[field])
  if (offered === undefined) return before.map((text) => ({ mark: ' ', text }))
  if (approved === undefined) return after.map((text) => ({ mark: '+', text }))
  return diffLines(before, after)
}

/** A text has a line for each of its sentences, so that a change within a long one is found. */
function toLines(value: unknown): readonly string[] {
  if (value === undefined) return []
  if (typeof value !== 'string') return JSON.stringify(value, null, 2).split('\n')
  return value
    .split('\n')
    .flatMap((line) => line.split(SENTENCE_END))
    .map((line) => toOneLine(line))
}

const SENTENCE_END = /(?<=[.!?;])[ \t]+/

function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function toText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value)
}
