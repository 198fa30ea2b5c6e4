/**
 * `npm run test:oauth`: published clients log in without a key, list, call, refresh, and are refused once the
 * credential behind the login is revoked, unattended. Ends with `oauth: N passed, N failed`; the exit code is 1
 * unless all passed. `--issuers`: at a foreign authorization server. `--runtime lambda`: against the bundled doors under AWS's runtime client instead of the
 * twin. Other words select clients by a part of their name.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Row } from '../clients/checks.ts'
import { pythonOfClients } from '../clients/python.ts'
import { countRows, faultLines, tableOf } from '../clients/table.ts'
import { installPackages } from '../conformance/install-packages.ts'
import type { LoginClient } from './agent.ts'
import { CHECKS, checkLogin } from './checks.ts'
import { startForeignLogin } from './foreign-login.ts'
import type { LoginGateway } from './gateway.ts'
import { hostedClients } from './hosted.ts'
import { mcpRemote } from './mcp-remote.ts'
import { startOwnLogin, startOwnLoginOnLambda } from './own-login.ts'
import { pythonClient } from './python.ts'
import { sdkV1 } from './sdk-v1.ts'
import { sdkV2 } from './sdk-v2.ts'

const { values, positionals } = parseArgs({
  options: {
    runtime: { type: 'string', default: 'twin' },
    issuers: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
// A client that hangs must not keep this process alive.
process.exit(await test())

async function test(): Promise<number> {
  const clients = allClients().filter(
    ({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
  )
  const rows: Row[] = []
  for (const start of gatewaysOf(values.runtime)) {
    const gateway = await start()
    try {
      for (const client of clients) rows.push(await checkOne(client, gateway))
    } finally {
      await gateway.stop()
    }
  }
  say(`\n${tableOf(rows, CHECKS)}\n`)
  for (const line of faultLines(rows)) say(line)
  const { passed, failed } = countRows(rows)
  say(`oauth: ${passed} passed, ${failed} failed`)
  return passed > 0 && failed === 0 ? 0 : 1
}

/** One after the other: in some gateways the tokens of all clients run out together. */
async function checkOne(client: LoginClient, gateway: LoginGateway): Promise<Row> {
  const row = await checkLogin(client, gateway)
  say(`${row.name}: ${(row.tookMs / 1000).toFixed(1)} s`)
  return row
}

function gatewaysOf(runtime: string): readonly (() => Promise<LoginGateway>)[] {
  if (values.issuers) {
    return [() => startForeignLogin({ renames: false }), () => startForeignLogin({ renames: true })]
  }
  if (runtime === 'twin') {
    return [() => startOwnLogin({ renames: false }), () => startOwnLogin({ renames: true })]
  }
  if (runtime === 'lambda') return [startOwnLoginOnLambda]
  throw new Error('--runtime: twin or lambda')
}

function allClients(): readonly LoginClient[] {
  const clients = join(import.meta.dirname, '../clients/packages')
  const packages = installPackages(clients, 'clients')
  const python = pythonOfClients()
  if ('missing' in python) say(`oauth: Python is left out, and CI runs it: ${python.missing}`)
  return [
    sdkV1,
    sdkV2(packages),
    mcpRemote(packages),
    ...('missing' in python ? [] : [pythonClient(python.python)]),
    ...hostedClients(values.runtime === 'twin' && !values.issuers),
  ]
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
