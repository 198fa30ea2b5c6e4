/** What a connection changes in a client's configuration file; nothing is written here. */
import type { Invocation } from '../command/command.ts'
import { CommandFault } from '../command/exit-code.ts'
import { fieldsOf } from '../gateway/admin-client.ts'
import type { Client, ConfigPlace, Server } from './client.ts'
import { textOfFile } from './config-text.ts'
import { type Edit, edited, read, valueAt } from './edit-config.ts'

export type ConfigChange = {
  readonly client: Client
  readonly place: ConfigPlace
  readonly path: string
  readonly server: Server
  readonly removes: boolean
  readonly before: string
  readonly after: string
}

export function changeOf(
  call: Invocation,
  of: { client: Client; place: ConfigPlace; server: Server; removes: boolean },
): ConfigChange {
  const { client, place, removes, server } = of
  const path = pathOf(call, place)
  const before = textOfFile(path) ?? ''
  const edits: Edit[] = [
    {
      path: [...place.servers(call.shell), server.name],
      value: removes ? undefined : client.entry(server),
    },
  ]
  const inputs = client.inputs
  if (inputs !== undefined && !removes && server.key === undefined) {
    const present = valueAt(readFileText(client, path, before), ['inputs'])
    const others = (Array.isArray(present) ? present : []).filter((one) =>
      inputs.every(({ id }) => fieldsOf(one)['id'] !== id),
    )
    edits.push({ path: ['inputs'], value: [...others, ...inputs] })
  }
  let after = before
  for (const edit of edits) {
    const next = edited(client.format, after, edit)
    if (!next.ok)
      throw new CommandFault(`${path} ${next.error}.`, { remedy: 'Nothing was changed.' })
    after = next.value
  }
  return { client, place, path, server, removes, before, after }
}

export function readFileText(client: Client, path: string, text: string): unknown {
  const value = read(client.format, text)
  if (value.ok) return value.value
  throw new CommandFault(`${path} ${value.error}.`, {
    remedy: 'Correct the file first; nothing was changed.',
  })
}

/** The file of a client, and whether it names the server. */
export function stateOf(
  call: Invocation,
  { client, name, place }: { client: Client; place: ConfigPlace; name: string },
): { readonly state: string; readonly file: string } {
  const file = pathOf(call, place)
  const text = textOfFile(file)
  if (text === undefined) return { state: 'no file', file }
  const value = read(client.format, text)
  if (!value.ok) return { state: 'invalid', file }
  const servers = fieldsOf(valueAt(value.value, place.servers(call.shell)))
  return { state: servers[name] === undefined ? 'not connected' : 'connected', file }
}

function pathOf({ shell }: Invocation, place: ConfigPlace): string {
  const paths = place.paths(shell)
  return paths.find((path) => textOfFile(path) !== undefined) ?? paths[0] ?? ''
}
