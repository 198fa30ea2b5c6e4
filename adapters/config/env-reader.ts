/**
 * Reads single environment variables by their rows in the table of settings, and collects all
 * errors, so that an operator corrects them at once. An empty variable is treated as absent. After
 * an error the returned value is a placeholder that no caller gets, because `readConfig` then
 * refuses the configuration.
 */
import { describeRule, readText } from '../../core/settings/read-setting.ts'
import type { Setting, ValueOf } from '../../core/settings/setting.ts'
import { FUNCTION_SETTINGS, SETTINGS } from '../../core/settings/table.ts'

export type Environment = { readonly [name: string]: string | undefined }

export type FunctionVariable = keyof typeof FUNCTION_SETTINGS

export type EnvReader = {
  /** One line for each error: the variable, what is wrong, the remedy. */
  readonly faults: readonly string[]
  /** Adds an error. */
  refuse(fault: string): void
  isSet(name: FunctionVariable): boolean
  /** The value of a setting of the stage. */
  setting<K extends keyof typeof SETTINGS>(key: K): ValueOf<(typeof SETTINGS)[K]>
  /** The value of a variable that is no setting of a stage. */
  variable<N extends FunctionVariable>(name: N): ValueOf<(typeof FUNCTION_SETTINGS)[N]>
}

export function makeEnvReader(env: Environment): EnvReader {
  const faults: string[] = []
  const read = (name: string, row: Setting): unknown => {
    const text = env[name]
    if (text !== undefined && text !== '') {
      const value = readText(name, row, { reader: 'function', text })
      if (value.ok) return value.value
      faults.push(...value.error)
    } else if ('default' in row) return row.default
    else faults.push(`${name}: is missing; give ${describeRule(row, 'function')}`)
    return row.default ?? ''
  }
  // Casts, as in parsers: a row gives its value a type that `readText` cannot express.
  return {
    faults,
    refuse: (fault) => void faults.push(fault),
    isSet: (name) => Boolean(env[name]),
    setting: <K extends keyof typeof SETTINGS>(key: K) =>
      read(SETTINGS[key].env, SETTINGS[key]) as ValueOf<(typeof SETTINGS)[K]>,
    variable: <N extends FunctionVariable>(name: N) =>
      read(name, FUNCTION_SETTINGS[name]) as ValueOf<(typeof FUNCTION_SETTINGS)[N]>,
  }
}
