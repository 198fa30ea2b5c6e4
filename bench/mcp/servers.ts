/**
 * The servers of bench:mcp, each a process of its own, and the requests to each. A server that
 * cannot be installed is left out with a note.
 */
import { join } from 'node:path'
import { installPackages } from '../../test/conformance/install-packages.ts'
import { type BenchSkill, definition, plainSkill } from '../lib/bench-skills.ts'
import { installSdk } from '../lib/install-sdk-v2.ts'
import { type MeasuredProcess, startMeasured } from '../lib/measured-process.ts'
import type { Target } from '../lib/target.ts'
import { startBenchTwin } from '../lib/twin-target.ts'
import {
  type BenchNames,
  type BenchRevision,
  benchMessage,
  type Operation,
  REVISIONS,
  TOOLS_LISTED,
} from './messages.ts'
import { TOOL_NAMES } from './yardstick-tools.ts'

export const BARE = 'bare node:http, http.Agent'
export const SDK_V1 = 'SDK v1, stateless'
export const SDK_V2 = 'SDK v2, stateless'
export const FASTMCP = 'fastmcp (TypeScript), stateless'
export const DEFAULT = 'POST /mcp, npm start'
export const MEMORY = 'POST /mcp, --memory'

export type McpServerUnderTest = {
  readonly name: string
  readonly process: MeasuredProcess
  /** Undefined when the server does not know the revision. */
  target(operation: Operation, revision: BenchRevision): Target | undefined
}

/** `users`: their headers. */
export type OurServer = McpServerUnderTest & { readonly users: Target['headers'] }

type ServerRequests = {
  readonly urlOf: (operation: Operation) => string
  readonly names: BenchNames
  readonly revisions: readonly BenchRevision[]
  /** Headers beside those of the message, one set per user. */
  readonly users: Target['headers']
}

function underTest(
  name: string,
  process: MeasuredProcess,
  requests: ServerRequests,
): McpServerUnderTest {
  return {
    name,
    process,
    target: (operation, revision) => {
      if (!requests.revisions.includes(revision)) return undefined
      const { headers, ...message } = benchMessage(operation, revision, requests.names)
      const all = requests.users.map((user) => ({ ...user, ...headers }))
      return { name, process, url: requests.urlOf(operation), headers: all, ...message }
    },
  }
}

export async function startYardsticks(upstreamUrl: string): Promise<readonly McpServerUnderTest[]> {
  const names = { called: TOOL_NAMES[0] ?? '', lastListed: TOOL_NAMES.at(-1) ?? '' }
  const start = async (
    name: string,
    file: string,
    {
      args = [],
      pathOf = (operation) => (operation === 'tools/list' ? '/list' : '/call'),
      revisions = REVISIONS,
    }: {
      readonly args?: readonly string[]
      readonly pathOf?: (operation: Operation) => string
      readonly revisions?: readonly BenchRevision[]
    } = {},
  ) => {
    const process = await startMeasured(file, [upstreamUrl, ...args])
    const urlOf = (operation: Operation) => `${process.ready['url']}${pathOf(operation)}`
    return underTest(name, process, { urlOf, names, revisions, users: [{}] })
  }
  const legacy = REVISIONS.slice(0, 1)
  const servers = [
    await start(BARE, 'bench/mcp/bare.ts'),
    await start(SDK_V1, 'bench/mcp/sdk-v1.ts', { revisions: legacy }),
  ]
  const noSdk = installSdk()
  if (noSdk === undefined) servers.push(await start(SDK_V2, 'bench/mcp/sdk-v2.ts'))
  else console.log(`Without SDK v2: ${noSdk}\n`)
  const fastmcp = installFastmcp()
  if ('folder' in fastmcp) {
    const args = [fastmcp.folder]
    const pathOf = () => '/mcp'
    servers.push(await start(FASTMCP, 'bench/mcp/fastmcp.ts', { args, pathOf, revisions: legacy }))
  } else {
    console.log(`Without fastmcp: ${fastmcp.missing}\n`)
  }
  return servers
}

function installFastmcp(): { readonly folder: string } | { readonly missing: string } {
  try {
    return { folder: installPackages(join(import.meta.dirname, 'fastmcp'), 'fastmcp') }
  } catch (cause) {
    return { missing: cause instanceof Error ? cause.message : String(cause) }
  }
}

/** `users`: eight by default. */
export async function startOurs(
  name: string,
  upstreamUrl: string,
  options: { readonly args: readonly string[]; readonly users?: number },
): Promise<OurServer> {
  const skills = listedSkills(upstreamUrl)
  const { headers, process } = await startBenchTwin([upstreamUrl], { ...options, skills })
  const called = String(skills[0]?.definition['id'])
  // Names are in order: built-in and sample tools have others that begin with sg_.
  const lastListed = String(skills.at(-1)?.definition['id'])
  const names = { called, lastListed }
  const urlOf = () => process.ready['mcp'] ?? ''
  const server = underTest(name, process, { urlOf, names, revisions: REVISIONS, users: headers })
  return { ...server, users: headers }
}

/** Of the newest revision, which every server of ours knows. */
export function targetOf(server: OurServer, operation: Operation): Target {
  const target = server.target(operation, '2026-07-28')
  if (target === undefined) throw new Error('the twin does not know 2026-07-28')
  return target
}

/** The twin lists its three built-in tools and three samples before anybody adds one. */
const TOOLS_OF_TWIN = 6

function listedSkills(upstreamUrl: string): readonly BenchSkill[] {
  const plain = plainSkill(upstreamUrl)
  const city = { city: { type: 'string', minLength: 1, maxLength: 100 } }
  const config = plain.definition['config'] ?? {}
  const more = Array.from({ length: TOOLS_LISTED - TOOLS_OF_TWIN - 1 }, (_, index) => {
    const name = `tool_${String(index).padStart(2, '0')}`
    return { ...plain, name, definition: definition(name, config, city) }
  })
  return [plain, ...more]
}
