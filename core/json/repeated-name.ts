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

export function findRepeatedName(text: string): RepeatedName | undefined {
  const levels: Level[] = []
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    const level = levels.at(-1)
    if (unit === QUOTE) {
      const end = closingQuote(text, at)
      if (level?.names !== undefined && level.isNameNext) {
        level.name = nameIn(text.slice(at, end + 1))
        level.isNameNext = false
        if (level.names.has(level.name)) return repeated(levels)
        level.names.add(level.name)
      }
      at = end
    } else if (unit === COMMA && level !== undefined) {
      level.index += 1
      level.isNameNext = true
    } else open(levels, unit)
  }
  return undefined
}

function open(levels: Level[], unit: number): void {
  const char = String.fromCharCode(unit)
  if (char === '{') levels.push({ names: new Set(), index: 0, name: '', isNameNext: true })
  else if (char === '[') levels.push({ names: undefined, index: 0, name: '', isNameNext: false })
  else if (char === '}' || char === ']') levels.pop()
}

function nameIn(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
}

function repeated(levels: readonly Level[]): RepeatedName {
  const above = levels.slice(0, -1).map(({ index, name, names }) => (names ? name : index))
  return { name: levels.at(-1)?.name ?? '', pointer: jsonPointer(above) }
}
