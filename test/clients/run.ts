/**
 * `npm run test:clients`: popular clients, as they come from their registries, each against the
 * same twin. Ends with `clients: N passed, N failed`; the exit code is 1 unless all passed.
 * `--runtime lambda`: against the bundled doors under AWS's runtime client instead of the twin.
 * Other words select clients by a part of their name.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installPackages } from '../conformance/install-packages.ts'
import type { TestedClient } from './agent.ts'
import { CHECKS, checkClient, type Row, type World } from './checks.ts'
import type { Gateway } from './gateway.ts'
import { checkGuides } from './guides.ts'
import { inspectorClients } from './inspector.ts'
import { mcpRemoteClients } from './mcp-remote.ts'
import { pythonClients } from './python.ts'
import { sdkV1Sse, sdkV1Streamable } from './sdk-v1.ts'
import { sdkV2Clients } from './sdk-v2.ts'
import { countRows, faultLines, tableOf } from './table.ts'
import { startTwinGateway } from './twin-gateway.ts'

/** Clients that run at once: they mostly wait, and each may be two processes. */
const AT_ONCE = 4

const { values, positionals } = parseArgs({
  options: { runtime: { type: 'string', default: 'twin' } },
  allowPositionals: true,
})
// A client that hangs must not keep this process alive.
process.exit(await test())

async function test(): Promise<number> {
  const clients = allClients().filter(
    ({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
  )
  const gateway = await startGateway()
  try {
    const rows = await checkAll(clients, gateway)
    say(`\n${tableOf(rows, CHECKS)}\n`)
    for (const line of faultLines(rows)) say(line)
    const { passed, failed } = countRows(rows)
    const faults = await testGuides()
    say(`clients: ${passed} passed, ${failed} failed`)
    return passed > 0 && failed + faults === 0 ? 0 : 1
  } finally {
    await gateway.stop()
  }
}

/** The number of faults. Guides are the same at each runtime, so the twin alone is asked. */
async function testGuides(): Promise<number> {
  if (values.runtime !== 'twin' || positionals.length > 0) return 0
  const packages = installPackages(join(import.meta.dirname, 'packages'), 'clients')
  const faults = await checkGuides(packages)
  for (const fault of faults) say(`FAULT ${fault}`)
  say(`guides: ${faults.length === 0 ? 'read and verified' : 'failed'}`)
  return faults.length
}

async function startGateway(): Promise<Gateway> {
  if (values.runtime === 'twin') return startTwinGateway()
  if (values.runtime !== 'lambda') throw new Error('--runtime: twin or lambda')
  const { startLambdaGateway } = await import('./lambda-gateway.ts')
  return startLambdaGateway()
}

function allClients(): readonly TestedClient[] {
  const packages = installPackages(join(import.meta.dirname, 'packages'), 'clients')
  const python = pythonClients()
  if ('missing' in python)
    say(`clients: Python's are left out, and CI runs them: ${python.missing}`)
  return [
    sdkV1Sse,
    sdkV1Streamable,
    ...sdkV2Clients(packages),
    ...inspectorClients(packages),
    ...mcpRemoteClients(packages),
    ...('missing' in python ? [] : python.clients),
  ]
}

/** In the order of `clients`, whatever the order of their ends. */
async function checkAll(clients: readonly TestedClient[], world: World): Promise<readonly Row[]> {
  const rows = new Map<TestedClient, Row>()
  const waiting = [...clients]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const row = await checkClient(next, world)
      rows.set(next, row)
      say(`${row.name}: ${(row.tookMs / 1000).toFixed(1)} s`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return clients.flatMap((client) => rows.get(client) ?? [])
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
