/**
 * The servers of bench:mcp, each a process of its own, and the `tools/call` request that a client
 * of each of two revisions sends.
 */
import { join } from 'node:path'
import { installPackages } from '../../test/conformance/install-packages.ts'
import { type MeasuredProcess, startMeasuredProcess } from '../lib/measured-process.ts'
import { type BenchTwin, startBenchTwin } from '../lib/start-twin.ts'
import type { Target } from './load-case.ts'
import { TOOL } from './yardstick.ts'

export const BARE = 'bare node:http, http.Agent'
export const SDK_V2 = 'SDK v2, stateless'
export const TWIN = 'POST /mcp, npm start'

/**
 * 2025-11-25 is the newest revision with a handshake, on which no server here insists. 2026-07-28
 * is stateless.
 */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const
export type BenchRevision = (typeof REVISIONS)[number]

/**
 * Number of users. 16 connections then are 2 calls of a user at once, well below the limit of 32
 * holds: calls that are being settled may still hold.
 */
const USERS = 8
const SKILL_ID = 'sg_bench_plain'
const SDK_FOLDER = join(import.meta.dirname, '../lib/sdk-v2')

export type McpServerUnderTest = {
  readonly name: string
  readonly process: MeasuredProcess
  target(revision: BenchRevision): Target
}

/**
 * Starts the yardsticks. If SDK v2 cannot be installed it is left out with a note, because it is a
 * yardstick, not a dependency.
 */
export async function startYardsticks(upstreamUrl: string): Promise<readonly McpServerUnderTest[]> {
  const start = async (name: string, file: string, ...args: readonly string[]) => {
    const process = await startMeasuredProcess(file, [upstreamUrl, ...args])
    return toServer(name, process, { url: process.ready['url'], tool: TOOL.name, keys: ['none'] })
  }
  const bare = await start(BARE, 'bench/mcp/bare.ts')
  try {
    const sdk = installPackages(SDK_FOLDER, 'sdk-v2')
    return [bare, await start(SDK_V2, 'bench/mcp/sdk-v2.ts', sdk)]
  } catch (cause) {
    console.log(`Without SDK v2: ${cause instanceof Error ? cause.message : cause}\n`)
    return [bare]
  }
}

export type OurServer = McpServerUnderTest & Pick<BenchTwin, 'keys'>

/** Starts the twin with a skill that costs a thousandth of a credit, so that the ledger is used. */
export async function startOurs(
  upstreamUrl: string,
  folder: string,
  users = USERS,
): Promise<OurServer> {
  const args = ['--data', folder, '--outbound-allow', new URL(upstreamUrl).host]
  const { keys, process } = await startBenchTwin(args, { skills: [toSkill(upstreamUrl)], users })
  const endpoint = { url: process.ready['mcp'], tool: SKILL_ID, keys }
  return { ...toServer(TWIN, process, endpoint), keys }
}

/** The parameters of a tool that takes a city. */
export function toCity(): object {
  const city = { type: 'string', minLength: 1, maxLength: 100 }
  return {
    type: 'object',
    properties: { city },
    required: ['city'],
    additionalProperties: false,
  }
}

function toSkill(upstreamUrl: string): object {
  return {
    id: SKILL_ID,
    source: 'official',
    meta: { name: 'Weather', description: TOOL.description, parameters: toCity() },
    config: { endpoint: `${upstreamUrl}/weather`, method: 'GET' },
    credits_per_call: 0.001,
  }
}

type Endpoint = {
  readonly url: string | undefined
  readonly tool: string
  readonly keys: readonly string[]
}

function toServer(name: string, process: MeasuredProcess, endpoint: Endpoint): McpServerUnderTest {
  const target = (revision: BenchRevision) => toTarget(name, process, endpoint, revision)
  return { name, process, target }
}

export function toTarget(
  name: string,
  process: MeasuredProcess,
  { keys, tool, url = '' }: Endpoint,
  revision: BenchRevision,
): Target {
  const isModern = revision === '2026-07-28'
  const args = { name: tool, arguments: { city: 'CITY' } }
  const params = isModern ? { ...args, _meta: toEnvelope(revision) } : args
  const headers = keys.map((key) => ({
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
    ...(isModern ? { 'mcp-method': 'tools/call', 'mcp-name': tool } : {}),
  }))
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'CITY', method: 'tools/call', params })
  // The load generator puts another word for CITY into each request and expects it in the answer,
  // whose result is JSON inside a JSON string.
  return { name, process, url, headers, body, wants: ['"id":"CITY"', '\\"CITY\\"'] }
}

export function toEnvelope(revision: BenchRevision) {
  return {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
}
