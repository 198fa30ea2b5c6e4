/**
 * `npm run test:upstreams`: MCP servers as they come from their registries, registered at the twin
 * as upstreams, each called by an agent of each revision. Ends with `upstreams: N passed, N failed`,
 * counted in pairs; the exit code is 1 unless all passed. Words select pairs by a part of their
 * name.
 */
import { join } from 'node:path'
import type { Row } from '../clients/checks.ts'
import { countRows, faultLines, tableOf } from '../clients/table.ts'
import { installPackages } from '../conformance/install-packages.ts'
import { allAgents, type TestedAgent } from './agents.ts'
import { CHECKS, checkPair } from './checks.ts'
import { type Gateway, startGateway } from './gateway.ts'
import {
  everythingServer,
  filesystemServer,
  goServers,
  pythonServers,
} from './servers/processes.ts'
import { sdkV1Servers } from './servers/sdk-v1.ts'
import { sdkV2Servers } from './servers/sdk-v2.ts'
import type { TestedServer } from './tested-server.ts'
import { startWatchingProxy, type WatchingProxy } from './watching-proxy.ts'

/** Servers that are called at once: the pairs of one mostly wait. */
const AT_ONCE = 4

type Watched = { readonly server: TestedServer; readonly proxy: WatchingProxy }

const words = process.argv.slice(2)
// An agent or a server that hangs must not keep this process alive.
process.exit(await test())

async function test(): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const packages = installPackages(join(import.meta.dirname, 'packages'), 'upstreams')
  const agents = allAgents(packages)
  const servers = allServers(packages).filter((server) =>
    agents.some((agent) => isSelected(server, agent)),
  )
  const watched = await Promise.all(servers.map((server) => watch(server, stack)))
  const gateway = await startGateway(watched.map(({ proxy }) => new URL(proxy.url).host))
  stack.defer(async () => {
    await gateway.stop()
  })
  const rows = await checkAll(gateway, watched, agents)
  say(`\n${tableOf(rows, CHECKS, 'server ← agent')}\n`)
  for (const line of faultLines(rows)) say(line)
  const { failed, passed } = countRows(rows)
  say(`upstreams: ${passed} passed, ${failed} failed`)
  return passed > 0 && failed === 0 ? 0 : 1
}

function allServers(packages: string): readonly TestedServer[] {
  return [
    ...sdkV1Servers(packages),
    ...sdkV2Servers(packages),
    ...pythonServers(),
    ...goServers(),
    everythingServer(packages),
    filesystemServer(packages),
  ]
}

function isSelected({ name }: TestedServer, agent: TestedAgent): boolean {
  return words.every((word) => `${name} ← ${agent.name}`.includes(word))
}

async function watch(server: TestedServer, stack: AsyncDisposableStack): Promise<Watched> {
  const { stop, url } = await server.start()
  stack.defer(async () => {
    await stop()
  })
  const proxy = await startWatchingProxy(url)
  stack.defer(() => proxy.stop())
  return { server, proxy }
}

/** In the order of `watched` and `agents`, whatever the order of their ends. */
async function checkAll(
  gateway: Gateway,
  watched: readonly Watched[],
  agents: readonly TestedAgent[],
): Promise<readonly Row[]> {
  const rows = new Map<Watched, readonly Row[]>()
  const waiting = [...watched]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      rows.set(next, await checkServer(gateway, next, agents))
      say(`${next.server.name}: done`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return watched.flatMap((one) => rows.get(one) ?? [])
}

async function checkServer(
  gateway: Gateway,
  { proxy, server }: Watched,
  agents: readonly TestedAgent[],
): Promise<readonly Row[]> {
  const selected = agents.filter((agent) => isSelected(server, agent))
  const isRefused = await gateway.register(server, proxy.url).catch((cause: Error) => cause)
  const rows: Row[] = []
  for (const tested of selected) {
    if (isRefused !== undefined) {
      const why = isRefused.message
      const outcomes = new Map(CHECKS.map((check) => [check, { kind: 'failed' as const, why }]))
      rows.push({ name: `${server.name} ← ${tested.name}`, outcomes, tookMs: 0 })
    } else {
      rows.push(await checkPair(gateway, { proxy, server, tested }))
    }
  }
  return rows
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
