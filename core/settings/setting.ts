/** The columns of the settings table, and the type of the value that a row describes. */
import type { IssuerSetting } from '../issuers/issuer-setting.ts'
import type { Form } from './form.ts'
import type { TierLimit } from './tier-limits.ts'

/** The type and range of a value. */
export type Kind =
  | { readonly kind: 'switch' }
  | { readonly kind: 'whole'; readonly min: number; readonly max: number }
  /** Credits with at most six decimals, from 0. */
  | { readonly kind: 'credits'; readonly max: number }
  | { readonly kind: 'choice'; readonly choices: readonly (string | number)[] }
  | { readonly kind: 'text'; readonly form: Form }
  /** A text that no message repeats. */
  | { readonly kind: 'secret' }
  /** Text with commas between the entries. */
  | { readonly kind: 'list'; readonly form: Form; readonly entriesMax: number }
  | { readonly kind: 'tiers'; readonly entriesMax: number }
  /** Objects, as JSON where they are text. The twin reads them from a file. */
  | { readonly kind: 'issuers' }
  /** Whole numbers by name; only a stage has them. */
  | {
      readonly kind: 'counts'
      readonly min: number
      readonly max: number
      /** All of them are required. */
      readonly names?: readonly string[]
      /** Without `names`: any of them may be there. */
      readonly namesAllowed?: readonly string[]
    }

export type Setting = Kind & {
  /** One sentence for the page and for `--help`. */
  readonly says: string
  /** Without a default the setting is required; with undefined it is optional. */
  readonly default?: unknown
  /** The variable that a function reads. */
  readonly env?: string
  /** The twin's option, such as `--port N`. Its other fields replace those of the row. */
  readonly twin?: TwinOption
}

type TwinOption = {
  readonly flag: string
  readonly env?: string
  readonly default?: unknown
  readonly min?: number
  readonly form?: Form
}

export type Settings = { readonly [name: string]: Setting }

/** The values of settings by name. */
export type ValuesOf<S extends Settings> = { readonly [K in keyof S]: ValueOf<S[K]> }

export type ValueOf<R> = R extends { readonly default: undefined }
  ? ValueOfKind<R> | undefined
  : ValueOfKind<R>

type ValueOfKind<R> = R extends { readonly kind: 'switch' }
  ? boolean
  : R extends { readonly kind: 'whole' | 'credits' }
    ? number
    : R extends { readonly kind: 'choice'; readonly choices: readonly (infer C)[] }
      ? C extends number
        ? number
        : C
      : R extends { readonly kind: 'text' | 'secret' }
        ? string
        : R extends { readonly kind: 'list' }
          ? readonly string[]
          : R extends { readonly kind: 'tiers' }
            ? readonly TierLimit[]
            : R extends { readonly kind: 'issuers' }
              ? readonly IssuerSetting[]
              : R extends {
                    readonly kind: 'counts'
                    readonly names: readonly (infer N extends string)[]
                  }
                ? { readonly [name in N]: number }
                : { readonly [name: string]: number | undefined }
