/**
 * Parses `config.plugin_options` into the typed options of a hook: every fault at once, each with
 * its pointer. A member that the hook does not have is a fault: a typing error must not turn a
 * signature off. Messages read after the pointer and repeat no value.
 */
import { err, type FieldFault, ok, type Result } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { jsonPointer } from '../../core/json/json-pointer.ts'
import type { HookFailure } from '../../core/ports/registry.ts'
import { isSecretName, SECRET_NAME_RULE } from '../../core/secrets/secret.ts'
import { headerNameFault } from '../../core/skills/definition/read-pairs.ts'

/** Limit of every text option. */
export const OPTION_CHARS_MAX = 2048

/** After a fault each method answers a harmless value, so that reading goes on. */
export type OptionReader = {
  secretName(name: string): string
  /** Lower-case. */
  headerName(name: string): string | undefined
  /** Undefined where it is absent. `rule` reads after "must be". */
  text(name: string, matches: RegExp, rule: string): string | undefined
  choice<T extends string>(name: string, values: readonly T[], otherwise: T): T
  fault(name: string, message: string): void
}

/** `known` lists all members that the hook has. */
export function readOptions<T>(
  options: JsonObject,
  known: readonly string[],
  read: (from: OptionReader) => T,
): Result<T, readonly FieldFault[]> {
  const faults = Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      pointer: jsonPointer([name]),
      message: `is not an option of this hook; it takes ${known.join(', ') || 'none'}`,
    }))
  const value = read(readerOf(options, faults))
  return faults.length > 0 ? err(faults) : ok(value)
}

export function faultsOf(read: Result<unknown, readonly FieldFault[]>): readonly FieldFault[] {
  return read.ok ? [] : read.error
}

/** The failure of a skill that was stored before its options were checked. */
export function optionsFailure(faults: readonly FieldFault[]): HookFailure {
  const [first] = faults
  return {
    detail: `The skill cannot run: plugin_options${first?.pointer ?? ''} ${first?.message ?? ''}.`,
  }
}

function readerOf(options: JsonObject, faults: FieldFault[]): OptionReader {
  const optionOf = (name: string) => (Object.hasOwn(options, name) ? options[name] : undefined)
  const fault = (name: string, message: string) => {
    faults.push({ pointer: jsonPointer([name]), message })
  }
  return {
    fault,
    secretName: (name) => {
      const value = optionOf(name)
      if (typeof value === 'string' && isSecretName(value)) return value
      fault(name, `must be the name of a secret, ${SECRET_NAME_RULE}, never its value`)
      return ''
    },
    headerName: (name) => {
      const value = optionOf(name)
      if (value === undefined) return undefined
      if (typeof value !== 'string') fault(name, 'is not a string; send the name of a header')
      const lower = String(value).toLowerCase()
      const wrong = typeof value === 'string' ? headerNameFault(lower) : undefined
      if (wrong !== undefined) fault(name, wrong)
      return lower
    },
    text: (name, matches, rule) => {
      const value = optionOf(name)
      if (value === undefined) return undefined
      if (isText(value) && matches.test(value)) return value
      fault(name, `must be ${rule}`)
      return ''
    },
    choice: (name, values, otherwise) => {
      const value = optionOf(name)
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
