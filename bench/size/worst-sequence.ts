/**
 * Makes the calls that need most memory, one after the other in one environment: a list of 10,000
 * tools and its search index, answers of 4 MB in each form, pages in their thread. Tells whether
 * the environment survives all of them.
 */
import { writeFileSync } from 'node:fs'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { dynamoStore } from '../../adapters/dynamodb/client/sdk-store.ts'
import { openLocalStore } from '../../adapters/dynamodb/local-store.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { WAITING_MB } from '../../lib/door-sizes.ts'
import { newUser, setSecret, syncSkill, type User } from '../../test/lambda/doors/people.ts'
import { startWorld, TABLES, type World } from '../../test/lambda/doors/world.ts'
import { createFlowPorts } from '../lib/gateway.ts'
import { readResidentMb } from '../lib/process-figures.ts'
import { chooseByLength } from '../lib/short.ts'
import { putSkills, rebuildToolList } from '../registry/skills.ts'
import type { ControlGroup } from './control-group.ts'

/** The limit of the process; a tenth is left for Lambda itself. */
export const USED_MB = WAITING_MB * 0.9
const TOOLS = chooseByLength(10_000, 1_000)
const SMALL_CALL_COUNT = chooseByLength(10, 2)
const TIMEOUT_MS = 300_000
const SECRET = { name: 'API_KEY', value: 'bk_live_7Qm2xVt9RzKp4LwY8NcD3HfB6JsG1TaE' }
/** The one call that must be refused; the environment survives it. */
const REFUSED = 'page_past_limit'

/** The skills by the name of their answer, with the hook that converts it. */
const KINDS: { readonly [kind: string]: string | undefined } = {
  json: undefined,
  json_packed: undefined,
  json_wide: undefined,
  json_secret: undefined,
  page: 'html_to_markdown',
  json_names: undefined,
  [REFUSED]: 'html_to_markdown',
  json_objects: undefined,
  json_past_limit: undefined,
  text: undefined,
  text_quotes: undefined,
  text_wide: undefined,
  text_secret: undefined,
  image: undefined,
  csv: 'csv_to_json',
  xml: 'xml_to_json',
}

export type CallingDoor = 'mcp' | 'execute'

/**
 * A step; `died` tells whether the environment ended, `right` whether the answers were as expected.
 */
export type Step = {
  readonly name: string
  readonly died: boolean
  readonly right: boolean
  readonly peakMb: number
}

/** Runs the sequence in a function of the deployed size whose process the group limits. */
export async function runWorstSequence(
  door: CallingDoor,
  group: ControlGroup,
  upstreamUrl: string,
  rounds: number,
): Promise<readonly Step[]> {
  const world = await startWorld({
    env: { TIER_LIMITS: 'free:100000', OUTBOUND_ALLOW: '127.0.0.1' },
    // Takes the answers that are too long for a repeat, as the bucket of kept results does.
    archiveEnv: () => ({ AWS_ENDPOINT_URL_S3: upstreamUrl }),
    [door]: { memoryMb: WAITING_MB, launcher: group.launcher, timeoutMs: TIMEOUT_MS },
  })
  try {
    for (const kind of ['small', ...Object.keys(KINDS)])
      await syncSkill(world, toSkill(kind, upstreamUrl))
    const user = await newUser(world, 'bench', 100_000)
    await setSecret(world, user, SECRET)
    await writeToolList(world)
    return await runSequence(world, door, user, rounds)
  } finally {
    await world.stop()
  }
}

async function runSequence(
  world: World,
  door: CallingDoor,
  user: User,
  rounds: number,
): Promise<readonly Step[]> {
  const post = createPost(world, door, user)
  const call = (kind: string) =>
    door === 'mcp'
      ? post({ ...CALL, params: { name: `sg_${kind}`, arguments: {} } })
      : post({ skill: `sg_${kind}`, arguments: {} }, { 'idempotency-key': crypto.randomUUID() })
  const steps: Step[] = []
  const step = async (name: string, expected: string, work: () => Promise<string>) => {
    const before = findPid(world, door)
    if (before !== undefined) writeFileSync(`/proc/${before}/clear_refs`, '5')
    const text = await work().catch(String)
    await world[door].whenIdle()
    const after = findPid(world, door)
    const died = before !== undefined && before !== after
    const peakMb = died || after === undefined ? Number.NaN : readResidentMb(after, 'VmHWM')
    steps.push({ name, died, right: text.includes(expected), peakMb })
  }
  for (let round = 0; round < rounds; round += 1) {
    await step('small calls', ANSWERED, async () => {
      for (let made = 1; made < SMALL_CALL_COUNT; made += 1) await call('small')
      return call('small')
    })
    if (door === 'mcp') {
      await step(`list of ${TOOLS.toLocaleString('en')}`, '"tools":[', () => listAllPages(post))
      const params = { name: 'sg_search_skills', arguments: { query: 'weather' } }
      await step('search in it', ANSWERED, () => post({ ...CALL, params }))
      // A batch is a feature of 2025-03-26 only.
      const wide = { ...CALL, params: { name: 'sg_json_wide', arguments: {} } }
      const four = [1, 2, 3, 4].map((id) => ({ ...wide, id }))
      const revision = { 'mcp-protocol-version': '2025-03-26' }
      await step('batch of four', ANSWERED, () => post(four, revision))
    }
    for (const kind of Object.keys(KINDS))
      await step(kind, kind === REFUSED ? 'MB to convert' : ANSWERED, () => call(kind))
  }
  return steps
}

const ANSWERED = '"isError":false'
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call' }

function findPid(world: World, door: CallingDoor): number | undefined {
  return world[door].environments().at(-1)?.pid
}

type Post = (body: object, headers?: object) => Promise<string>

/**
 * Returns a function that posts and waits for the end of the invocation, so that the next request
 * reaches the same environment.
 */
function createPost(world: World, door: CallingDoor, { key }: User): Post {
  const url = door === 'mcp' ? `${world.mcpUrl.url}/mcp` : `${world.executeUrl.url}/v1/execute`
  return async (body, more = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await response.text()
    await world[door].whenIdle()
    return text
  }
}

async function listAllPages(post: Post): Promise<string> {
  for (let params = {}; ; ) {
    const text = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params })
    const cursor = (JSON.parse(text) as { result?: { nextCursor?: string } }).result?.nextCursor
    if (cursor === undefined) return text
    params = { cursor }
  }
}

function toSkill(kind: string, upstreamUrl: string): object {
  const hook = KINDS[kind]
  return {
    id: `sg_${kind}`,
    source: 'official',
    meta: {
      name: kind,
      description: 'Sends the most.',
      parameters: { type: 'object', properties: {} },
    },
    config: {
      endpoint: `${upstreamUrl}/${kind}`,
      method: 'GET',
      max_response_bytes: 4_000_000,
      ...(kind.endsWith('_secret') ? { auth: { type: 'bearer', secret: SECRET.name } } : {}),
      ...(hook === undefined ? {} : { plugin_hook: hook }),
    },
    credits_per_call: 1,
  }
}

/** Writes only the list into the tables; a list needs no records of its skills. */
async function writeToolList(world: World): Promise<void> {
  const client = dynamoClient({ endpoint: world.storeEndpoint })
  const clock = systemClock()
  const onTrouble = (cause: unknown) => {
    throw new Error('unexpected trouble', { cause })
  }
  const { toolListVersion, toolsCache } = dynamoStorePorts(
    dynamoStore({ client, tables: TABLES, clock, onTrouble }),
  )
  const memory = openLocalStore({ clock }).ports
  const ports = createFlowPorts({ ...memory, toolListVersion, toolsCache }, clock)
  await putSkills(ports, TOOLS)
  await rebuildToolList(ports)
  client.destroy()
}
