/** An administrator who syncs and deletes skills, for the scenarios of shared and of private ones. */
import { Fault } from '../../../core/errors.ts'
import { deleteSkill } from '../../../core/flow/registry/manage-skills.ts'
import { syncSkill } from '../../../core/flow/registry/sync-skill.ts'
import { SETTINGS, skillJson } from '../../core/flow/world.ts'
import type { History } from '../history.ts'
import { flowPorts } from '../outside.ts'
import { type Process, report, type World } from '../world.ts'

export type SkillAdministration = {
  readonly ids: readonly string[]
  readonly source: 'official' | 'private'
  /** Owner of private skills. */
  readonly uid: string | undefined
  readonly history: History
  /** Requests without an answer, or with an error: the next one finishes what they left. */
  open: number
  /** The latest version of the list of which its writer was told. */
  toldMs: number
}

/** One or two changes, each of one of the skills; the price of a sync is the number of its write. */
export async function administrateSkills(
  world: World,
  seen: SkillAdministration,
  process: Process,
): Promise<void> {
  for (let acts = 1 + world.random.below(2); acts > 0; acts -= 1) {
    const skillId = world.random.pick(seen.ids)
    await changeOne(seen, world, process, { skillId, isSync: world.random.chance(0.7) })
  }
}

export async function changeOne(
  seen: SkillAdministration,
  world: World,
  process: Process,
  { isSync, skillId }: { readonly skillId: string; readonly isSync: boolean },
): Promise<void> {
  const value = isSync ? seen.history.writes.length + 1 : undefined
  const of = { place: skillId, value, process: process.name }
  const change = { skillId, price: value }
  seen.open += 1
  await seen.history.during(of, () => changeSkill(world, seen, process, change))
  seen.open -= 1
}

/** A conflict that is answered asks for the same again; what it has written by then is open. */
async function changeSkill(
  world: World,
  seen: SkillAdministration,
  process: Process,
  { price, skillId }: { readonly skillId: string; readonly price: number | undefined },
): Promise<boolean> {
  const { source, uid } = seen
  const ports = notingVersions(seen, flowPorts(process))
  if (price === undefined) {
    const deleted = await deleteSkill(ports, SETTINGS, { source, skillId, uid })
    if (!deleted.ok && deleted.error.code !== 'not_found') throw conflict()
    return true
  }
  const text = JSON.stringify({ ...skillJson(skillId, { price }), source })
  const request = { text, source: undefined, uid, list: 'now' } as const
  const synced = await syncSkill(ports, SETTINGS, request)
  if (synced.ok) return true
  if (synced.error.code !== 'conflict') report(world, `a sync was refused: ${synced.error.detail}`)
  throw conflict()
}

function notingVersions(seen: SkillAdministration, ports: ReturnType<typeof flowPorts>) {
  const write = async (nowMs: number) => {
    const versionMs = await ports.toolListVersion.write(nowMs)
    seen.toldMs = Math.max(seen.toldMs, versionMs)
    return versionMs
  }
  return { ...ports, toolListVersion: { ...ports.toolListVersion, write } }
}

export function conflict(): Fault {
  return new Fault('store_unavailable', 'others change the same')
}
