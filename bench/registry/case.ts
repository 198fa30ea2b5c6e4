/** Makes all measurements of bench:registry on one store with `size` skills. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startStoreWait } from '../../core/flow/access/store-wait.ts'
import { searchSkills } from '../../core/flow/tools/answer-search.ts'
import { answerToolsList } from '../../core/flow/tools/answer-tools-list.ts'
import { readListLayers } from '../../core/flow/tools/merge-tool-layers.ts'
import { makeToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import { createUser } from '../../core/flow/users/manage-users.ts'
import { LATEST_LEGACY } from '../../core/mcp/revisions.ts'
import { unwrap } from '../lib/agent.ts'
import { computeMedian } from '../lib/figures.ts'
import { type FlowPorts, SETTINGS } from '../lib/gateway.ts'
import { chooseByLength } from '../lib/short.ts'
import { putSkills, rebuildToolList, type SkillKind } from './skills.ts'
import { openFileWorld } from './world.ts'

/** The figures in the order of the table. */
export type RegistryFigures = {
  readonly pageMs: number
  readonly coldListMs: number
  readonly listMb: number
  readonly searchMs: number
  readonly coldSearchMs: number
  readonly indexMb: number
  readonly rebuildMs: number
}

const PRINCIPAL = { uid: 'bench', keyHash: 'bench-key', sealingKey: '', username: 'bench' }
const SERVER = { name: 'skillgate', version: '0', instructions: '' }
const ROUNDS = chooseByLength(60, 2)
const QUERIES = [
  'weather',
  'convert currency of an account',
  'inv',
  'sg_get_flight_00123',
  'ickets',
]

export async function measureRegistry(
  size: number,
  kind: SkillKind = 'api',
): Promise<RegistryFigures> {
  const { ports, stop } = openFileWorld()
  try {
    await putSkills(ports, size, kind)
    unwrap(await createUser(ports, { uid: PRINCIPAL.uid, username: PRINCIPAL.username }))
    // The first rebuild reads the tiers twice, because there is no list yet that a change meanwhile
    // would have moved.
    await rebuildToolList(ports)
    const cache = makeToolListCache()
    const list = await measureColdAndWarm(
      () => listAllPages(ports, cache),
      async () => computeMedian(await listAllPages(ports, cache)),
    )
    const lister = { ...PRINCIPAL, skillsChangedAtMs: 0 }
    const layers = () => readListLayers(ports, SETTINGS, cache, lister)
    const ask = (query: string) => searchSkills({ arguments: { query }, layers, list: 'all' })
    const search = await measureColdAndWarm(
      () => ask('weather'),
      async () => {
        const startMs = performance.now()
        for (const query of QUERIES) await ask(query)
        return (performance.now() - startMs) / QUERIES.length
      },
    )
    const startMs = performance.now()
    await rebuildToolList(ports)
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

/** Measures the first run and the memory that it keeps; then returns the median of `again`. */
async function measureColdAndWarm(first: () => Promise<unknown>, again: () => Promise<number>) {
  const heldMb = readHeapMb()
  const startMs = performance.now()
  await first()
  const coldMs = performance.now() - startMs
  const mb = readHeapMb() - heldMb
  const times: number[] = []
  while (times.length < ROUNDS) times.push(await again())
  return { coldMs, mb, warmMs: computeMedian(times) }
}

/**
 * Lists all pages as the doors do: counted, listed, in the form of a revision, as text. Returns the
 * milliseconds of each page.
 */
async function listAllPages(
  ports: FlowPorts,
  cache: ReturnType<typeof makeToolListCache>,
): Promise<readonly number[]> {
  const times: number[] = []
  let cursor: string | undefined
  do {
    const startMs = performance.now()
    const listed = await answerToolsList(ports, SETTINGS, cache, {
      who: { kind: 'principal', principal: PRINCIPAL },
      wait: startStoreWait(ports.clock),
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
const collectGarbage: unknown = runInNewContext('gc')

/**
 * Returns the memory that is still reachable. One collection leaves objects that its finalizers
 * free.
 */
function readHeapMb(): number {
  for (let time = 0; time < 4; time += 1) if (typeof collectGarbage === 'function') collectGarbage()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 2 ** 20
}
