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
  /**
   * The key itself, for a file that only this person reads. If undefined, the client takes the key
   * from the variable SKILLGATE_KEY.
   */
  readonly key: string | undefined
}

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
  /** The program and arguments by which the client changes its own file. */
  readonly own?: {
    readonly program: string
    readonly add: (server: Server, scope: Scope) => readonly string[]
    readonly remove: (name: string, scope: Scope) => readonly string[]
  }
  /** Definitions of prompts, for a client that prompts for the key (VS Code). */
  readonly inputs?: readonly { readonly [name: string]: unknown }[]
}

/**
 * Returns the value of the Authorization header. Without a key it refers to the variable; `write`
 * turns the variable's name into the client's own syntax.
 */
export function formatBearer(server: Server, write: (variable: string) => string): string {
  return `Bearer ${server.key ?? write(KEY_VARIABLE)}`
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
