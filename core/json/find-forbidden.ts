/**
 * Finds well-formed JSON that is unsafe to pass on: names that reach a prototype when a careless
 * copy assigns them (here or in an upstream), U+0000 (ends a string in C code; some stores refuse
 * it), and half of a surrogate pair (cannot be written as UTF-8; URL encoding throws on it).
 */
import type { FieldFault } from '../errors.ts'
import type { Json, JsonObject } from './json.ts'
import { isJsonObject } from './json.ts'
import { jsonPointer } from './json-pointer.ts'

/** UTF-16 units. Senders choose names, so a pointer in an error text is cut. */
const POINTER_LENGTH_MAX = 200

const NUL = '\u0000'

type Path = (string | number)[]

/**
 * The first forbidden part of `value`, which was parsed from `text`; undefined when there is none.
 */
export function findForbidden(text: string, value: Json): FieldFault | undefined {
  return mayHoldForbidden(text) ? findIn(value, []) : undefined
}

/**
 * Every forbidden part is written with one of these (a raw U+0000 is not JSON, and a raw lone
 * surrogate is possible only in a text), so most bodies need not be walked.
 */
function mayHoldForbidden(text: string): boolean {
  return (
    text.includes('\\u') ||
    text.includes('__proto__') ||
    text.includes('constructor') ||
    !text.isWellFormed()
  )
}

/** Recursion is bounded by the depth limit, which was checked before. */
function findIn(value: Json, path: Path): FieldFault | undefined {
  if (typeof value === 'string') return faultOfText(value, 'text', path)
  if (isJsonObject(value)) return findInMembers(value, path)
  if (Array.isArray(value)) return findInItems(value, path)
  return undefined
}

function findInItems(items: readonly Json[], path: Path): FieldFault | undefined {
  for (const [index, item] of items.entries()) {
    const fault = findIn(item, [...path, index])
    if (fault !== undefined) return fault
  }
  return undefined
}

function findInMembers(members: JsonObject, path: Path): FieldFault | undefined {
  for (const [name, value] of Object.entries(members)) {
    const at = [...path, name]
    const fault = faultOfName(name, value, at) ?? findIn(value, at)
    if (fault !== undefined) return fault
  }
  return undefined
}

function faultOfName(name: string, value: Json, at: Path): FieldFault | undefined {
  if (name === '__proto__') return forbidden(at, 'the name `__proto__` is refused; rename it')
  if (name === 'constructor' && isJsonObject(value) && Object.hasOwn(value, 'prototype')) {
    return forbidden(at, '`constructor` with a `prototype` in it is refused; rename it')
  }
  return faultOfText(name, 'name', at)
}

function faultOfText(text: string, kind: 'text' | 'name', at: Path): FieldFault | undefined {
  if (text.includes(NUL)) return forbidden(at, `the ${kind} holds U+0000; leave it out`)
  if (!text.isWellFormed()) {
    return forbidden(at, `the ${kind} holds half of a surrogate pair; send whole characters`)
  }
  return undefined
}

/** A fault at a path that a sender chose: its pointer is cut, and written in whole characters. */
export function forbidden(at: readonly (string | number)[], message: string): FieldFault {
  const pointer = jsonPointer(at).toWellFormed().replaceAll(NUL, '\uFFFD')
  return { pointer: pointer.slice(0, POINTER_LENGTH_MAX), message }
}
