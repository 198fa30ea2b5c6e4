/**
 * Describes an MCP client: where its configuration file is, and how a server is written there. The
 * functions build the paths of a client.
 */
import { join } from 'node:path'

export type Scope = 'local' | 'project' | 'user'

export type Place = {
  readonly env: { readonly [name: string]: string | undefined }
  readonly home: string
  readonly cwd: string
  readonly platform: NodeJS.Platform
}

/** The server entry that a client gets. */
export type Server = {
  readonly name: string
  readonly url: string
  readonly auth: Auth
}

/**
 * How the client proves who calls. `variable`: it takes the key from the variable SKILLGATE_KEY.
 * `key`: the key itself, for a file that only this person reads. `login`: the entry has no
 * credential, and the client opens a browser.
 */
export type Auth =
  | { readonly kind: 'variable' }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'login' }

export const KEY_VARIABLE = 'SKILLGATE_KEY'

export type ConfigFormat = 'json' | 'toml' | 'yaml'

/**
 * One configuration file of a client. `paths` are candidates: the first one that exists is used,
 * else the first of all.
 */
export type ConfigPlace = {
  readonly scope: Scope
  readonly paths: (place: Place) => readonly string[]
  /** The path, from the root, of the object that maps names to servers. */
  readonly servers: (place: Place) => readonly string[]
}

export type Client = {
  readonly id: string
  readonly title: string
  readonly format: ConfigFormat
  readonly places: readonly ConfigPlace[]
  /**
   * True if the client expands variables in its file, or prompts for the key. Other clients need
   * the key itself in the file.
   */
  readonly hasVariables: boolean
  readonly entry: (server: Server) => { readonly [name: string]: unknown }
  /** What a person has to do so that the client reads its file again. */
  readonly reload: string
  /** True for a program with windows, which a desktop starts without the variables of a shell. */
  readonly isDesktop?: boolean
  /**
   * What a person does next to log in. Returns one sentence. Undefined if the client's vendor
   * documents no login for servers in this file.
   */
  readonly login: ((name: string) => string) | undefined
  /** The program and arguments by which the client changes its own file. */
  readonly own?: {
    readonly program: string
    readonly add: (server: Server, scope: Scope) => readonly string[]
    readonly remove: (name: string, scope: Scope) => readonly string[]
    /** The command line that shows whether the client reaches its servers. */
    readonly check: string
  }
  /** Definitions of prompts, for a client that prompts for the key (VS Code). */
  readonly inputs?: readonly { readonly [name: string]: unknown }[]
}

/**
 * Returns the value of the Authorization header, or undefined with a login. `write` turns the
 * variable's name into the client's own syntax.
 */
export function formatBearer(
  { auth }: Server,
  write: (variable: string) => string,
): string | undefined {
  if (auth.kind === 'login') return undefined
  return `Bearer ${auth.kind === 'key' ? auth.key : write(KEY_VARIABLE)}`
}

/** Returns the member `headers` of an entry; an empty object with a login. */
export function toHeaders(
  server: Server,
  write: (variable: string) => string,
): { readonly headers?: { readonly Authorization: string } } {
  const bearer = formatBearer(server, write)
  return bearer === undefined ? {} : { headers: { Authorization: bearer } }
}

/** Returns `~/Library/Application Support`, `%APPDATA%` or `~/.config`. */
export function findAppSupport({ env, home, platform }: Place): string {
  if (platform === 'darwin') return join(home, 'Library/Application Support')
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData/Roaming')
  return env['XDG_CONFIG_HOME'] ?? join(home, '.config')
}

export function inHome(...path: readonly string[]): (place: Place) => readonly string[] {
  return ({ home }) => [join(home, ...path)]
}

export function inProject(...path: readonly string[]): (place: Place) => readonly string[] {
  return ({ cwd }) => [join(cwd, ...path)]
}

export function inAppSupport(...path: readonly string[]): (place: Place) => readonly string[] {
  return (place) => [join(findAppSupport(place), ...path)]
}

/** Names the object that holds the servers; its path in the file is the same on every system. */
export function toObjectPath(...path: readonly string[]): () => readonly string[] {
  return () => path
}
