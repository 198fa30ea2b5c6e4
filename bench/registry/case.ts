/** Everything that bench:registry measures, on one store with so many skills. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { storeWait } from '../../core/flow/access/store-wait.ts'
import { searchSkills } from '../../core/flow/tools/answer-search.ts'
import { answerToolsList } from '../../core/flow/tools/answer-tools-list.ts'
import { listLayers } from '../../core/flow/tools/merge-tool-layers.ts'
import { toolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import { createUser } from '../../core/flow/users/manage-users.ts'
import { LATEST_LEGACY } from '../../core/mcp/revisions.ts'
import { ensured } from '../lib/agent.ts'
import { median } from '../lib/figures.ts'
import { type FlowPorts, SETTINGS } from '../lib/gateway.ts'
import { inShort } from '../lib/short.ts'
import { putSkills, rebuild } from './skills.ts'
import { fileWorld } from './world.ts'

/** In the order of the table. */
export type RegistryFigures = {
  readonly pageMs: number
  readonly coldListMs: number
  readonly listMb: number
  readonly searchMs: number
  readonly coldSearchMs: number
  readonly indexMb: number
  readonly rebuildMs: number
}

const PRINCIPAL = { uid: 'bench', keyHash: 'bench-key', username: 'bench' }
const SERVER = { name: 'skillgate', version: '0', instructions: '' }
const ROUNDS = inShort(60, 2)
const QUERIES = [
  'weather',
  'convert currency of an account',
  'inv',
  'sg_get_flight_00123',
  'ickets',
]

export async function measureRegistry(size: number): Promise<RegistryFigures> {
  const { ports, stop } = fileWorld()
  try {
    await putSkills(ports, 0, size)
    ensured(await createUser(ports, { uid: PRINCIPAL.uid, username: PRINCIPAL.username }))
    // The first one reads the tiers twice: no list stands yet that a change meanwhile would have moved.
    await rebuild(ports)
    const cache = toolListCache()
    const list = await coldAndWarm(
      () => allPages(ports, cache),
      async () => median(await allPages(ports, cache)),
    )
    const lister = { ...PRINCIPAL, skillsChangedAtMs: 0 }
    const layers = () => listLayers(ports, SETTINGS, cache, lister)
    const ask = (query: string) => searchSkills({ arguments: { query }, layers, list: 'all' })
    const search = await coldAndWarm(
      () => ask('weather'),
      async () => {
        const startMs = performance.now()
        for (const query of QUERIES) await ask(query)
        return (performance.now() - startMs) / QUERIES.length
      },
    )
    const startMs = performance.now()
    await rebuild(ports)
    return {
      pageMs: list.warmMs,
      coldListMs: list.coldMs,
      listMb: list.mb,
      searchMs: search.warmMs,
      coldSearchMs: search.coldMs,
      indexMb: search.mb,
      rebuildMs: performance.now() - startMs,
    }
  } finally {
    await stop()
  }
}

/** The first time and what it keeps; then the median of what `again` answers. */
async function coldAndWarm(first: () => Promise<unknown>, again: () => Promise<number>) {
  const heldMb = heapMb()
  const startMs = performance.now()
  await first()
  const coldMs = performance.now() - startMs
  const mb = heapMb() - heldMb
  const times: number[] = []
  while (times.length < ROUNDS) times.push(await again())
  return { coldMs, mb, warmMs: median(times) }
}

/** As the doors do it: counted, listed, in the shape of a revision, as text. Answers the milliseconds of each page. */
async function allPages(
  ports: FlowPorts,
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
    cursor = (JSON.parse(listed.value) as { readonly nextCursor?: string }).nextCursor
  } while (cursor !== undefined)
  return times
}

setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')

/** Of what is still reachable. One collection leaves what its finalizers free. */
function heapMb(): number {
  for (let time = 0; time < 4; time += 1) if (typeof collect === 'function') collect()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 2 ** 20
}
