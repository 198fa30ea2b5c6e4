/**
 * The file with the profiles of the command line: the gateways that a person administers. The file
 * has mode 0600 and its folder 0700, since a profile may contain keys. The twin adds a profile of
 * its own.
 */
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseJson } from '../../core/json/parse-json.ts'
import { writeWholeFile } from './whole-file.ts'

/** Where the keys of a profile are. */
export type StoredCredential =
  /** The keys are in the config file itself. */
  | {
      readonly store: 'file'
      readonly adminKey?: string
      readonly key?: string
      readonly login?: StoredLogin
    }
  /** The keys are in the twin's data folder. */
  | { readonly store: 'twin'; readonly path: string }
  /** The keys are in the keyring of the system, under the profile's name. */
  | { readonly store: 'keyring' }

/** A person's sign-in at an issuer: its tokens, and what renews and ends it. */
export type StoredLogin = {
  readonly issuer: string
  readonly clientId: string
  readonly tokenUrl: string
  readonly revocationUrl?: string
  /** The `resource` of each request for tokens; absent if the issuer does not know it. */
  readonly resource?: string
  readonly accessToken: string
  /** Absent if the issuer gave none: the sign-in then ends with its access token. */
  readonly refreshToken?: string
  readonly expiresAtMs: number
}

export type StoredProfile = {
  /** The base URL of the admin API, without a slash at its end. */
  readonly adminUrl: string
  /** The address that MCP clients connect to. */
  readonly mcpUrl: string
  readonly credential: StoredCredential
  /** `twin`: the next start of a twin may replace it. */
  readonly writtenBy?: 'twin'
}

export type ConfigFile = {
  readonly current?: string
  readonly profiles: { readonly [name: string]: StoredProfile }
}

export type ConfigPlace = {
  readonly env: { readonly [name: string]: string | undefined }
  readonly home: string
  readonly platform: NodeJS.Platform
}

/** The path of the file. XDG_CONFIG_HOME has precedence on every system. */
export function findConfigPath({ env, home, platform }: ConfigPlace): string {
  const appData = platform === 'win32' ? env['APPDATA'] : undefined
  const folder = env['XDG_CONFIG_HOME'] || appData || join(home, '.config')
  return join(folder, 'skillgate', 'config.json')
}

/** A missing file is read as one without profiles. Throws if the text is not a file of profiles. */
export function readConfig(path: string): ConfigFile {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
      return { profiles: {} }
    throw cause
  }
  const config = parseConfig(text)
  if (config !== undefined) return config
  throw new Error(`${path} is not a file of profiles: repair or delete it.`)
}

/** The mode of the folder, which only the command line uses. */
const OWNER_ONLY = 0o700
const OTHERS = 0o077

/** Writes the whole file or nothing: a process that dies here leaves the old file. */
export function writeConfig(path: string, config: ConfigFile): void {
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY })
  if ((statSync(folder).mode & OTHERS) !== 0) chmodSync(folder, OWNER_ONLY)
  writeWholeFile(path, `${JSON.stringify(config, null, 2)}\n`)
}

function parseConfig(text: string): ConfigFile | undefined {
  const json = parseJson(text)
  // Not JSON, or a repeated name: the caller's error names the file and the remedy.
  if (!json.ok) return undefined
  const value: unknown = json.value
  if (!isRecord(value) || !isRecord(value['profiles'])) return undefined
  const { current } = value
  if (current !== undefined && typeof current !== 'string') return undefined
  const profiles: { [name: string]: StoredProfile } = {}
  for (const [name, profile] of Object.entries(value['profiles'])) {
    if (!isProfile(profile)) return undefined
    profiles[name] = profile
  }
  return current === undefined ? { profiles } : { current, profiles }
}

function isProfile(value: unknown): value is StoredProfile {
  if (!isRecord(value) || !isRecord(value['credential'])) return false
  const { store } = value['credential']
  const known = store === 'file' || store === 'keyring' || store === 'twin'
  return typeof value['adminUrl'] === 'string' && typeof value['mcpUrl'] === 'string' && known
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
