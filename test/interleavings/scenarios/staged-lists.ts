/**
 * The tool list is rebuilt in steps on a slow store, beside other rebuilds, syncs, deletions, sets that are applied, and
 * a drop. Agents read one version of the list whole, or none where one was dropped; no version comes back; once all is
 * answered the list shows the skills that are stored; and every staged piece expires.
 */

import { intAt, optionalTextAt, textAt } from '../../../adapters/dynamodb/client/item.ts'
import { TOOLS_DRAFT_PK, toolsCacheHeadKey } from '../../../adapters/dynamodb/table.ts'
import { applySet } from '../../../core/flow/imports/apply-set.ts'
import { deleteSkill } from '../../../core/flow/registry/manage-skills.ts'
import { STEP_MS_MAX } from '../../../core/flow/registry/rebuild-tool-list.ts'
import { syncSkill } from '../../../core/flow/registry/sync-skill.ts'
import { syncToolList } from '../../../core/flow/registry/sync-tool-list.ts'
import { TOOLS_DRAFT_TTL_SEC } from '../../../core/skills/limits.ts'
import { SETTINGS, skillJson } from '../../core/flow/world.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import {
  CONTEST_LATE,
  itemAt,
  itemsIn,
  type Process,
  plan,
  quietly,
  report,
  TABLES,
  type World,
} from '../world.ts'
import { conflict } from './administrate-skills.ts'

const IDS = ['sg_a', 'sg_b', 'sg_c']
const HEAD = toolsCacheHeadKey()
/** Requests of one rebuild, those that are sent again included. */
const REBUILD_REQUESTS_MAX = 60

type Lists = {
  /** Changes without an answer: what they left, the next rebuild repairs. */
  open: number
  /** Drops without an answer. */
  drops: number
  serial: number
  /** The version whose parts the head names; undefined: no list. */
  standing: string | undefined
  readonly replaced: Set<string>
  /** What a version was read as. */
  readonly contents: Map<string, string>
}

export const stagedLists: Scenario = {
  name: 'staged lists',
  async start(world) {
    const { random } = world
    const seen: Lists = {
      open: 0,
      drops: 0,
      serial: 0,
      standing: undefined,
      replaced: new Set(),
      contents: new Map(),
    }
    world.check = () => checkHead(world, seen)
    await quietly(world, async (_, process) => {
      await apply(world, seen, process, IDS)
      if (random.chance(0.3)) await drop(seen, process)
    })
    for (let rebuilds = 1 + random.below(2); rebuilds > 0; rebuilds -= 1) {
      plan(world, 'a rebuild', (process) => rebuild(world, seen, process))
    }
    for (let admins = 1 + random.below(2); admins > 0; admins -= 1) {
      plan(world, 'an administrator', (process) => administrate(world, seen, process))
    }
    if (random.chance(0.5)) {
      const ids = IDS.filter(() => random.chance(0.6))
      plan(world, 'a set is applied', (process) => apply(world, seen, process, [...ids, 'sg_d']))
    }
    if (random.chance(0.4)) plan(world, 'the list is dropped', (process) => drop(seen, process))
    if (random.chance(0.3)) {
      world.chosen = { ...world.chosen, late: CONTEST_LATE }
      plan(world, 'a contest', (process) => contest(world, seen, process))
    }
    for (let agents = 1 + random.below(3); agents > 0; agents -= 1) {
      plan(world, 'an agent lists tools', (process) => look(world, seen, process))
    }
    return async () => {
      if (seen.open === 0) await quietly(world, (_, process) => checkEnd(world, process, false))
      seen.open = 0
      await quietly(world, (_, process) => rebuild(world, seen, process))
      await quietly(world, (_, process) => checkEnd(world, process, true))
    }
  },
}

/** Each page of skills takes as long as a step may, so that every step ends after one skill. */
function slowPorts(process: Process) {
  const ports = flowPorts(process)
  const list: typeof ports.skills.list = async (of) => {
    const page = await ports.skills.list(of)
    await process.clock.sleep(STEP_MS_MAX)
    return page
  }
  return { ...ports, skills: { ...ports.skills, list } }
}

/**
 * A list is dropped and made again, twice, and sometimes dropped at last. A late copy of a drop must not remove the next list, nor one of a first
 * write bring a dropped list back.
 */
async function contest(world: World, seen: Lists, process: Process): Promise<void> {
  for (let rounds = 2; rounds > 0; rounds -= 1) {
    await drop(seen, process)
    await process.clock.sleep(world.random.below(5_000))
    await rebuild(world, seen, process, flowPorts(process))
    await process.clock.sleep(world.random.below(5_000))
  }
  if (world.random.chance(0.5)) await drop(seen, process)
}

async function rebuild(
  world: World,
  seen: Lists,
  process: Process,
  ports = slowPorts(process),
): Promise<void> {
  const { random } = world
  seen.open += 1
  let cursor: string | undefined
  for (let request = 1; request <= REBUILD_REQUESTS_MAX; request += 1) {
    const body = { mode: 'rebuild', ...(cursor === undefined ? {} : { cursor }) }
    const rebuilt = accepted(await syncToolList(ports, SETTINGS, body))
    if (!('nextCursor' in rebuilt)) {
      seen.open -= 1
      return
    }
    // Else the same step is sent again.
    if (random.chance(0.9)) cursor = rebuilt.nextCursor
  }
  report(world, 'a rebuild has no end')
}

/** One or two syncs or deletions. The market's skill of an id is behind the official one. */
async function administrate(world: World, seen: Lists, process: Process): Promise<void> {
  const { random } = world
  for (let acts = 1 + random.below(2); acts > 0; acts -= 1) {
    const source = random.pick(['official', 'official', 'market'] as const)
    const skillId = random.pick(IDS)
    const ports = flowPorts(process)
    seen.open += 1
    if (random.chance(0.5)) {
      const text = JSON.stringify({ ...skillJson(skillId, { price: nextPrice(seen) }), source })
      const request = { text, source: undefined, uid: undefined, list: 'now' } as const
      accepted(await syncSkill(ports, SETTINGS, request))
    } else {
      const deleted = await deleteSkill(ports, SETTINGS, { source, skillId })
      if (!deleted.ok && deleted.error.code !== 'not_found') accepted(deleted)
    }
    seen.open -= 1
  }
}

async function apply(
  world: World,
  seen: Lists,
  process: Process,
  ids: readonly string[],
): Promise<void> {
  const price = nextPrice(seen)
  const text = JSON.stringify(ids.map((id) => skillJson(id, { price })))
  const rules = { source: 'official', edits: 'overwrite', strict: true } as const
  const request = { set: 'main', text, prune: world.random.chance(0.5), ...rules }
  const ports = world.random.chance(0.5) ? slowPorts(process) : flowPorts(process)
  seen.open += 1
  accepted(await applySet(ports, SETTINGS, request))
  seen.open -= 1
}

async function drop(seen: Lists, process: Process): Promise<void> {
  seen.drops += 1
  accepted(await syncToolList(flowPorts(process), SETTINGS, { mode: 'drop' }))
  seen.drops -= 1
}

type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false
      readonly error: { readonly code: string; readonly detail: string }
    }

/** A conflict that is answered asks for the same again; what it has written by then is open. */
function accepted<T>(result: Answer<T>): T {
  if (result.ok) return result.value
  const { code, detail } = result.error
  if (code === 'conflict') throw conflict()
  throw new Error(`refused: ${detail}`)
}

function nextPrice(seen: Lists): number {
  seen.serial += 1
  return seen.serial
}

/** Throws for a list whose parts are missing. */
async function look(world: World, { contents }: Lists, process: Process): Promise<void> {
  for (let looks = 2 + world.random.below(3); looks > 0; looks -= 1) {
    const list = await process.ports.toolsCache.read()
    if (list !== undefined) {
      const text = JSON.stringify(list.tools)
      const version = list.version.split('+')[0] ?? ''
      const first = contents.get(version) ?? text
      contents.set(version, first)
      if (first !== text) report(world, `the list ${version} was read in two ways`)
    }
    await process.clock.sleep(world.random.below(40_000))
  }
}

/** After each request: the head names a list that is whole, and one that never stood before. */
function checkHead(world: World, seen: Lists): void {
  const head = itemAt(world, 'gateway', HEAD)
  const version = head === undefined ? undefined : optionalTextAt(head, 'version')
  if (head !== undefined && version !== undefined) {
    const parts = itemsIn(world, 'gateway', HEAD.pk).filter(
      (item) => item['sk'] !== HEAD.sk && item['version'] === version,
    )
    if (parts.length !== intAt(head, 'parts')) report(world, `the parts of ${version} are missing`)
    if (seen.replaced.has(version)) report(world, `the list ${version} is back`)
  }
  if (seen.standing === version) return
  if (seen.standing !== undefined) seen.replaced.add(seen.standing)
  if (version === undefined && seen.drops === 0) report(world, 'the list is gone, undropped')
  seen.standing = version
}

async function checkEnd(world: World, process: Process, mustStand: boolean): Promise<void> {
  checkPieces(world)
  const list = await process.ports.toolsCache.read()
  if (list === undefined) {
    if (mustStand) report(world, 'there is no list after a rebuild')
    return
  }
  const listed = list.tools.map(({ name, source, version }) => `${source} ${name} ${version}`)
  const expected = storedEntries(world)
  if (`${listed}` !== `${expected}`) report(world, `listed ${listed}, stored ${expected}`)
}

/** Official over market; a disabled one hides the market's. */
function storedEntries(world: World): readonly string[] {
  return [...IDS, 'sg_d'].flatMap((skillId) => {
    const [official, market] = (['official', 'market'] as const).map((source) =>
      itemAt(world, 'gateway', { pk: `skill:${source}`, sk: skillId }),
    )
    const item = official ?? market
    if (item === undefined) return []
    const { state = 'listed' } = JSON.parse(textAt(item, 'definition'))
    if (state !== 'listed') return []
    return `${textAt(item, 'source')} ${skillId} ${intAt(item, 'version')}`
  })
}

/** No method finds a piece that was given up, so each must expire. */
function checkPieces({ model, scheduler, violations }: World): void {
  const untilSec = Math.ceil(scheduler.nowMs() / 1_000) + TOOLS_DRAFT_TTL_SEC
  for (const item of model.tables.all(TABLES.gateway)) {
    const { pk, ttl } = item
    if (typeof pk !== 'string' || !pk.startsWith(TOOLS_DRAFT_PK)) continue
    const endSec = ttl === undefined ? Infinity : intAt(item, 'ttl')
    if (endSec > untilSec) violations.push(`the piece ${pk} never expires`)
  }
}
