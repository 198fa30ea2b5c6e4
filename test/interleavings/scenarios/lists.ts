/**
 * Administrators sync and delete skills, and replace the tool list, while agents read it: the last
 * answered write of a skill stands, no reader sees parts of two lists, the version of the list only
 * grows, in its record and in each copy, no copy lacks a version of which its writer was told, and once
 * all is quiet the list shows the skills that are stored.
 */

import { textAt } from '../../../adapters/dynamodb/client/item.ts'
import { LIST_VERSION_COPIES } from '../../../adapters/dynamodb/registry/list-version-cache.ts'
import {
  type Key,
  toolListVersionCopyKey,
  toolListVersionKey,
} from '../../../adapters/dynamodb/table.ts'
import { faultOfLast, openHistory } from '../history.ts'
import type { Scenario } from '../scenario.ts'
import {
  both,
  CONTEST_LATE,
  itemAt,
  type Process,
  plan,
  quietly,
  report,
  type World,
} from '../world.ts'
import { administrateSkills, changeOne, type SkillAdministration } from './administrate-skills.ts'

const IDS = ['sg_a', 'sg_b']

const COPIES = Array.from({ length: LIST_VERSION_COPIES }, (_, copy) =>
  toolListVersionCopyKey(copy),
)

type Lists = SkillAdministration & {
  /** By partition key: the record and its copies. */
  readonly versionsMs: Map<string, number>
}

export const lists: Scenario = {
  name: 'lists',
  async start(world) {
    const { random } = world
    const changes = { ids: IDS, source: 'official', uid: undefined } as const
    const watched: Lists = {
      ...changes,
      history: openHistory(world),
      open: 0,
      toldMs: 0,
      versionsMs: new Map(),
    }
    if (random.chance(0.8)) {
      await quietly(world, async ({ toolsCache }) => void (await toolsCache.write([], undefined)))
    }
    for (let admins = 1 + random.below(3); admins > 0; admins -= 1) {
      plan(world, 'an administrator', (process) => administrateSkills(world, watched, process))
    }
    if (random.chance(0.3)) {
      world.chosen = { ...world.chosen, late: CONTEST_LATE }
      plan(world, 'a contest', (process) => contest(world, watched, process))
    }
    for (let agents = random.below(4); agents > 0; agents -= 1) {
      plan(world, 'an agent lists tools', (process) => look(world, process))
    }
    world.check = () => checkVersion(world, watched)
    return () => quietly(world, (_, process) => checkEnd(world, watched, process))
  },
}

/**
 * Two administrators sync one new skill at once, and then it is deleted. The first put of the loser was
 * refused; a late copy of that put must not bring the skill back.
 */
async function contest(world: World, seen: Lists, process: Process): Promise<void> {
  const [skillId = ''] = IDS
  await both([0, 1].map(() => changeOne(seen, world, process, { skillId, isSync: true })))
  await process.clock.sleep(world.random.below(10_000))
  await changeOne(seen, world, process, { skillId, isSync: false })
}

/** Throws for a list whose parts are missing or do not fit together. */
async function look(world: World, process: Process): Promise<void> {
  for (let looks = 1 + world.random.below(3); looks > 0; looks -= 1) {
    const list = await process.ports.toolsCache.read()
    const names = list?.tools.map(({ name }) => name) ?? []
    if (new Set(names).size < names.length) report(world, `a tool is listed twice: ${names}`)
    if (names.some((name) => !IDS.includes(name))) report(world, `an unknown tool: ${names}`)
  }
}

function checkVersion(world: World, watched: Lists): void {
  for (const key of [toolListVersionKey(), ...COPIES]) {
    const versionMs = versionAt(world, key)
    const before = watched.versionsMs.get(key.pk) ?? 0
    if (versionMs < before) report(world, `the version of the list went back in ${key.pk}`)
    if (versionMs < watched.toldMs) report(world, `${key.pk} lacks the version ${watched.toldMs}`)
    watched.versionsMs.set(key.pk, versionMs)
  }
}

function versionAt(world: World, key: Key): number {
  const item = itemAt(world, 'gateway', key)
  return item === undefined ? 0 : Number(String(item['changedAtMs']))
}

async function checkEnd(world: World, watched: Lists, process: Process): Promise<void> {
  const list = await process.ports.toolsCache.read()
  for (const skillId of IDS) {
    const price = storedPrice(world, skillId)
    const fault = faultOfLast(watched.history, skillId, price)
    if (fault !== undefined) report(world, fault)
    if (list === undefined || watched.open > 0) continue
    const listed = list.tools.find(({ name }) => name === skillId)
    const listedPrice = listed === undefined ? undefined : listed.priceMicroCredits / 1_000_000
    if (listedPrice !== price) {
      report(world, `${skillId} costs ${price} and is listed with ${listedPrice}`)
    }
  }
}

function storedPrice(world: World, skillId: string): number | undefined {
  const item = itemAt(world, 'gateway', { pk: 'skill:official', sk: skillId })
  if (item === undefined) return undefined
  return Number(JSON.parse(textAt(item, 'definition')).credits_per_call)
}
