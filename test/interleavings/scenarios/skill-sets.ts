/**
 * Sets of skills are applied at once, with prune: once all are answered, the skills are those of one apply, of one that no
 * later one followed, and the list shows them; no number of a version means two definitions; and whatever was left
 * half done, one more apply completes it.
 */
import { type Item, textAt } from '../../../adapters/dynamodb/client/item.ts'
import { applySet } from '../../../core/flow/imports/apply-set.ts'
import { SETTINGS, skillJson } from '../../core/flow/world.ts'
import { faultOfLast, type History, openHistory } from '../history.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import { itemsIn, type Process, plan, quietly, report, type World } from '../world.ts'
import { conflict } from './administrate-skills.ts'

const IDS = ['sg_a', 'sg_b', 'sg_c']
const PLACE = 'the set'

type Sets = {
  readonly history: History
  /** Definitions by skill and version, as they were first seen. */
  readonly versions: Map<string, string>
  /** Ids of the apply with that price. */
  readonly contents: Map<number, readonly string[]>
  open: number
}

export const skillSets: Scenario = {
  name: 'skill sets',
  async start(world) {
    const { random } = world
    const seen: Sets = {
      history: openHistory(world),
      versions: new Map(),
      contents: new Map(),
      open: 0,
    }
    if (random.chance(0.7)) await quietly(world, (_, process) => apply(world, seen, process, IDS))
    for (let appliers = 2 + random.below(2); appliers > 0; appliers -= 1) {
      const ids = IDS.filter(() => random.chance(0.7))
      const some = ids.length === 0 ? ['sg_a'] : ids
      plan(world, 'a set is applied', (process) => apply(world, seen, process, some))
    }
    world.check = () => checkVersions(world, seen)
    return async () => {
      if (seen.open === 0) await quietly(world, (_, process) => checkEnd(world, seen, process))
      seen.open = 0
      await quietly(world, (_, process) => apply(world, seen, process, ['sg_b', 'sg_c']))
      await quietly(world, (_, process) => checkEnd(world, seen, process))
    }
  },
}

/** Each apply has a price of its own, for all of its skills. */
async function apply(
  world: World,
  seen: Sets,
  process: Process,
  ids: readonly string[],
): Promise<void> {
  const value = seen.history.writes.length + 1
  seen.contents.set(value, ids)
  const text = JSON.stringify(ids.map((id) => skillJson(id, { price: value })))
  const rules = { source: 'official', prune: true, edits: 'keep', strict: true } as const
  seen.open += 1
  await seen.history.during({ place: PLACE, value, process: process.name }, async () => {
    const applied = await applySet(flowPorts(process), SETTINGS, { set: 'main', text, ...rules })
    if (applied.ok) return true
    if (applied.error.code !== 'conflict') report(world, `refused: ${applied.error.detail}`)
    throw conflict()
  })
  seen.open -= 1
}

/** Kept versions are written once. */
function checkVersions(world: World, { versions }: Sets): void {
  for (const id of IDS) {
    for (const item of itemsIn(world, 'gateway', 'skillversion:official')) {
      const key = textAt(item, 'sk')
      if (!key.startsWith(id)) continue
      const definition = textAt(item, 'definition')
      const first = versions.get(key) ?? definition
      versions.set(key, first)
      if (first !== definition) report(world, `the version ${key} has two definitions`)
    }
  }
}

async function checkEnd(world: World, seen: Sets, process: Process): Promise<void> {
  const stored = itemsIn(world, 'gateway', 'skill:official')
  const prices = new Set(stored.map(priceOf))
  if (prices.size > 1) report(world, `skills of two applies: ${[...prices]}`)
  const [price] = prices
  const fault = faultOfLast(seen.history, PLACE, price)
  if (fault !== undefined) report(world, fault)
  const wanted = price === undefined ? [] : (seen.contents.get(price) ?? [])
  const ids = stored.map((item) => textAt(item, 'sk'))
  if (`${ids.sort()}` !== `${[...wanted].sort()}`) report(world, `${ids} of ${wanted} are stored`)
  const list = (await process.ports.toolsCache.read())?.tools ?? []
  const listed = list.map(({ name, priceMicroCredits }) => `${name} ${priceMicroCredits / 1e6}`)
  const expected = ids.map((id) => `${id} ${price}`)
  if (`${listed.sort()}` !== `${expected}`) report(world, `listed ${listed}, stored ${expected}`)
}

function priceOf(item: Item): number {
  return Number(JSON.parse(textAt(item, 'definition')).credits_per_call)
}
