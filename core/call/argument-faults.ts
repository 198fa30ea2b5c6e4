/**
 * The faults of a call's arguments in words for the model that wrote them. Two slips are common and
 * get words of their own: `null` in place of an argument that is left out, and JSON sent as a text.
 * Never repeats a value.
 */
import type { FieldFault } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { atPointer } from '../json/json-pointer.ts'

/** Faults that are looked into, each with one more check: a model is shown no more of them. */
export const WORDED_FAULTS_MAX = 10

type Check = (args: Json) => readonly FieldFault[]

/** `check` finds the faults of arguments; `faults` are those of `args`. */
export function wordedFaults(
  args: JsonObject,
  faults: readonly FieldFault[],
  check: Check,
): readonly FieldFault[] {
  const slips = new Map<string, FieldFault>()
  for (const fault of faults.slice(0, WORDED_FAULTS_MAX)) {
    // Of several rules at one place the first one sums up: anyOf comes before its alternatives.
    const message = slips.has(fault.pointer) ? undefined : slipText(args, fault, check)
    if (message !== undefined) slips.set(fault.pointer, { ...fault, message })
  }
  const others = faults.filter(({ pointer }) => !slips.has(pointer))
  return [...slips.values(), ...others]
}

/** Undefined for a fault that is neither slip. */
function slipText(args: JsonObject, fault: FieldFault, check: Check): string | undefined {
  const sent = atPointer(args, fault.pointer)
  if (sent === null) return nullText(args, fault, check)
  const meant = typeof sent === 'string' ? jsonIn(sent) : undefined
  if (meant === undefined || !fits(replaced(args, fault.pointer, meant), fault, check)) {
    return undefined
  }
  return `was sent as a text that holds JSON; send the ${kindOf(meant)} itself, without quotes around it: it ${fault.message}`
}

function nullText(args: JsonObject, fault: FieldFault, check: Check): string {
  const without = replaced(args, fault.pointer, undefined)
  const otherwise = `send a value: it ${fault.message}`
  return fits(without, fault, check)
    ? `was sent as null, which it does not take; leave it out, or ${otherwise}`
    : `was sent as null, which it does not take; ${otherwise}`
}

function fits(args: Json, { pointer }: FieldFault, check: Check): boolean {
  return check(args).every((one) => one.pointer !== pointer)
}

/** Undefined for a text that is a text in JSON too, or null. */
function jsonIn(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text)
    return typeof value === 'string' || value === null ? undefined : value
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

function kindOf(value: Json): string {
  return Array.isArray(value) ? 'array' : typeof value
}

/** `args` with another value at `pointer`; without the member where it is undefined. */
function replaced(args: Json, pointer: string, value: Json | undefined): Json {
  const [name = '', ...rest] = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return replacedAt(args, [name, ...rest], value) ?? null
}

function replacedAt(
  at: Json,
  [name, ...rest]: readonly string[],
  value: Json | undefined,
): Json | undefined {
  if (name === undefined) return value
  if (Array.isArray(at)) {
    const items: readonly Json[] = at
    return items.map((item, index) =>
      String(index) === name ? (replacedAt(item, rest, value) ?? null) : item,
    )
  }
  if (!isJsonObject(at)) return at
  const entries = Object.entries(at).flatMap(([own, member]) => {
    const changed = own === name ? replacedAt(member, rest, value) : member
    return changed === undefined ? [] : [[own, changed] as const]
  })
  return Object.fromEntries(entries)
}
