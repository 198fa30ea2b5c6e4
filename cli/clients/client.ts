/** What is known of an MCP client: where its configuration is, and how a server is written there. */

export type Scope = 'local' | 'project' | 'user'

export type Place = {
  readonly env: { readonly [name: string]: string | undefined }
  readonly home: string
  readonly cwd: string
  readonly platform: NodeJS.Platform
}

/** How the client gets the key. */
export type Server = {
  readonly name: string
  readonly url: string
  /** The key itself, in a file of the person alone; undefined: the variable SKILLGATE_KEY. */
  readonly key: string | undefined
}

export const KEY_VARIABLE = 'SKILLGATE_KEY'

export type ConfigFormat = 'json' | 'toml' | 'yaml'

/** One file of a client; the first path that exists is the one in use, else the first of all. */
export type ConfigPlace = {
  readonly scope: Scope
  readonly paths: (place: Place) => readonly string[]
  /** The object that holds servers by name. */
  readonly servers: (place: Place) => readonly string[]
}

export type Client = {
  readonly id: string
  readonly title: string
  readonly format: ConfigFormat
  readonly places: readonly ConfigPlace[]
  /** Expands variables in its file, or asks for the key. Others need the key itself. */
  readonly hasVariables: boolean
  readonly entry: (server: Server) => { readonly [name: string]: unknown }
  /** What a person does for the client to read its file. */
  readonly reload: string
  /** Program and arguments by which the client changes its own file. */
  readonly own?: {
    readonly program: string
    readonly add: (server: Server, scope: Scope) => readonly string[]
    readonly remove: (name: string, scope: Scope) => readonly string[]
  }
  /** VS Code asks for the key itself. */
  readonly inputs?: readonly { readonly [name: string]: unknown }[]
}

/** `write` wraps the variable's name as the client expands it. */
export function bearer(server: Server, write: (variable: string) => string): string {
  return `Bearer ${server.key ?? write(KEY_VARIABLE)}`
}
