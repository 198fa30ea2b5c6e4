/**
 * Judges one value by its row of the table: a typed value of a stage, or the text of a variable or option. Each fault
 * is one line that names the setting as its reader knows it, what was given, and what to give.
 */
import { err, ok, type Result } from '../errors.ts'
import type { Setting, Settings, ValuesOf } from './setting.ts'
import { readTierLimit, TIER_LIMIT_RULE, type TierLimit, tierLimitText } from './tier-limits.ts'

/** Who reads the message: an operator who edits a stage, a function's variables, or options of the twin. */
export type Reader = 'stage' | 'function' | 'twin'

const SHOWN_CHARS_MAX = 80
const CREDITS = /^\d{1,9}(?:\.\d{1,6})?$/
/** Of a switch, by who writes it; the first word is the one that is asked for. */
const WORDS = {
  stage: { on: ['true'], off: ['false'] },
  function: { on: ['on'], off: ['off'] },
  twin: { on: ['1', 'true', 'yes', 'on'], off: ['0', 'false', 'no', 'off'] },
} as const

/** The one sentence of a wrong value. A text is shown up to 80 characters. */
export function faultLine(name: string, given: unknown, rule: string): string {
  const shown = typeof given === 'string' ? given.slice(0, SHOWN_CHARS_MAX) : given
  return `${name}: is ${JSON.stringify(shown)}; give ${rule}`
}

/** What a value of the setting may be; completes "give …". */
export function ruleOf(row: Setting, reader: Reader): string {
  switch (row.kind) {
    case 'switch':
      return choiceRule([WORDS[reader].on[0], WORDS[reader].off[0]])
    case 'whole':
    case 'counts':
      return `a whole number from ${row.min} to ${row.max}`
    case 'credits':
      return `credits from 0 to ${row.max} with at most 6 decimals`
    case 'choice':
      return choiceRule(row.choices)
    case 'text':
    case 'list':
      return row.form.rule
    case 'secret':
      return 'the secret'
    case 'tiers':
      return TIER_LIMIT_RULE
    default:
      return row satisfies never
  }
}

export function choiceRule(choices: readonly (string | number)[]): string {
  return choices.length === 2 ? choices.join(' or ') : `one of ${choices.join(', ')}`
}

/** The value that a text stands for, or a line for each fault. */
export function readText(
  name: string,
  row: Setting,
  { reader, text }: { readonly reader: Reader; readonly text: string },
): Result<unknown, readonly string[]> {
  if (row.kind === 'list' || row.kind === 'tiers') return readEntries(name, row, text)
  const value = parseScalar(row, text, reader)
  if (value !== undefined && fits(row, value)) {
    return ok(row.kind === 'text' ? (row.form.tidy?.(text) ?? text) : value)
  }
  return err([faultLine(name, text, ruleOf(row, reader))])
}

/** A line for each fault of a stage's field. */
export function faultsOf(name: string, row: Setting, value: unknown): readonly string[] {
  if (value === undefined && 'default' in row && row.default === undefined) return []
  if (row.kind === 'counts') {
    return Object.entries(Object(value)).flatMap(([key, count]) =>
      fits({ ...row, kind: 'whole' }, count)
        ? []
        : [faultLine(`${name}.${key}`, count, ruleOf(row, 'stage'))],
    )
  }
  if (row.kind === 'list' || row.kind === 'tiers') {
    const read = readEntries(name, row, entriesOf(value))
    return read.ok ? [] : read.error
  }
  return fits(row, value) ? [] : [faultLine(name, value, ruleOf(row, 'stage'))]
}

/** As a stack writes a stage's field into the variable of a function; empty for a list without entries. */
export function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return Array.isArray(value) ? entriesOf(value).join(',') : String(value)
}

/** The defaults of settings. None of them may be required. */
export function defaultsOf<S extends Settings>(settings: S): ValuesOf<S> {
  const entries = Object.entries(settings).map(([name, row]) => [name, row.default])
  // A cast, as in parsers: `Object.entries` cannot give each name its own type.
  return Object.fromEntries(entries) as ValuesOf<S>
}

/** Each entry as text; a limit of a tier in the form of its variable. */
function entriesOf(value: unknown): readonly string[] {
  const entries: readonly (string | TierLimit)[] = Array.isArray(value) ? value : []
  return entries.map((entry) => (typeof entry === 'string' ? entry : tierLimitText(entry)))
}

type ListRow = Extract<Setting, { readonly kind: 'list' | 'tiers' }>

/** Of a text, its comma-separated entries; an empty entry counts for nothing. */
function readEntries(
  name: string,
  row: ListRow,
  given: string | readonly string[],
): Result<unknown, readonly string[]> {
  const entries = typeof given === 'string' ? given.split(',').map((one) => one.trim()) : given
  const named = typeof given === 'string' ? entries.filter((entry) => entry !== '') : entries
  const values = named.map((entry) => readEntry(row, entry))
  const wrong = named.filter((_, i) => values[i] === undefined)
  const faults = wrong.map((entry) => faultLine(name, entry, ruleOf(row, 'stage')))
  if (named.length > row.entriesMax) {
    faults.unshift(`${name}: has ${named.length} entries; give at most ${row.entriesMax}`)
  }
  return faults.length === 0 ? ok(values) : err(faults)
}

function readEntry(row: ListRow, entry: string): string | TierLimit | undefined {
  if (row.kind === 'tiers') return readTierLimit(entry)
  if (!row.form.fits(entry)) return undefined
  return row.form.tidy?.(entry) ?? entry
}

function parseScalar(row: Setting, text: string, reader: Reader): unknown {
  switch (row.kind) {
    case 'switch': {
      const on: readonly string[] = WORDS[reader].on
      const off: readonly string[] = WORDS[reader].off
      return on.includes(text) || (off.includes(text) ? false : undefined)
    }
    case 'whole':
      return /^\d{1,9}$/.test(text) ? Number(text) : undefined
    case 'credits':
      return CREDITS.test(text) ? Number(text) : undefined
    case 'choice':
      return row.choices.find((choice) => String(choice) === text)
    default:
      return text
  }
}

function fits(row: Setting, value: unknown): boolean {
  switch (row.kind) {
    case 'switch':
      return typeof value === 'boolean'
    case 'whole':
      return Number.isInteger(value) && Number(value) >= row.min && Number(value) <= row.max
    case 'credits':
      return typeof value === 'number' && CREDITS.test(String(value)) && value <= row.max
    case 'choice':
      return row.choices.some((choice) => choice === value)
    case 'text':
      return typeof value === 'string' && row.form.fits(value)
    default:
      return typeof value === 'string'
  }
}
