/**
 * The first name that an object of a JSON text has twice. JSON.parse keeps the last one, so what the first one said
 * would be lost without a word. The text must be valid JSON; escaped names count by what they mean.
 */
import { closingQuote, QUOTE } from './closing-quote.ts'
import { jsonPointer } from './json-pointer.ts'

export type RepeatedName = {
  readonly name: string
  /** Of the object that has it twice. */
  readonly pointer: string
}

type Level = {
  /** Undefined: an array. */
  readonly names: Set<string> | undefined
  index: number
  name: string
  isNameNext: boolean
}

const COMMA = 0x2c
const ARRAY_OPENS = 0x5b
const ARRAY_CLOSES = 0x5d
const OBJECT_OPENS = 0x7b
const OBJECT_CLOSES = 0x7d

export function findRepeatedName(text: string): RepeatedName | undefined {
  const levels: Level[] = []
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit !== QUOTE) {
      move(levels, unit)
      continue
    }
    const end = closingQuote(text, at)
    if (isSecond(levels.at(-1), text.slice(at, end + 1))) return repeated(levels)
    at = end
  }
  return undefined
}

/** Takes a string of an object as a name where one is due; true for a name that the object has already. */
function isSecond(level: Level | undefined, quoted: string): boolean {
  if (level?.names === undefined || !level.isNameNext) return false
  level.name = nameIn(quoted)
  level.isNameNext = false
  if (level.names.has(level.name)) return true
  level.names.add(level.name)
  return false
}

function move(levels: Level[], unit: number): void {
  const level = levels.at(-1)
  if (unit === COMMA && level !== undefined) {
    level.index += 1
    level.isNameNext = true
  } else open(levels, unit)
}

function open(levels: Level[], unit: number): void {
  const start = { index: 0, name: '' }
  if (unit === OBJECT_OPENS) levels.push({ ...start, names: new Set(), isNameNext: true })
  else if (unit === ARRAY_OPENS) levels.push({ ...start, names: undefined, isNameNext: false })
  else if (unit === OBJECT_CLOSES || unit === ARRAY_CLOSES) levels.pop()
}

function nameIn(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
}

function repeated(levels: readonly Level[]): RepeatedName {
  const above = levels.slice(0, -1).map(({ index, name, names }) => (names ? name : index))
  return { name: levels.at(-1)?.name ?? '', pointer: jsonPointer(above) }
}
