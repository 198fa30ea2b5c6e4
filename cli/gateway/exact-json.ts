/**
 * JSON in which numbers stay as they were written: JSON.parse turns 9007199254740993 into its neighbour, 1e400 into
 * none at all, and 1.0 into 1. A number that JSON.stringify writes in the same way is a number; any other one is an
 * ExactNumber, which prints and stringifies as it was written.
 */

import { survives } from '../../core/json/changed-numbers.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { rawNumber } from '../../core/json/raw-number.ts'

export class ExactNumber {
  readonly #text: string

  /** `text` is a number as JSON writes it. */
  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }

  toJSON(): unknown {
    return rawNumber(this.#text)
  }
}

/** A number that a person typed, which may be written as JSON has none, as +5; undefined where it is no number. */
export function exactNumberOf(text: string): number | ExactNumber | undefined {
  const plain = text.trim().replace(/^\+/, '')
  const number = Number(plain)
  if (plain === '' || Number.isNaN(number)) return undefined
  if (JSON_NUMBER.test(plain)) return survives(plain) ? number : new ExactNumber(plain)
  const isKept = /^0[box]/i.test(plain) ? Number.isSafeInteger(number) : survives(plain)
  return isKept ? number : undefined
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** True of an object that holds members; of a number, whichever way it is kept, it is false. */
export function isExactObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber)
  )
}

/** Throws SyntaxError, as JSON.parse does. Numbers for which `isNumber` is false become an ExactNumber. */
export function parseExactJson(text: string, isNumber = isCanonical): unknown {
  return JSON.parse(text, (_name: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && !isNumber(context.source)
      ? new ExactNumber(context.source)
      : value,
  )
}

function isCanonical(source: string): boolean {
  return String(Number(source)) === source
}
