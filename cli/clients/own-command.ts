/** Changes a client's configuration by the client's own command. */
import { type Invocation, isOn } from '../command/command.ts'
import { fieldsOf } from '../gateway/admin-client.ts'
import { note } from '../terminal/shell.ts'
import { type ConfigChange, readFileText } from './config-change.ts'
import { textOfFile } from './config-file.ts'
import { valueAt } from './edit-config.ts'

/**
 * Returns false if the client's program is not installed, or if its file does not have the wanted
 * entry afterwards.
 */
export async function byOwnCommand(call: Invocation, change: ConfigChange): Promise<boolean> {
  const { client, place, server } = change
  const { own } = client
  // A key in the arguments would be visible in the list of processes. The command of Codex has no
  // project scope.
  const isUnfit = server.key !== undefined || (client.id === 'codex' && place.scope === 'project')
  if (own === undefined || isUnfit || isOn(call, 'edit-file')) return false
  const { collect } = call.shell.programs
  const remove = own.remove(server.name, place.scope)
  const add = own.add(server, place.scope)
  // The clients' commands refuse to add a name that exists, so the old entry is removed first.
  const removed = hasEntry(call, change, change.before)
    ? await collect(own.program, remove)
    : { code: 0 }
  if (removed?.code !== 0) return false
  if (!change.removes && (await collect(own.program, add))?.code !== 0) return false
  if (!isDone(call, change)) return false
  note(call.shell, `Done by ${[own.program, ...(change.removes ? remove : add)].join(' ')}`)
  return true
}

/**
 * Checks the file after the command, because another version of the client may write another file.
 */
function isDone(call: Invocation, change: ConfigChange): boolean {
  const text = textOfFile(change.at) ?? ''
  if (change.removes) return !hasEntry(call, change, text)
  return fieldsOf(readEntry(call, change, text))['url'] === change.server.url
}

function hasEntry(call: Invocation, change: ConfigChange, text: string): boolean {
  return readEntry(call, change, text) !== undefined
}

function readEntry(call: Invocation, change: ConfigChange, text: string): unknown {
  const at = [...change.place.servers(call.shell), change.server.name]
  return valueAt(readFileText(change.client, change.at.path, text), at)
}
