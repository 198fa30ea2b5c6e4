/** Everything that bench:registry measures, on one store with so many skills. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { storeWait } from '../../core/flow/access/store-wait.ts'
import { createUser } from '../../core/flow/accounts/manage-users.ts'
import { syncSkill } from '../../core/flow/registry/sync-skill.ts'
import { syncToolList } from '../../core/flow/registry/sync-tool-list.ts'
import { searchSkills } from '../../core/flow/tools/answer-search.ts'
import { answerToolsList } from '../../core/flow/tools/answer-tools-list.ts'
import { listLayers } from '../../core/flow/tools/merge-tool-layers.ts'
import { toolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { LATEST_LEGACY } from '../../core/mcp/revisions.ts'
import { ensured } from '../lib/agent.ts'
import { median } from '../lib/figures.ts'
import { SETTINGS } from '../lib/gateway.ts'
import { inShort } from '../lib/short.ts'
import { definitionOf, putSkills } from './skills.ts'
import type { RegistryPorts, RegistryWorld } from './world.ts'

export type RegistryFigures = {
  readonly pageP50Ms: number
  readonly searchP50Ms: number
  readonly rebuildSec: number
  /** In the order of the table. */
  readonly rows: { readonly [what: string]: number | undefined }
}

const UID = 'bench'
const PRINCIPAL = { uid: UID, keyHash: 'bench-key', username: UID }
const SERVER = { name: 'skillgate', version: '0', instructions: '' }
const ROUNDS = inShort(60, 2)
const QUERIES = [
  'weather',
  'convert currency of an account',
  'inv',
  'sg_get_flight_00123',
  'ickets',
]
/** Tools of a page, and those that are in every list. */
const PAGE = 500
const BUILT_IN = 3
/** Private skills of the lister, in the rows that have some. */
const OWN = 20

export async function measureRegistry(
  world: RegistryWorld,
  size: number,
): Promise<RegistryFigures> {
  const { ports } = world
  await putSkills(ports, 0, size)
  ensured(await createUser(ports, { uid: UID, username: UID }))
  // It reads the tiers twice: no list stands yet that a change meanwhile would have moved.
  const first = await measureRebuild(world)
  const pages = await measurePages(ports)
  const searched = await measureSearch(ports)
  const rebuilt = await measureRebuild(world)
  const synced = await world.requestsOf(() => sync(ports, size, 'official'))
  const syncedPrivate = await world.requestsOf(() => sync(ports, size + 1, 'private'))
  for (let index = 2; index <= OWN; index += 1) await sync(ports, size + index, 'private')
  const withOwn = await measurePages(ports)
  const resolved = await world.requestsOf(() => resolveOne(ports, definitionOf(1).id))
  const resolvedOwn = await world.requestsOf(() =>
    resolveOne(ports, `${UID}_${definitionOf(size + 1).id}`),
  )
  const rows = {
    'tools/list: ms a page of 500, p50': pages.p50Ms,
    'tools/list: µs a listed tool': (1_000 * pages.p50Ms) / Math.min(size + BUILT_IN, PAGE),
    'with private skills of one’s own: ms a page, p50': withOwn.p50Ms,
    'all pages: ms': pages.allMs,
    'the first list of an environment: ms': pages.coldMs,
    'memory of the list: MB': pages.memoryMb,
    'search: ms, p50': searched.p50Ms,
    'the first search, which makes the index: ms': searched.coldMs,
    'memory of the index: MB': searched.memoryMb,
    'rebuild: s': rebuilt.seconds,
    'rebuild, the first of a store: s': first.seconds,
    'rebuild: requests to the gateway': rebuilt.steps,
    'rebuild: round trips': rebuilt.requests?.roundTrips,
    'rebuild: RRU': rebuilt.requests?.rru,
    'rebuild: WRU': rebuilt.requests?.wru,
    'sync_skill, shared and listed: round trips': synced?.roundTrips,
    'sync_skill, shared and listed: RRU': synced?.rru,
    'sync_skill, shared and listed: WRU': synced?.wru,
    'sync_skill, private: round trips': syncedPrivate?.roundTrips,
    'sync_skill, private: RRU': syncedPrivate?.rru,
    'sync_skill, private: WRU': syncedPrivate?.wru,
    'resolution of a call, shared skill: round trips': resolved?.roundTrips,
    'resolution of a call, private skill by its name: round trips': resolvedOwn?.roundTrips,
  }
  const { seconds: rebuildSec } = rebuilt
  return { pageP50Ms: pages.p50Ms, searchP50Ms: searched.p50Ms, rebuildSec, rows }
}

async function measureRebuild(world: RegistryWorld) {
  const startMs = performance.now()
  let steps = 0
  const requests = await world.requestsOf(async () => {
    let cursor: string | undefined
    do {
      const body: JsonObject = cursor === undefined ? {} : { cursor }
      const answer = ensured(await syncToolList(world.ports, SETTINGS, body))
      cursor = 'nextCursor' in answer ? answer.nextCursor : undefined
      steps += 1
    } while (cursor !== undefined)
  })
  return { seconds: (performance.now() - startMs) / 1_000, steps, requests }
}

/** As the doors do it: counted, listed, in the shape of a revision, as text. */
async function measurePages(ports: RegistryPorts) {
  const cache = toolListCache()
  const heldMb = heapMb()
  const startMs = performance.now()
  await allPages(ports, cache)
  const coldMs = performance.now() - startMs
  const memoryMb = heapMb() - heldMb
  const times: number[] = []
  const wholes: number[] = []
  while (times.length < ROUNDS) {
    const before = performance.now()
    times.push(...(await allPages(ports, cache)))
    wholes.push(performance.now() - before)
  }
  return { p50Ms: median(times), allMs: median(wholes), coldMs, memoryMb }
}

/** Answers the milliseconds of each page. */
async function allPages(
  ports: RegistryPorts,
  cache: ReturnType<typeof toolListCache>,
): Promise<readonly number[]> {
  const times: number[] = []
  let cursor: string | undefined
  do {
    const startMs = performance.now()
    const listed = await answerToolsList(ports, SETTINGS, cache, {
      who: { kind: 'principal', principal: PRINCIPAL },
      wait: storeWait(ports.clock),
      cursor,
      resultOf: (page) => LATEST_LEGACY.results.listTools(page, SERVER),
      resultBytesMax: 4_000_000,
    })
    if (!listed.ok) throw new Error(listed.error.message)
    times.push(performance.now() - startMs)
    cursor = nextOf(JSON.parse(listed.value))
  } while (cursor !== undefined)
  return times
}

function nextOf(result: Json): string | undefined {
  const page = isJsonObject(result) ? result : {}
  return typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined
}

async function measureSearch(ports: RegistryPorts) {
  const cache = toolListCache()
  await allPages(ports, cache)
  const lister = { ...PRINCIPAL, skillsChangedAtMs: 0 }
  const layers = () => listLayers(ports, SETTINGS, cache, lister)
  const ask = (query: string) => searchSkills({ arguments: { query }, layers })
  const heldMb = heapMb()
  const startMs = performance.now()
  await ask('weather')
  const coldMs = performance.now() - startMs
  const memoryMb = heapMb() - heldMb
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const query of QUERIES) {
      const before = performance.now()
      await ask(query)
      times.push(performance.now() - before)
    }
  }
  return { p50Ms: median(times), coldMs, memoryMb }
}

setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')

/** Of what is still reachable. One collection leaves what its finalizers free. */
function heapMb(): number {
  for (let time = 0; time < 4; time += 1) if (typeof collect === 'function') collect()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 2 ** 20
}

async function sync(ports: RegistryPorts, index: number, source: 'official' | 'private') {
  const text = JSON.stringify({ ...definitionOf(index), source })
  const uid = source === 'private' ? UID : undefined
  ensured(await syncSkill(ports, SETTINGS, { text, source: undefined, uid, list: 'now' }))
}

/** The records that a call reads before it decides. */
async function resolveOne(ports: RegistryPorts, name: string) {
  const cut = name.startsWith(`${UID}_`) ? name.slice(UID.length + 1) : undefined
  const skillId = name.startsWith('sg_') ? name : `sg_${name}`
  const { candidates } = await ports.callLookup.read({ uid: UID, name, skillId, cut })
  const found = candidates.private ?? candidates.official ?? candidates.market
  if (found === undefined) throw new Error(`not found: ${name}`)
}
