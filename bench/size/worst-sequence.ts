/**
 * The calls that take most memory, one after the other in one environment: a list of 10,000 tools and its search index, answers
 * of 4 MB in each form, pages in their thread. Tells whether the environment lived through all of them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { dynamoStore } from '../../adapters/dynamodb/client/sdk-store.ts'
import { openLocalStore } from '../../adapters/dynamodb/local-store.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { syncToolList } from '../../core/flow/registry/sync-tool-list.ts'
import { newUser, setSecret, syncSkill, type User } from '../../test/lambda/doors/people.ts'
import { TABLES, type World } from '../../test/lambda/doors/world.ts'
import { ensured } from '../lib/agent.ts'
import { SETTINGS } from '../lib/gateway.ts'
import { inShort } from '../lib/short.ts'
import { putSkills } from '../registry/skills.ts'

const TOOLS = inShort(10_000, 1_000)
const SMALL_CALLS = inShort(10, 2)

/** By the name of their answer; `refused`: the call fails as it should, and the environment lives on. */
const KINDS = {
  json: 'answered',
  json_packed: 'answered',
  json_wide: 'answered',
  json_secret: 'answered',
  page: 'answered',
  json_names: 'answered',
  page_past_limit: 'refused',
  json_objects: 'answered',
  json_past_limit: 'answered',
  text: 'answered',
  text_quotes: 'answered',
  text_wide: 'answered',
  text_secret: 'answered',
  image: 'answered',
  csv: 'answered',
  xml: 'answered',
} as const

const HOOKS: { readonly [kind: string]: string } = {
  page: 'html_to_markdown',
  page_past_limit: 'html_to_markdown',
  csv: 'csv_to_json',
  xml: 'xml_to_json',
}
const SECRET = { name: 'API_KEY', value: 'bk_live_7Qm2xVt9RzKp4LwY8NcD3HfB6JsG1TaE' }

export type CallingDoor = 'mcp' | 'execute'

export type Caller = { readonly world: World; readonly door: CallingDoor; readonly user: User }

/** `ended`: how the environment of the door is afterwards. */
export type Step = {
  readonly name: string
  readonly ended: 'alive' | 'died'
  readonly right: boolean
  readonly peakMb: number
}

export async function prepare(world: World, upstreamUrl: string): Promise<User> {
  for (const kind of ['small', 'small_secret', ...Object.keys(KINDS)]) {
    await syncSkill(world, skillOf(kind, upstreamUrl))
  }
  const user = await newUser(world, 'bench', 100_000)
  await setSecret(world, user, SECRET)
  await listTools(world)
  return user
}

export async function runSequence(caller: Caller, rounds: number): Promise<readonly Step[]> {
  const { door, user, world } = caller
  const steps: Step[] = []
  const step = async (
    name: string,
    wanted: 'answered' | 'refused',
    work: () => Promise<string>,
  ) => {
    steps.push(
      await watched(world, door, name, async () => {
        const text = await work().catch((cause: unknown) => String(cause))
        return (
          text.includes(wanted === 'answered' ? '"isError":false' : 'MB to convert') ||
          text.includes('"tools":[')
        )
      }),
    )
  }
  for (let round = 0; round < rounds; round += 1) {
    await step('small calls', 'answered', async () => {
      let text = ''
      for (let made = 0; made < SMALL_CALLS; made += 1) text = await call(caller, 'small')
      return text
    })
    if (door === 'mcp') {
      await step(`list of ${TOOLS.toLocaleString('en')}`, 'answered', () => allPages(world, user))
      await step('search in it', 'answered', () =>
        post(world, user, 'tools/call', {
          name: 'sg_search_skills',
          arguments: { query: 'weather' },
        }),
      )
    }
    if (door === 'mcp') await step('batch of four', 'answered', () => batch(world, user))
    for (const [kind, wanted] of Object.entries(KINDS)) {
      await step(kind, wanted, () => call(caller, kind))
    }
  }
  return steps
}

async function watched(
  world: World,
  door: CallingDoor,
  name: string,
  work: () => Promise<boolean>,
): Promise<Step> {
  const before = pidOf(world, door)
  if (before !== undefined) writeFileSync(`/proc/${before}/clear_refs`, '5')
  const right = await work()
  await world[door].whenIdle()
  const after = pidOf(world, door)
  const died = before !== undefined && before !== after
  return {
    name,
    ended: died ? 'died' : 'alive',
    right,
    peakMb: died || after === undefined ? Number.NaN : peakMb(after),
  }
}

export function pidOf(world: World, door: CallingDoor): number | undefined {
  return world[door].environments().at(-1)?.pid
}

/** Linux's highest resident size since the last reset. */
export function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024
}

type CallOptions = { readonly isRepeatable?: boolean; readonly onAnswer?: () => unknown }

/**
 * Ends with the invocation: the next one comes to the same environment. `isRepeatable`: with an Idempotency-Key where the door
 * is execute, so that the answer is sealed and kept if it is small enough.
 */
export async function call(
  { door, user, world }: Caller,
  kind: string,
  { isRepeatable = true, onAnswer }: CallOptions = {},
): Promise<string> {
  const name = `sg_${kind}`
  const text =
    door === 'mcp'
      ? await post(world, user, 'tools/call', { name, arguments: {} })
      : await postExecute(world, user, name, isRepeatable)
  onAnswer?.()
  await world[door].whenIdle()
  return text
}

/** A feature of 2025-03-26 alone. */
async function batch(world: World, user: User): Promise<string> {
  const params = { name: 'sg_json_wide', arguments: {} }
  const response = await fetch(`${world.mcpUrl.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.key}`,
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-03-26',
    },
    body: JSON.stringify(
      [1, 2, 3, 4].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params })),
    ),
  })
  return response.text()
}

async function post(world: World, user: User, method: string, params: object): Promise<string> {
  const response = await fetch(`${world.mcpUrl.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return response.text()
}

async function postExecute(
  world: World,
  user: User,
  skill: string,
  isRepeatable: boolean,
): Promise<string> {
  const response = await fetch(`${world.executeUrl.url}/v1/execute`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.key}`,
      'content-type': 'application/json',
      ...(isRepeatable ? { 'idempotency-key': crypto.randomUUID() } : {}),
    },
    body: JSON.stringify({ skill, arguments: {} }),
  })
  return response.text()
}

async function allPages(world: World, user: User): Promise<string> {
  let cursor: string | undefined
  for (;;) {
    const text = await post(world, user, 'tools/list', cursor === undefined ? {} : { cursor })
    await world.mcp.whenIdle()
    cursor = (JSON.parse(text) as { result?: { nextCursor?: string } }).result?.nextCursor
    if (cursor === undefined) return text
  }
}

function skillOf(kind: string, upstreamUrl: string): object {
  const hook = HOOKS[kind]
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

/** The list alone is in the tables: skills that no call names are not read for it. */
async function listTools(world: World): Promise<void> {
  const client = dynamoClient({ endpoint: world.storeEndpoint })
  const clock = systemClock()
  const onTrouble = (cause: unknown) => {
    throw new Error('unexpected trouble', { cause })
  }
  const { toolListVersion, toolsCache } = dynamoStorePorts(
    dynamoStore({ client, tables: TABLES, clock, onTrouble }),
  )
  const memory = openLocalStore({ clock }).ports
  const log = { call: () => {}, note: () => {} }
  const ports = {
    ...memory,
    toolListVersion,
    toolsCache,
    clock,
    log,
    digests: nodeDigests(),
    ids: nodeIds(),
  }
  await putSkills(ports, 0, TOOLS)
  let cursor: string | undefined
  do {
    const synced = ensured(
      await syncToolList(ports, SETTINGS, cursor === undefined ? {} : { cursor }),
    )
    cursor = 'nextCursor' in synced ? synced.nextCursor : undefined
  } while (cursor !== undefined)
  client.destroy()
}
