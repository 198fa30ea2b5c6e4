/**
 * Skills of one user are synced and deleted while the user is renamed: the last answered write of a
 * skill stands, every tool has a name that is claimed for its skill, the time of the last change only
 * grows, and once all is quiet every tool has the user's present name and no change is untold.
 */
import { type Item, textAt } from '../../../adapters/dynamodb/client/item.ts'
import { changeUser } from '../../../core/flow/registry/rename-tools.ts'
import { createUser } from '../../../core/flow/users/manage-users.ts'
import { SETTINGS } from '../../core/flow/world.ts'
import { faultOfLast, openHistory } from '../history.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import { itemAt, itemsIn, type Process, plan, quietly, report, type World } from '../world.ts'
import { administrateSkills, conflict, type SkillAdministration } from './administrate-skills.ts'

const UID = 'u1'
/** Names that differ in characters which no tool name keeps, so that two skills claim one name. */
const IDS = ['sg_ä', 'sg_ö']
const [OLD_NAME, NEW_NAME] = ['ada', 'grace']

type OwnedSkills = SkillAdministration & {
  username: string
  changedAtMs: number
}

export const privateSkills: Scenario = {
  name: 'private skills',
  async start(world) {
    const { random } = world
    const seen: OwnedSkills = {
      ids: IDS,
      source: 'private',
      uid: UID,
      history: openHistory(world),
      open: 0,
      toldMs: 0,
      username: OLD_NAME,
      changedAtMs: 0,
    }
    await quietly(world, async (_, process) => {
      const made = await createUser(flowPorts(process), { uid: UID, username: OLD_NAME })
      if (!made.ok) report(world, made.error.detail)
    })
    for (let owners = 1 + random.below(3); owners > 0; owners -= 1) {
      plan(world, 'a skill of the user', (process) => administrateSkills(world, seen, process))
    }
    // Renamed once at most: a late copy of an older renaming would bring the older name back.
    if (random.chance(0.6)) plan(world, 'the user is renamed', (process) => rename(seen, process))
    world.check = () => checkTime(world, seen)
    return () => quietly(world, async () => checkEnd(world, seen))
  },
}

async function rename(seen: OwnedSkills, process: Process): Promise<void> {
  seen.open += 1
  const renamed = await changeUser(flowPorts(process), SETTINGS, UID, { username: NEW_NAME })
  if (!renamed.ok) throw conflict()
  seen.username = NEW_NAME
  seen.open -= 1
}

function checkTime(world: World, seen: OwnedSkills): void {
  const changedAtMs = timeOfChange(world)
  if (changedAtMs < seen.changedAtMs) report(world, 'the time of the last change went back')
  seen.changedAtMs = changedAtMs
}

function timeOfChange(world: World): number {
  const profile = itemAt(world, 'gateway', { pk: `profile:${UID}`, sk: '-' })
  return profile === undefined ? 0 : Number(String(profile['skillsChangedAtMs']))
}

function checkEnd(world: World, seen: OwnedSkills): void {
  const stored = itemsIn(world, 'gateway', `skill:private:${UID}`)
  checkNames(world, seen, stored)
  for (const skillId of IDS) {
    const item = stored.find((one) => textAt(one, 'sk') === skillId)
    const fault = faultOfLast(seen.history, skillId, item === undefined ? undefined : priceOf(item))
    if (fault !== undefined) report(world, fault)
    const isUntold = item !== undefined && Number(String(item['updatedAtMs'])) > timeOfChange(world)
    if (isUntold && seen.open === 0) report(world, `nobody was told that ${skillId} changed`)
  }
}

function checkNames(world: World, { open, username }: OwnedSkills, stored: readonly Item[]): void {
  const names = new Map(stored.map((item) => [textAt(item, 'toolName'), textAt(item, 'sk')]))
  if (names.size < stored.length) report(world, 'two skills have one tool name')
  for (const [toolName, skillId] of names) {
    const claim = itemAt(world, 'gateway', { pk: `toolname:${UID}`, sk: toolName })
    const holder = claim === undefined ? undefined : textAt(claim, 'skillId')
    if (holder !== skillId) report(world, `${toolName} is of ${skillId}, claimed for ${holder}`)
    const follows = open > 0 || toolName.startsWith(`${username}_`)
    if (!follows) report(world, `${toolName} does not follow the name ${username}`)
  }
}

function priceOf(item: Item): number {
  return Number(JSON.parse(textAt(item, 'definition')).credits_per_call)
}
