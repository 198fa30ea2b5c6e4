/**
 * Writes the profile `local` of the command line, so that `npx skillgate users show demo` works in
 * the next terminal. With a data folder the profile points to its credentials; without one it
 * contains them.
 */
import { join, resolve } from 'node:path'
import {
  type ConfigPlace,
  findConfigPath,
  readConfig,
} from '../../adapters/profiles/config-file.ts'
import { TWIN_PROFILE, writeTwinProfile } from '../../adapters/profiles/twin-profile.ts'
import { CREDENTIALS_FILE, type Credentials } from './credentials.ts'

export type WrittenProfile =
  /** `options` choose the profile in a command; empty if commands choose it by themselves. */
  | { readonly kind: 'written'; readonly options: string }
  /** A line for the person. The twin runs all the same. */
  | { readonly kind: 'failed'; readonly warning: string }

/** Writes the profile. */
export function writeProfile(
  twin: {
    readonly origin: string
    readonly credentials: Credentials
    /** The data folder; undefined for a twin in memory. */
    readonly data: string | undefined
  },
  place: ConfigPlace,
): WrittenProfile {
  const { credentials, data, origin } = twin
  const path = findConfigPath(place)
  const { adminKey, key } = credentials
  const credential =
    data === undefined
      ? ({ store: 'file', adminKey, key } as const)
      : ({ store: 'twin', path: resolve(join(data, CREDENTIALS_FILE)) } as const)
  try {
    if (writeTwinProfile(path, { origin, credential })) {
      const options = isChosen(path, place) ? '' : ` --profile ${TWIN_PROFILE}`
      return { kind: 'written', options }
    }
    const warning = `The profile ${TWIN_PROFILE} in ${path} is not a twin's, so it was left as it is.`
    return { kind: 'failed', warning }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    return { kind: 'failed', warning: `The command line has no profile of this twin: ${why}` }
  }
}

/** Tells whether commands without --profile use this twin. */
function isChosen(path: string, { env }: ConfigPlace): boolean {
  const isNamed = [env['SKILLGATE_PROFILE'], env['SKILLGATE_URL']].some(Boolean)
  return !isNamed && readConfig(path).current === TWIN_PROFILE
}
