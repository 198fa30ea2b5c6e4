/**
 * Plans the change that a connection makes in a client's configuration file. This file writes
 * nothing.
 */

import type { Server } from '../../core/clients/server-entry.ts'
import type { Invocation } from '../command/command.ts'
import { toFields } from '../gateway/admin-client.ts'
import { CommandFault } from '../terminal/exit-code.ts'
import type { Client, ConfigPlace } from './client.ts'
import { type ConfigPath, isTaken, readConfigText } from './config-file.ts'
import { type Edit, editConfig, parseConfig, readValueAt } from './edit-config.ts'

export type ConfigChange = {
  readonly client: Client
  readonly place: ConfigPlace
  readonly at: ConfigPath
  readonly server: Server
  readonly removes: boolean
  readonly before: string
  readonly after: string
}

/**
 * Returns the file's text before and after the change. Throws a CommandFault if the file is invalid
 * or cannot be edited safely.
 */
export function planChange(
  call: Invocation,
  of: { client: Client; place: ConfigPlace; server: Server; removes: boolean },
): ConfigChange {
  const { client, place, removes, server } = of
  const at = findConfigPath(call, place)
  const { path } = at
  const before = readConfigText(at) ?? ''
  const edits: Edit[] = [
    {
      path: [...place.servers(call.shell), server.name],
      value: removes ? undefined : client.entry(server),
    },
  ]
  const inputs = client.inputs
  if (inputs !== undefined && !removes && server.auth.kind === 'variable') {
    const present = readValueAt(readFileText(client, path, before), ['inputs'])
    const others = (Array.isArray(present) ? present : []).filter((one) =>
      inputs.every(({ id }) => toFields(one)['id'] !== id),
    )
    edits.push({ path: ['inputs'], value: [...others, ...inputs] })
  }
  let after = before
  for (const edit of edits) {
    const next = editConfig(client.format, after, edit)
    if (!next.ok)
      throw new CommandFault(`${path} ${next.error}.`, { remedy: 'Nothing was changed.' })
    after = next.value
  }
  return { client, place, at, server, removes, before, after }
}

/** Parses the text of a configuration file. Throws a CommandFault if the text is invalid. */
export function readFileText(client: Client, path: string, text: string): unknown {
  const value = parseConfig(client.format, text)
  if (value.ok) return value.value
  throw new CommandFault(`${path} ${value.error}.`, {
    remedy: 'Correct the file first; nothing was changed.',
  })
}

/** `refused`: the file is a link out of its project, or cannot be read. */
export type ConnectionState = 'connected' | 'invalid' | 'no file' | 'not connected' | 'refused'

/** Reads whether the client's configuration file names the server, and the server's entry there. */
export function readConnection(
  call: Invocation,
  { client, name, place }: { client: Client; place: ConfigPlace; name: string },
): { readonly state: ConnectionState; readonly file: string; readonly entry?: unknown } {
  const at = findConfigPath(call, place)
  const file = at.path
  let text: string | undefined
  try {
    text = readConfigText(at)
  } catch (cause) {
    if (cause instanceof CommandFault) return { state: 'refused', file }
    throw cause
  }
  if (text === undefined) return { state: 'no file', file }
  const value = parseConfig(client.format, text)
  if (!value.ok) return { state: 'invalid', file }
  const servers = toFields(readValueAt(value.value, place.servers(call.shell)))
  const entry = servers[name]
  return entry === undefined
    ? { state: 'not connected', file }
    : { state: 'connected', file, entry }
}

function findConfigPath({ shell }: Invocation, place: ConfigPlace): ConfigPath {
  const paths = place.paths(shell)
  const project = place.scope === 'project' ? shell.cwd : undefined
  return { path: paths.find(isTaken) ?? paths[0] ?? '', project }
}

/**
 * Returns `text` without the server, whose entry may hold a key; undefined if the text cannot be
 * edited.
 */
export function removeServer(
  call: Invocation,
  { client, place, server }: Pick<ConfigChange, 'client' | 'place' | 'server'>,
  text: string,
): string | undefined {
  const path = [...place.servers(call.shell), server.name]
  const left = editConfig(client.format, text, { path, value: undefined })
  return left.ok ? left.value : undefined
}
