/**
 * Writes the profile `local` of the command line, so that `npx skillgate users show demo` works in
 * the next terminal. With a data folder the profile points to its credentials; without one it
 * contains them.
 */
import { join, resolve } from 'node:path'
import { type ConfigPlace, findConfigPath } from '../../adapters/profiles/config-file.ts'
import { TWIN_PROFILE, writeTwinProfile } from '../../adapters/profiles/twin-profile.ts'
import { CREDENTIALS_FILE, type Credentials } from './credentials.ts'

/**
 * Writes the profile. Returns a line for the person if the profile could not be written; the twin
 * runs all the same.
 */
export function writeProfile(
  twin: {
    readonly origin: string
    readonly credentials: Credentials
    /** The data folder; undefined for a twin in memory. */
    readonly data: string | undefined
  },
  place: ConfigPlace,
): string | undefined {
  const { credentials, data, origin } = twin
  const path = findConfigPath(place)
  const { adminKey, key } = credentials
  const credential =
    data === undefined
      ? ({ store: 'file', adminKey, key } as const)
      : ({ store: 'twin', path: resolve(join(data, CREDENTIALS_FILE)) } as const)
  try {
    if (writeTwinProfile(path, { origin, credential })) return undefined
    return `The profile ${TWIN_PROFILE} in ${path} is not a twin's, so it was left as it is.`
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    return `The command line has no profile of this twin: ${why}`
  }
}
