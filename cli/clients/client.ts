/**
 * Describes an MCP client: where its configuration files are, beside the form of its entries in
 * core/clients/. The functions build the paths of a client.
 */
import { join } from 'node:path'
import { CLIENT_FORMS, type ClientForm, type ClientId } from '../../core/clients/forms.ts'
import type { Server } from '../../core/clients/server-entry.ts'

export type Scope = 'local' | 'project' | 'user'

export type Place = {
  readonly env: { readonly [name: string]: string | undefined }
  readonly home: string
  readonly cwd: string
  readonly platform: NodeJS.Platform
}

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

export type Client = Omit<ClientForm, 'command' | 'file' | 'link' | 'servers'> & {
  readonly id: ClientId
  readonly places: readonly ConfigPlace[]
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

/** Returns what a client's form and its row say together. */
export function toClient(id: ClientId, row: Omit<Client, keyof ClientForm | 'id'>): Client {
  return { id, ...CLIENT_FORMS[id], ...row }
}

/** Names the object that holds the servers; its path in the file is the same on every system. */
export function inServersOf(id: ClientId): () => readonly string[] {
  return () => CLIENT_FORMS[id].servers
}
