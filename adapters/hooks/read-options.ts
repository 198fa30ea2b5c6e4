/**
 * Parses `config.plugin_options` into the typed options of a hook, and collects all errors, each
 * with its pointer. An unknown member is an error, because a typing error must not switch a
 * signature off. Messages continue the pointer and repeat no value.
 */
import { err, type FieldError, ok, type Result } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { toJsonPointer } from '../../core/json/json-pointer.ts'
import type { HookFailure } from '../../core/ports/registry.ts'
import { isSecretName, SECRET_NAME_RULE } from '../../core/secrets/secret.ts'
import { checkHeaderName } from '../../core/skills/definition/read-pairs.ts'

/** Characters of a text option. */
export const OPTION_CHARS_MAX = 2048

/** After an error each method returns a harmless value, so that reading continues. */
export type OptionReader = {
  secretName(name: string): string
  /** Lower-case. */
  headerName(name: string): string | undefined
  /** Undefined if the option is absent. `rule` continues "must be". */
  text(name: string, matches: RegExp, rule: string): string | undefined
  choice<T extends string>(name: string, values: readonly T[], otherwise: T): T
  has(name: string): boolean
  fault(name: string, message: string): void
}

/** `known`: the names of all options of the hook. */
export function readOptions<T>(
  options: JsonObject,
  known: readonly string[],
  read: (from: OptionReader) => T,
): Result<T, readonly FieldError[]> {
  const faults = Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      pointer: toJsonPointer([name]),
      message: `is not an option of this hook; it takes ${known.join(', ') || 'none'}`,
    }))
  const value = read(makeReader(options, faults))
  return faults.length > 0 ? err(faults) : ok(value)
}

export function listErrors(read: Result<unknown, readonly FieldError[]>): readonly FieldError[] {
  return read.ok ? [] : read.error
}

/** The failure of a skill that was stored before its options were checked. */
export function makeOptionsFailure(faults: readonly FieldError[]): HookFailure {
  const [first] = faults
  return {
    detail: `The skill cannot run: plugin_options${first?.pointer ?? ''} ${first?.message ?? ''}.`,
  }
}

function makeReader(options: JsonObject, faults: FieldError[]): OptionReader {
  const findOption = (name: string) => (Object.hasOwn(options, name) ? options[name] : undefined)
  const fault = (name: string, message: string) => {
    faults.push({ pointer: toJsonPointer([name]), message })
  }
  return {
    fault,
    has: (name) => findOption(name) !== undefined,
    secretName: (name) => {
      const value = findOption(name)
      if (typeof value === 'string' && isSecretName(value)) return value
      fault(name, `must be the name of a secret, ${SECRET_NAME_RULE}, never its value`)
      return ''
    },
    headerName: (name) => {
      const value = findOption(name)
      if (value === undefined) return undefined
      if (typeof value !== 'string') fault(name, 'is not a string; send the name of a header')
      const lower = String(value).toLowerCase()
      const wrong = typeof value === 'string' ? checkHeaderName(lower) : undefined
      if (wrong !== undefined) fault(name, wrong)
      return lower
    },
    text: (name, matches, rule) => {
      const value = findOption(name)
      if (value === undefined) return undefined
      if (isText(value) && matches.test(value)) return value
      fault(name, `must be ${rule}`)
      return ''
    },
    choice: (name, values, otherwise) => {
      const value = findOption(name)
      const found = value === undefined ? otherwise : values.find((one) => one === value)
      const shown = values.map((one) => JSON.stringify(one)).join(', ')
      if (found === undefined) fault(name, `must be one of ${shown}`)
      return found ?? otherwise
    },
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= OPTION_CHARS_MAX
}
