/**
 * Finds the gateway that a command uses, and its keys. Sources in order: the option `--profile`;
 * SKILLGATE_PROFILE, SKILLGATE_URL, SKILLGATE_ADMIN_KEY and SKILLGATE_KEY; the project's
 * `.skillgaterc.json`; the current profile.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ConfigFile,
  findConfigPath,
  readConfig,
  type StoredProfile,
} from '../../adapters/profiles/config-file.ts'
import { getOption, type Invocation } from '../command/command.ts'
import { CommandFault, EXIT, toUsageFault } from '../terminal/exit-code.ts'
import { readJson } from '../terminal/read-json.ts'
import type { Shell } from '../terminal/shell.ts'
import { isExactObject } from './exact-json.ts'
import { type Keys, readFromKeyring } from './keyring.ts'

export type Target = Keys & {
  /** The name of the profile, or of the variable that chose the gateway; `whoami` prints it. */
  readonly profile: string
  readonly adminUrl: string
  readonly mcpUrl: string
}

const PROJECT_FILE = '.skillgaterc.json'
/**
 * The variable that names the gateway instead of a profile. The target then has this name as its
 * profile.
 */
export const URL_VARIABLE = 'SKILLGATE_URL'

/** Returns the addresses and keys. Throws a CommandFault if no gateway is chosen. */
export async function findTarget(call: Invocation): Promise<Target> {
  const { shell } = call
  const { env } = shell
  const chosen = findProfile(call)
  if (chosen === undefined) {
    return {
      profile: URL_VARIABLE,
      ...toAddresses(env['SKILLGATE_URL'] ?? '', env['SKILLGATE_MCP_URL']),
      adminKey: env['SKILLGATE_ADMIN_KEY'],
      key: env['SKILLGATE_KEY'],
    }
  }
  const { name, profile } = chosen
  const keys = await readKeys(shell, name, profile)
  return {
    profile: name,
    adminUrl: profile.adminUrl,
    mcpUrl: profile.mcpUrl,
    adminKey: env['SKILLGATE_ADMIN_KEY'] ?? keys.adminKey,
    key: env['SKILLGATE_KEY'] ?? keys.key,
    login: keys.login,
  }
}

/**
 * Finds the profile that a command uses. Returns undefined if SKILLGATE_URL names the gateway
 * instead.
 */
export function findProfile(
  call: Invocation,
): { readonly name: string; readonly profile: StoredProfile } | undefined {
  const { shell } = call
  const { env } = shell
  const named = getOption(call, 'profile') ?? env['SKILLGATE_PROFILE']
  if (named === undefined && (env['SKILLGATE_URL'] ?? '') !== '') return undefined
  const config = readConfigFile(shell)
  const name = named ?? readProjectProfile(shell) ?? config.current
  if (name === undefined) {
    throw new CommandFault('There is no profile yet.', {
      exitCode: EXIT.unauthenticated,
      remedy: 'Start a twin with skillgate dev, or sign in with skillgate login URL.',
    })
  }
  const profile = config.profiles[name]
  if (profile === undefined) {
    throw toUsageFault(
      `There is no profile ${name}.`,
      'See skillgate profile ls, or skillgate login.',
    )
  }
  return { name, profile }
}

/** Reads the file of profiles. Throws a CommandFault if it is invalid. */
export function readConfigFile(shell: Shell): ConfigFile {
  try {
    return readConfig(findConfigPath(shell))
  } catch (cause) {
    throw new CommandFault(cause instanceof Error ? cause.message : String(cause))
  }
}

/** Reads the keys of a profile from the place that the profile names. */
export async function readKeys(shell: Shell, name: string, profile: StoredProfile): Promise<Keys> {
  const { credential } = profile
  switch (credential.store) {
    case 'file':
      return { adminKey: credential.adminKey, key: credential.key, login: credential.login }
    case 'keyring':
      return (await readFromKeyring(shell, name)) ?? {}
    case 'twin':
      return readTwinKeys(credential.path)
    default:
      return credential satisfies never
  }
}

/** Reads the keys in the folder of a twin; none if the folder was deleted. */
function readTwinKeys(path: string): Keys {
  try {
    const { adminKey, key } = JSON.parse(readFileSync(path, 'utf8'))
    return { adminKey, key }
  } catch {
    // The next request reports that there is no key, and what to do.
    return {}
  }
}

/** Reads the profile that the project names. Only the current folder is searched, no parent. */
function readProjectProfile({ cwd }: Shell): string | undefined {
  let text: string
  try {
    text = readFileSync(join(cwd, PROJECT_FILE), 'utf8')
  } catch {
    // Most projects have no such file.
    return undefined
  }
  const value = readJson(text, PROJECT_FILE)
  const profile = isExactObject(value) ? value['profile'] : undefined
  if (typeof profile === 'string') return profile
  throw toUsageFault(`${PROJECT_FILE} names no profile.`, 'Write {"profile":"NAME"} into it.')
}

const ADMIN_PATH = '/v1/admin'

/**
 * Derives both addresses. `url` is an origin, or the address of the admin API. `mcpUrl` is given if
 * MCP has another host, as on AWS.
 */
export function toAddresses(
  url: string,
  mcpUrl: string | undefined,
): { readonly adminUrl: string; readonly mcpUrl: string } {
  const base = readHttpUrl(url).replace(/\/+$/, '')
  const adminUrl = base.endsWith(ADMIN_PATH) ? base : `${base}${ADMIN_PATH}`
  const origin = adminUrl.slice(0, -ADMIN_PATH.length)
  return { adminUrl, mcpUrl: mcpUrl === undefined ? `${origin}/mcp` : readHttpUrl(mcpUrl) }
}

/** Reads a URL that keys are sent to. Plain http is accepted for this machine only. */
function readHttpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const remedy = 'Write it as https://gateway.example.com or http://127.0.0.1:8787.'
  if (url === undefined) throw toUsageFault(`${text} is not a URL.`, remedy)
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) return url.href
  throw toUsageFault(`${text}: keys are sent by https, and by http to this machine only.`, remedy)
}
