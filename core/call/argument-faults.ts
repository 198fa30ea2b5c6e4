/**
 * Explains the field errors of a call's arguments to the model that wrote them. Two mistakes are
 * common and get a message of their own: `null` instead of leaving an argument out, and JSON sent
 * as a string. No message repeats a value.
 */
import type { FieldError } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { readPointer } from '../json/json-pointer.ts'

/** Errors that are analysed, each with one more check. A model sees no more than these. */
export const WORDED_FAULTS_MAX = 10

type Check = (args: Json) => readonly FieldError[]

/** `check` validates arguments; `faults` is its result for `args`. Explained errors come first. */
export function explainArgumentErrors(
  args: JsonObject,
  faults: readonly FieldError[],
  check: Check,
): readonly FieldError[] {
  const explained = new Map<string, FieldError>()
  for (const fault of faults.slice(0, WORDED_FAULTS_MAX)) {
    // The first error at a pointer is the summary: anyOf comes before its alternatives.
    const message = explained.has(fault.pointer) ? undefined : explainError(args, fault, check)
    if (message !== undefined) explained.set(fault.pointer, { ...fault, message })
  }
  const others = faults.filter(({ pointer }) => !explained.has(pointer))
  return [...explained.values(), ...others]
}

/** Returns undefined for an error that is neither of the two common mistakes. */
function explainError(args: JsonObject, fault: FieldError, check: Check): string | undefined {
  const sent = readPointer(args, fault.pointer)
  if (sent === null) return explainNull(args, fault, check)
  const meant = typeof sent === 'string' ? parseMeantJson(sent) : undefined
  if (meant === undefined || !fits(replaceAt(args, fault.pointer, meant), fault, check)) {
    return undefined
  }
  return `was sent as a text that holds JSON; send the ${typeName(meant)} itself, without quotes around it: it ${fault.message}`
}

function explainNull(args: JsonObject, fault: FieldError, check: Check): string {
  const without = replaceAt(args, fault.pointer, undefined)
  const otherwise = `send a value: it ${fault.message}`
  return fits(without, fault, check)
    ? `was sent as null, which it does not take; leave it out, or ${otherwise}`
    : `was sent as null, which it does not take; ${otherwise}`
}

function fits(args: Json, { pointer }: FieldError, check: Check): boolean {
  return check(args).every((one) => one.pointer !== pointer)
}

/** Returns undefined for text that is not JSON, or that is a JSON string or null. */
function parseMeantJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text)
    return typeof value === 'string' || value === null ? undefined : value
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

function typeName(value: Json): string {
  return Array.isArray(value) ? 'array' : typeof value
}

/** Returns `args` with `value` at `pointer`; an undefined value removes the member. */
function replaceAt(args: Json, pointer: string, value: Json | undefined): Json {
  const [name = '', ...rest] = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return replaceAtPath(args, [name, ...rest], value) ?? null
}

function replaceAtPath(
  at: Json,
  [name, ...rest]: readonly string[],
  value: Json | undefined,
): Json | undefined {
  if (name === undefined) return value
  if (Array.isArray(at)) {
    const items: readonly Json[] = at
    return items.map((item, index) =>
      String(index) === name ? (replaceAtPath(item, rest, value) ?? null) : item,
    )
  }
  if (!isJsonObject(at)) return at
  const entries = Object.entries(at).flatMap(([own, member]) => {
    const changed = own === name ? replaceAtPath(member, rest, value) : member
    return changed === undefined ? [] : [[own, changed] as const]
  })
  return Object.fromEntries(entries)
}
