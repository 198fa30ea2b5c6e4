/**
 * Prints a tool of an upstream for a person who decides about it: what is approved, what the server
 * offers, and what the search of the gateway found in its texts.
 */
import { wrapWords } from '../../adapters/formats/wrap-words.ts'
import { type Fields, toFields, toTexts } from '../gateway/admin-client.ts'
import { printMarkedLine } from '../terminal/colours.ts'
import type { Output, Shell } from '../terminal/shell.ts'
import { formatTime, toOneLine } from '../terminal/table.ts'
import { type DiffLine, diffLines } from '../terminal/word-diff.ts'

/** Words for the states of a tool, as an administrator reads them. */
const STATES: { readonly [state: string]: string } = {
  approved: 'approved',
  new: 'new: not listed before an approval',
  changed: 'changed by the server after it was approved',
  flagged: 'flagged: read its texts before an approval',
  gone: 'gone: the server no longer lists it',
  unusable: 'unusable: cannot be a tool here',
}

/** Narrowest texts on a terminal that says it is narrower than this. */
const NARROW_MIN = 20
/** Columns of the names before facts, and of the marks before lines of a definition. */
const NAME_COLUMNS = 8
const MARK_COLUMNS = 2

export function printTool({ nowMs, out }: Shell, tool: Fields): void {
  const columns = out.columns ?? Number.POSITIVE_INFINITY
  const lines = [
    ...listFacts(tool, formatSeen(tool, out, nowMs())).flatMap(([name, value]) => {
      const rows = wrapLine(toOneLine(value), columns - NAME_COLUMNS)
      return rows.map((row, index) => (index === 0 ? name : '').padEnd(NAME_COLUMNS) + row)
    }),
    ...listDifferences(tool, columns - MARK_COLUMNS),
  ]
  for (const line of lines) printMarkedLine(out, line)
}

/** Tells in one word what becomes of calls of a tool. */
export function describeCalls({ isHeld, skillId, skillState }: Fields): string {
  if (skillId === undefined) return 'not listed'
  if (isHeld === true) return 'refused'
  return skillState === 'listed' ? 'served' : String(skillState)
}

/** The time when the server first offered what waits. */
function formatSeen({ seenAtMs }: Fields, out: Output, nowMs: number): string | undefined {
  return typeof seenAtMs === 'number' ? formatTime(seenAtMs, out, nowMs) : undefined
}

function listFacts(
  tool: Fields,
  since: string | undefined,
): readonly (readonly [name: string, value: string])[] {
  const { digest, faults, skillId, state } = tool
  const calls = describeCalls(tool)
  return [
    ['tool', String(tool['tool'])],
    ['state', STATES[String(state)] ?? String(state)],
    ...(skillId === undefined ? [] : [['skill', String(skillId)] as const]),
    ['calls', calls === 'refused' ? 'refused, free of charge' : calls],
    ...(since === undefined ? [] : [['since', since] as const]),
    ...(digest === undefined || digest === '' ? [] : [['digest', String(digest)] as const]),
    ...toTexts(faults).map((fault) => ['found', fault] as const),
  ]
}

/** A heading and lines for each field that differs; without a second definition, for each field. */
function listDifferences({ approved, offered }: Fields, width: number): readonly string[] {
  return listFields(toFields(approved), toFields(offered)).flatMap((field) => {
    const rows = diffField(field, { approved, offered }).flatMap(({ mark, text }) =>
      wrapLine(text, width).map((row) => `${mark} ${row}`.trimEnd()),
    )
    return rows.length === 0 ? [] : ['', field, ...rows]
  })
}

/** Keeps the indentation of a line, also in the rows after its first. */
function wrapLine(line: string, width: number): readonly string[] {
  const indentation = /^ */.exec(line)?.[0] ?? ''
  const rest = Math.max(NARROW_MIN, width - indentation.length)
  return wrapWords(line.slice(indentation.length), rest).map((row) => indentation + row)
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
