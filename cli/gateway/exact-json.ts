/**
 * Parses JSON and keeps numbers as they were written: JSON.parse changes 9007199254740993 to its
 * neighbour, 1e400 to Infinity, and 1.0 to 1. A number that JSON.stringify writes back in the same
 * form becomes a number. Any other becomes an ExactNumber, which prints and stringifies as it was
 * written.
 */

import { isExactAsDouble } from '../../core/json/changed-numbers.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { toRawNumber } from '../../core/json/raw-number.ts'

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
    return toRawNumber(this.#text)
  }
}

/**
 * Reads a number that a person typed. Accepts forms that JSON lacks, as +5. Returns undefined if
 * the text is no number.
 */
export function parseExactNumber(text: string): number | ExactNumber | undefined {
  const plain = text.trim().replace(/^\+/, '')
  const number = Number(plain)
  if (plain === '' || Number.isNaN(number)) return undefined
  if (JSON_NUMBER.test(plain)) return isExactAsDouble(plain) ? number : new ExactNumber(plain)
  const isKept = /^0[box]/i.test(plain) ? Number.isSafeInteger(number) : isExactAsDouble(plain)
  return isKept ? number : undefined
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Tells whether a value is a JSON object; an ExactNumber is none. */
export function isExactObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber)
  )
}

/**
 * Parses JSON. Throws a SyntaxError as JSON.parse does. Numbers for which `isNumber` is false
 * become an ExactNumber.
 */
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
