/**
 * Checks of settings that are objects: small functions that are put together. Each returns one line
 * for each error, which begins with the place, such as `issuers[0].audiences[1]`.
 */
import { describeChoices, describeWrongValue } from '../settings/describe-setting.ts'

/** `at`: the place of the value. Returns a line for each error; [] if the value fits. */
export type Check = (at: string, value: unknown) => readonly string[]

/** Characters of a secret, or of the name or ARN of one. */
const SECRET_CHARS_MAX = 2_048
const SECRET = new RegExp(`^[\\x21-\\x7e]{1,${SECRET_CHARS_MAX}}$`)

export function checkText(fits: (text: string) => boolean, rule: string): Check {
  return (at, value) => (typeof value === 'string' && fits(value) ? [] : [refuse(at, value, rule)])
}

export function checkChoice(choices: readonly string[]): Check {
  return checkText((text) => choices.includes(text), describeChoices(choices))
}

/** A whole number from 0. */
export function checkWhole(max: number): Check {
  return (at, value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max
      ? []
      : [refuse(at, value, `a whole number from 0 to ${max}`)]
}

/** A text that no line repeats. */
export const checkSecret: Check = (at, value) =>
  typeof value === 'string' && SECRET.test(value)
    ? []
    : [`${at}: does not fit; give 1 to ${SECRET_CHARS_MAX} visible ASCII characters without spaces`]

/** All checks of one value. */
export function checkAll(...checks: readonly Check[]): Check {
  return (at, value) => checks.flatMap((check) => check(at, value))
}

export function checkList(check: Check, entriesMax: number): Check {
  return (at, value) => {
    if (!Array.isArray(value)) return [refuse(at, value, 'a list')]
    if (value.length > entriesMax) {
      return [`${at}: has ${value.length} entries; give at most ${entriesMax}`]
    }
    return value.flatMap((entry, index) => check(`${at}[${index}]`, entry))
  }
}

/** An object of any names, each with a value that `check` accepts. */
export function checkMap(
  check: Check,
  { charsMax, entriesMax }: { readonly charsMax: number; readonly entriesMax: number },
): Check {
  return (at, value) => {
    if (!isObject(value)) return [refuse(at, value, 'an object')]
    const entries = Object.entries(value)
    if (entries.length === 0 || entries.length > entriesMax) {
      return [`${at}: has ${entries.length} entries; give 1 to ${entriesMax}`]
    }
    return entries.flatMap(([name, one]) =>
      name.length > 0 && name.length <= charsMax
        ? check(`${at}.${name}`, one)
        : [refuse(at, name, `names of 1 to ${charsMax} characters`)],
    )
  }
}

/** An object of these fields and no others. A field with the value undefined is absent. */
export function checkFields(
  fields: { readonly [name: string]: Check },
  required: readonly string[],
): Check {
  return (at, value) => {
    if (!isObject(value)) return [refuse(at, value, 'an object')]
    const names = Object.keys(value).filter((name) => value[name] !== undefined)
    const missing = required.filter((name) => !names.includes(name))
    return [
      ...missing.map((name) => `${at}.${name}: is missing; give it`),
      ...names.flatMap((name) => {
        const check = Object.hasOwn(fields, name) ? fields[name] : undefined
        return check === undefined
          ? [
              `${at}.${name.slice(0, NAME_CHARS_SHOWN)}: is not a field; give ${describeChoices(Object.keys(fields))}`,
            ]
          : check(`${at}.${name}`, value[name])
      }),
    ]
  }
}

const NAME_CHARS_SHOWN = 40

/** An object or a list is not shown: a secret may be in it. */
function refuse(at: string, value: unknown, rule: string): string {
  if (typeof value !== 'object' || value === null) return describeWrongValue(at, value, rule)
  return `${at}: is ${Array.isArray(value) ? 'a list' : 'an object'}; give ${rule}`
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
