/**
 * The check of `doctor` that concerns MCP clients of this machine: which are connected, and whether
 * what each sends is accepted. Reads their files; a key goes to the gateway of the profile only.
 */
import { type Connection, listConnections, openConnectionCheck } from '../clients/connections.ts'
import type { Invocation } from '../command/command.ts'
import type { Target } from '../gateway/target.ts'
import type { Finding } from './finding.ts'

const CHECK = 'clients'

/** Returns a finding for all clients that work, and one for each that does not. */
export async function checkClients(call: Invocation, target: Target): Promise<readonly Finding[]> {
  const connected = listConnections(call, 'skillgate').filter(({ state }) => state === 'connected')
  if (connected.length === 0) {
    return [{ check: CHECK, ok: true, finding: 'none is connected; see skillgate connect' }]
  }
  const good: string[] = []
  const faults: Finding[] = []
  const tryConnection = openConnectionCheck(call, target)
  for (const connection of connected) {
    const { finding, ok } = await tryConnection(connection)
    const name = `${connection.client.id} (${connection.scope})`
    if (ok === false) faults.push({ check: CHECK, ok, finding: explain(connection, finding) })
    else good.push(ok === true ? name : `${name}: ${describeOther(connection, finding)}`)
  }
  const first = good.length === 0 ? [] : [{ check: CHECK, ok: true, finding: good.join(', ') }]
  return [...first, ...faults]
}

function describeOther({ entry }: Connection, finding: string): string {
  return finding === 'another gateway' ? `uses another gateway, ${entry?.url ?? ''}` : finding
}

function explain(connection: Connection, finding: string): string {
  const { client, entry, file, scope } = connection
  const name = `${client.id} (${scope})`
  const again = `skillgate connect ${client.id} --scope ${scope}`
  const { auth } = entry ?? {}
  switch (finding) {
    case 'variable not set': {
      const variable = auth?.kind === 'variable' ? auth.name : ''
      return `${name} takes its key from ${variable}, which is not set here. ${again} says how to set it.`
    }
    case 'variable not expanded':
      return `${name} does not expand the variable in ${file}, and sends it as it is. ${again} writes the key.`
    case 'the key is refused':
      return auth?.kind === 'key'
        ? `${name}: the key in ${file} is refused. ${again} --key-in-file writes the key of the profile.`
        : `${name}: the key in the variable is refused. Set the key of the profile: ${again} says how.`
    default:
      return `${name}: ${finding}`
  }
}
