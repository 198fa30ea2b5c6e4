/**
 * Administrators sync, change, roll back and delete one skill at once. Each change that is answered is one kept version, in their order; no number has two definitions; the
 * stored skill is the newest version; every definition that ever stood is kept while it is among the last fifty.
 */

import { type Item, intAt, textAt } from '../../../adapters/dynamodb/client/item.ts'
import { skillKey, toSkillItem } from '../../../adapters/dynamodb/records/skill-item.ts'
import { skillVersionKey } from '../../../adapters/dynamodb/table.ts'
import { changeSkill, type SkillChange } from '../../../core/flow/registry/change-skill.ts'
import { deleteSkill } from '../../../core/flow/registry/manage-skills.ts'
import { rollbackSkill } from '../../../core/flow/registry/skill-versions.ts'
import { syncSkill } from '../../../core/flow/registry/sync-skill.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { SKILL_VERSIONS_KEPT } from '../../../core/skills/limits.ts'
import type { SkillRecord } from '../../../core/skills/skill.ts'
import { SETTINGS, skillJson } from '../../core/flow/world.ts'
import { type History, openHistory } from '../history.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import {
  itemAt,
  itemsIn,
  type Process,
  plan,
  quietly,
  report,
  START_MS,
  TABLES,
  type World,
} from '../world.ts'
import { conflict } from './administrate-skills.ts'

const SKILL_ID = 'sg_a'
const PLACE = { source: 'official', skillId: SKILL_ID } as const
const KEY = skillKey(PLACE)
const VERSIONS_PK = skillVersionKey(PLACE, 0).pk
/** Kept versions at the beginning: none, some, and as many as are kept. */
const START_VERSIONS = [0, 0, 3, 49, 50]
/** Prices of the beginning are below those of the changes. */
const CHANGE_PRICE = 1_000

type Act = {
  /** In the version that it makes. */
  readonly by: string
  /** The price that its version must have; undefined where it may find its change made already. */
  readonly price: number | undefined
  readonly begun: number
  ended: number
  answer: 'none' | 'done' | 'refused'
}

type Versions = {
  readonly history: History
  readonly note: World['note']
  readonly acts: Act[]
  /** Changes of the price. */
  prices: number
  /** The definition of each number that was seen, of a kept version or of the skill. */
  readonly definitions: Map<number, string>
}

export const skillVersions: Scenario = {
  name: 'skill versions',
  async start(world) {
    const { random } = world
    const seen: Versions = {
      history: openHistory(world),
      note: world.note,
      acts: [],
      prices: 0,
      definitions: new Map(),
    }
    const versions = random.pick(START_VERSIONS)
    storeVersions(world, versions)
    if (random.chance(0.8)) {
      await quietly(world, async ({ toolsCache }) => void (await toolsCache.write([], undefined)))
    }
    for (let admins = 2 + random.below(3); admins > 0; admins -= 1) {
      plan(world, 'an administrator', (process) => administrate(world, seen, process))
    }
    world.check = () => checkVersions(world, seen)
    return async () => {
      checkActs(world, seen)
      // Whatever was left, one more sync succeeds, and lists the skill if it says so: a state outlasts a push that names none.
      await quietly(world, (_, process) => sync(seen, process, { state: 'listed' }))
      await quietly(world, (_, process) => checkList(world, process))
    }
  },
}

function storeVersions({ model }: World, versions: number): void {
  for (let version = 1; version <= versions; version += 1) {
    const definition = skillJson(SKILL_ID, { price: version })
    const made = { by: 'admin', origin: 'sync' } as const
    const [createdAtMs, updatedAtMs] = [START_MS - 1_000, START_MS - 1_000 + version]
    const times = { createdAtMs, updatedAtMs, version }
    const record: SkillRecord = {
      ...PLACE,
      uid: undefined,
      toolName: SKILL_ID,
      ...times,
      definition,
      ...made,
    }
    const item = toSkillItem(record)
    if (version === versions) model.tables.put(TABLES.gateway, KEY, item)
    const key = skillVersionKey(PLACE, version)
    model.tables.put(TABLES.gateway, key, { ...item, ...key })
  }
}

async function administrate(world: World, seen: Versions, process: Process): Promise<void> {
  const { random } = world
  for (let acts = 1 + random.below(3); acts > 0; acts -= 1) {
    const act = random.pick(['sync', 'price', 'state', 'groups', 'rollback', 'rollback', 'delete'])
    if (act === 'sync') await sync(seen, process)
    else if (act === 'price') await change(world, seen, process, { credits: nextPrice(seen) })
    else if (act === 'rollback') await rollBack(world, seen, process)
    else if (act === 'delete') await remove(process)
    else if (act === 'state') {
      const state = random.pick(['listed', 'unlisted', 'disabled'] as const)
      await change(world, seen, process, { state })
    } else await change(world, seen, process, { groups: random.pick([[], ['a'], ['b']]) })
  }
}

function nextPrice(seen: Versions): number {
  seen.prices += 1
  return CHANGE_PRICE + seen.prices
}

/** `run` tells whether the change was made; a conflict that asks for the same again is no answer. */
async function during(
  { acts, history, note }: Versions,
  price: number | undefined,
  run: (by: string) => Promise<boolean>,
): Promise<void> {
  const by = `act-${acts.length}`
  const act: Act = { by, price, begun: history.tick(), ended: Infinity, answer: 'none' }
  acts.push(act)
  note(`${by} begins${price === undefined ? '' : `: price ${price}`}`)
  act.answer = (await run(by)) ? 'done' : 'refused'
  act.ended = history.tick()
  note(`${by} ends: ${act.answer}`)
}

function sync(seen: Versions, process: Process, more: JsonObject = {}): Promise<void> {
  const price = nextPrice(seen)
  return during(seen, price, async (by) => {
    const text = JSON.stringify({ ...skillJson(SKILL_ID, { price }), ...more })
    const request = { text, source: undefined, uid: undefined, list: 'now', by } as const
    return answered(await syncSkill(flowPorts(process), SETTINGS, request))
  })
}

async function change(
  world: World,
  seen: Versions,
  process: Process,
  to: SkillChange,
): Promise<void> {
  const standing = world.random.chance(0.5) ? await process.ports.skills.get(PLACE) : undefined
  const terms = standing === undefined ? to : { ...to, expectedVersion: standing.version }
  await during(seen, to.credits, async (by) => {
    return answered(await changeSkill(flowPorts(process), SETTINGS, PLACE, { ...terms, by }))
  })
}

async function rollBack(world: World, seen: Versions, process: Process): Promise<void> {
  const ports = flowPorts(process)
  const { versions } = await ports.skillVersions.list({ ...PLACE, limit: SKILL_VERSIONS_KEPT })
  if (versions.length === 0) return
  const { version } = world.random.pick(versions)
  await during(seen, undefined, async (by) => {
    return answered(await rollbackSkill(ports, SETTINGS, PLACE, { body: { version }, by }))
  })
}

async function remove(process: Process): Promise<void> {
  answered(await deleteSkill(flowPorts(process), SETTINGS, PLACE))
}

type Answer =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly error: { readonly code: string; readonly detail: string }
    }

/** False: refused for good, because there is no such skill or version, or another one than expected. */
function answered(result: Answer): boolean {
  if (result.ok) return true
  const { code, detail } = result.error
  if (code === 'not_found' || detail.startsWith('expectedVersion')) return false
  if (code === 'conflict') throw conflict()
  throw new Error(`refused: ${detail}`)
}

/** After each request. */
function checkVersions(world: World, { definitions }: Versions): void {
  const kept = new Map<number, Item>()
  for (const item of itemsIn(world, 'gateway', VERSIONS_PK)) kept.set(intAt(item, 'version'), item)
  const stored = itemAt(world, 'gateway', KEY)
  for (const [version, item] of kept) checkNumber(world, definitions, version, item)
  if (kept.size > SKILL_VERSIONS_KEPT) report(world, `${kept.size} versions are kept`)
  const newest = Math.max(0, ...kept.keys())
  if (stored !== undefined) {
    const version = intAt(stored, 'version')
    checkNumber(world, definitions, version, stored)
    if (newest > version) report(world, `version ${version} stands, ${newest} is the newest`)
  }
  for (const version of definitions.keys()) {
    const isOld = version <= newest - SKILL_VERSIONS_KEPT
    if (kept.has(version) || isOld) continue
    report(world, `version ${version} stood and is not kept`)
  }
}

function checkNumber(
  world: World,
  definitions: Map<number, string>,
  version: number,
  item: Item,
): void {
  const definition = textAt(item, 'definition')
  const first = definitions.get(version) ?? definition
  definitions.set(version, first)
  if (first !== definition) report(world, `version ${version} has two definitions`)
}

function checkActs(world: World, { acts }: Versions): void {
  const kept = itemsIn(world, 'gateway', VERSIONS_PK)
  const made = acts.map((act) => {
    const own = kept.filter((item) => item['by'] === act.by)
    checkAct(world, act, own)
    const [first] = own
    return { act, version: first === undefined ? undefined : intAt(first, 'version') }
  })
  for (const { act, version = Infinity } of made) {
    const later = made.find(
      (other) => act.ended < other.act.begun && version > (other.version ?? Infinity),
    )
    if (later === undefined || version === Infinity) continue
    report(
      world,
      `${later.act.by} came after ${act.by} and has version ${later.version}, not ${version}`,
    )
  }
}

function checkAct(world: World, { answer, by, price }: Act, own: readonly Item[]): void {
  if (own.length > 1) report(world, `${by} made ${own.length} versions`)
  if (answer === 'refused' && own.length > 0) report(world, `${by} was refused and made a version`)
  if (price === undefined) return
  if (answer === 'done' && own.length === 0) report(world, `${by} was answered and made no version`)
  if (own.some((item) => priceOf(item) !== price)) report(world, `${by} has another price`)
}

async function checkList(world: World, process: Process): Promise<void> {
  const stored = itemAt(world, 'gateway', KEY)
  const tool = (await process.ports.toolsCache.read())?.tools.find(({ name }) => name === SKILL_ID)
  if (stored === undefined || tool === undefined) {
    report(world, 'the skill is not listed after a sync')
  } else if (tool.version !== intAt(stored, 'version')) {
    report(world, `version ${tool.version} is listed, ${intAt(stored, 'version')} is stored`)
  }
}

function priceOf(item: Item): number {
  return Number(JSON.parse(textAt(item, 'definition')).credits_per_call)
}
