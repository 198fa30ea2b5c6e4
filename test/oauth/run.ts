/**
 * `npm run test:oauth`: published clients log in without a key, list, call, refresh, and are refused once the
 * credential behind the login is revoked, unattended: at the gateway's own login, and at a foreign authorization
 * server. Ends with `oauth: N passed, N failed`; the exit code is 1 unless all passed, and if none ran.
 * `--runtime lambda`: against the bundled doors under AWS's runtime client instead of the twin. Other words select
 * rows by a part of their name, as in `sdk` or `foreign login, renamed`.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Row } from '../clients/checks.ts'
import { pythonOfClients } from '../clients/python.ts'
import { countRows, faultLines, tableOf } from '../clients/table.ts'
import { installPackages } from '../conformance/install-packages.ts'
import type { LoginClient } from './agent.ts'
import { CHECKS, checkLogin, toRowName } from './checks.ts'
import { startForeignLogin, startForeignLoginOnLambda } from './foreign-login.ts'
import type { GatewayStart } from './gateway.ts'
import { hostedClients } from './hosted.ts'
import { mcpRemote } from './mcp-remote.ts'
import { startOwnLogin, startOwnLoginOnLambda } from './own-login.ts'
import { pythonClient } from './python.ts'
import { sdkV1 } from './sdk-v1.ts'
import { sdkV2 } from './sdk-v2.ts'

const { values, positionals } = parseArgs({
  options: { runtime: { type: 'string', default: 'twin' } },
  allowPositionals: true,
})
// A client that hangs must not keep this process alive.
process.exit(await test())

async function test(): Promise<number> {
  const gateways = gatewaysOf(values.runtime)
  const published = publishedClients()
  const rows: Row[] = []
  for (const gateway of gateways) rows.push(...(await checkGateway(gateway, published)))
  say(`\n${tableOf(rows, CHECKS)}\n`)
  for (const line of faultLines(rows)) say(line)
  const { passed, failed } = countRows(rows)
  say(`oauth: ${passed} passed, ${failed} failed`)
  return passed > 0 && failed === 0 ? 0 : 1
}

/** One client after the other: in some gateways the tokens of all clients run out together. */
async function checkGateway(
  { name, readsDocuments, start }: GatewayStart,
  published: readonly LoginClient[],
): Promise<readonly Row[]> {
  const clients = [...published, ...hostedClients(readsDocuments)].filter((client) =>
    isSelected(toRowName(client, name)),
  )
  if (clients.length === 0) return []
  const gateway = await start()
  const rows: Row[] = []
  try {
    for (const client of clients) {
      const row = await checkLogin(client, name, gateway)
      say(`${row.name}: ${(row.tookMs / 1000).toFixed(1)} s`)
      rows.push(row)
    }
  } finally {
    await gateway.stop()
  }
  return rows
}

function isSelected(row: string): boolean {
  return positionals.length === 0 || positionals.some((word) => row.includes(word))
}

function gatewaysOf(runtime: string): readonly GatewayStart[] {
  if (runtime === 'twin') {
    return [false, true].flatMap((renames) => {
      const suffix = renames ? ', renamed' : ''
      return [
        toGateway(`own login${suffix}`, () => startOwnLogin({ renames }), true),
        toGateway(`foreign login${suffix}`, () => startForeignLogin({ renames })),
      ]
    })
  }
  if (runtime === 'lambda') {
    return [
      toGateway('own login, lambda', startOwnLoginOnLambda),
      toGateway('foreign login, lambda', startForeignLoginOnLambda),
    ]
  }
  throw new Error('--runtime: twin or lambda')
}

function toGateway(
  name: string,
  start: GatewayStart['start'],
  readsDocuments = false,
): GatewayStart {
  return { name, readsDocuments, start }
}

function publishedClients(): readonly LoginClient[] {
  const clients = join(import.meta.dirname, '../clients/packages')
  const packages = installPackages(clients, 'clients')
  const python = pythonOfClients()
  if ('missing' in python) say(`oauth: Python is left out, and CI runs it: ${python.missing}`)
  return [
    sdkV1,
    sdkV2(packages),
    mcpRemote(packages),
    ...('missing' in python ? [] : [pythonClient(python.python)]),
  ]
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
