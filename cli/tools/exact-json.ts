/** JSON that a person wrote. A number that would be sent as another one is a fault of usage. */
import { changedNumbers, survives } from '../../core/json/changed-numbers.ts'
import type { Json } from '../../core/json/json.ts'
import { usageFault } from '../command/exit-code.ts'

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** `named` begins the message. Throws a SyntaxError for a text that is not JSON. */
export function parseExactly(text: string, named: string): Json {
  const value: Json = JSON.parse(text)
  const [changed] = changedNumbers(text, [])
  if (changed !== undefined) throw changedNumber(`${named}${changed.pointer}`)
  return value
}

/** Undefined: `text` is no number. Other spellings than those of JSON are taken, such as 0x10. */
export function exactNumber(text: string, named: string): number | undefined {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number)) return undefined
  const isKept = JSON_NUMBER.test(text) ? survives(text) : Math.abs(number) <= SAFE_MAX
  if (isKept) return number
  throw changedNumber(named)
}

const SAFE_MAX = Number.MAX_SAFE_INTEGER

function changedNumber(named: string) {
  return usageFault(
    `${named}: the number has more digits than a double keeps, so another one would be sent.`,
    'Write it as a text where a text is taken, such as NAME:=\'"9007199254740993"\'.',
  )
}
