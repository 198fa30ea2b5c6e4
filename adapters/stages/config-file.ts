/**
 * Finds and reads skillgate.config.json: the file of `-c config=PATH` or `--config PATH`, else of
 * the variable SKILLGATE_CONFIG, else in the working folder. The file is plain JSON, so that any
 * program can read and write it; an error names line and column, or all wrong fields at once.
 */
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { parseText } from '../../core/json/parse-json.ts'
import { readText } from '../../core/json/read-text.ts'
import {
  CONFIG_FILE,
  readStageRecords,
  type StageRecords,
} from '../../core/settings/stage-records.ts'

export const CONFIG_VARIABLE = 'SKILLGATE_CONFIG'

/** Where the file may be named. */
export type ConfigPlace = {
  /** By an option; a value that is no text is none. */
  readonly given?: unknown
  readonly env: { readonly [name: string]: string | undefined }
  readonly cwd: string
}

export type Config = {
  /** The absolute path; undefined without a file. */
  readonly path: string | undefined
  /** The path as messages show it. */
  readonly shown: string
  readonly records: StageRecords
}

/** Returns the path of the file, and whether somebody named it. */
export function findConfigPath({ cwd, env, given }: ConfigPlace): {
  readonly path: string
  readonly isNamed: boolean
} {
  const named =
    typeof given === 'string' && given !== '' ? given : env[CONFIG_VARIABLE] || undefined
  return { path: resolve(cwd, named ?? CONFIG_FILE), isNamed: named !== undefined }
}

/**
 * Reads the file. Without one, only the built-in stages exist. Throws an Error with a line for each
 * fault, also if a file that was named is not there.
 */
export function readStagesFile(place: ConfigPlace): Config {
  const { isNamed, path } = findConfigPath(place)
  const shown = showPath(path, place.cwd)
  const bytes = readIfThere(path, { isNamed, shown })
  if (bytes === undefined) return { path: undefined, shown: CONFIG_FILE, records: new Map() }
  const text = readText(bytes, { subject: shown })
  if (!text.ok) throw new Error(text.error.detail)
  const json = parseText(text.value, { subject: shown })
  if (!json.ok) throw new Error(json.error.detail)
  const records = readStageRecords(json.value)
  if (records.ok) return { path, shown, records: records.value }
  throw new Error(describeConfigFaults(shown, records.error))
}

/** The message about faults of a file. */
export function describeConfigFaults(shown: string, faults: readonly string[]): string {
  return `${shown} does not fit:\n  ${faults.join('\n  ')}`
}

function readIfThere(
  path: string,
  { isNamed, shown }: { readonly isNamed: boolean; readonly shown: string },
): Uint8Array | undefined {
  try {
    return readFileSync(path)
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    if (isMissing && !isNamed) return undefined
    const why = isMissing ? 'does not exist; skillgate init writes it there' : 'cannot be read'
    throw new Error(`${shown}: ${why}`, { cause })
  }
}

/** Relative where the file is below the working folder. */
function showPath(path: string, cwd: string): string {
  const near = relative(cwd, path)
  return near.startsWith('..') ? path : near
}
