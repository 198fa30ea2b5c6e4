/**
 * Which clients are connected, and how each gets its key. Reads the files of all clients and
 * changes nothing. A file of a project may be from somebody else, so a key is only ever sent to the
 * gateway of the profile.
 */
import type { Invocation } from '../command/command.ts'
import { toMcpClient } from '../gateway/mcp-client.ts'
import type { Target } from '../gateway/target.ts'
import { CommandFault, EXIT } from '../terminal/exit-code.ts'
import type { Client, Scope } from './client.ts'
import { CLIENTS } from './clients.ts'
import { type ConnectionState, readConnection } from './config-change.ts'
import { type Entry, readEntry } from './read-entry.ts'

export type Connection = {
  readonly client: Client
  readonly scope: Scope
  readonly file: string
  readonly state: ConnectionState
  /** Undefined unless the client is connected. */
  readonly entry: Entry | undefined
}

/** Returns a connection for each file that `connect` knows. `name` is that of the server. */
export function listConnections(call: Invocation, name: string): readonly Connection[] {
  return CLIENTS.flatMap((client) =>
    client.places.map((place) => {
      const { entry, file, state } = readConnection(call, { client, place, name })
      const found = state === 'connected' ? readEntry(entry) : undefined
      return { client, scope: place.scope, file, state, entry: found }
    }),
  )
}

export type KeySource =
  | 'asked by the client'
  | 'in the file'
  | 'login'
  | 'variable not expanded'
  | 'variable not set'
  | 'variable set'

/** Says where the client gets its key. A variable is looked up in the environment of this shell. */
export function findKeySource({ shell }: Invocation, client: Client, { auth }: Entry): KeySource {
  switch (auth.kind) {
    case 'login':
      return 'login'
    case 'prompt':
      return 'asked by the client'
    case 'key':
      return 'in the file'
    case 'variable':
      // Such a client sends the placeholder itself.
      if (!client.hasVariables) return 'variable not expanded'
      return shell.env[auth.name] ? 'variable set' : 'variable not set'
    default:
      return auth satisfies never
  }
}

/** `ok` is undefined if nothing was tried. `finding` is a few words. */
export type Tried = { readonly ok: boolean | undefined; readonly finding: string }

/**
 * Returns a function that lists tools with what a client sends. Clients that send the same share
 * one request, since each counts as a call in the minute of its user.
 */
export function openConnectionCheck(
  call: Invocation,
  target: Target,
): (connection: Pick<Connection, 'client' | 'entry'>) => Promise<Tried> {
  const tried = new Map<string | undefined, Promise<Tried>>()
  const tryOnce = (key: string | undefined) => {
    const found = tried.get(key) ?? tryTools(call, { ...target, key })
    tried.set(key, found)
    return found
  }
  return async ({ client, entry }) => {
    if (entry === undefined) return { ok: undefined, finding: '' }
    if (entry.url !== target.mcpUrl) return { ok: undefined, finding: 'another gateway' }
    const source = findKeySource(call, client, entry)
    switch (source) {
      case 'asked by the client':
        return { ok: undefined, finding: 'only the client has the key' }
      case 'variable not expanded':
      case 'variable not set':
        return { ok: false, finding: source }
      case 'in the file':
      case 'login':
      case 'variable set':
        return tryOnce(findKey(call, entry))
      default:
        return source satisfies never
    }
  }
}

function findKey({ shell }: Invocation, { auth }: Entry): string | undefined {
  switch (auth.kind) {
    case 'key':
      return auth.key
    case 'variable':
      return shell.env[auth.name]
    case 'login':
    case 'prompt':
      return undefined
    default:
      return auth satisfies never
  }
}

/** A 401 without a key is what makes a client log in. */
async function tryTools(call: Invocation, target: Target): Promise<Tried> {
  try {
    const tools = await toMcpClient(call, target).tools()
    return { ok: true, finding: `${tools.length} tools` }
  } catch (cause) {
    if (!(cause instanceof CommandFault)) throw cause
    if (cause.exitCode !== EXIT.unauthenticated) return { ok: false, finding: cause.message }
    return target.key === undefined
      ? { ok: true, finding: 'it has to log in' }
      : { ok: false, finding: 'the key is refused' }
  }
}
