/**
 * The skill behind a pushed entry of the tool list: an administrator may list a skill under a name
 * of its own (`skillId`). Only a name that means no skill by itself is looked up here, so other
 * calls pay nothing for it; such a call waits for two more reads of the store. A name whose skill this
 * caller may not see comes here as well, and reads as much as a name that means nothing.
 */
import type { Principal } from '../../access/principal.ts'
import type { Ports } from '../../ports.ts'
import type { Settings } from '../../settings.ts'
import { resolve } from '../../skills/resolve.ts'
import type { Candidates } from '../../skills/skill.ts'
import { cutUsername, enforcePrefix, toolKey } from '../../skills/tool-name.ts'
import { type Groups, isVisible, NO_GROUPS, visibleCandidates } from '../../skills/visible.ts'

/** What the store is asked for when this user calls a tool of this name. */
export function lookupOf(
  { prefix }: Pick<Settings, 'prefix'>,
  { uid, username }: Pick<Principal, 'uid' | 'username'>,
  name: string,
): Parameters<Ports['callLookup']['read']>[0] {
  return { uid, name, skillId: enforcePrefix(prefix, name), cut: cutUsername(username, name) }
}

/** Candidates that this caller sees. A name that means a skill by itself, the common case, waits for no further turn. */
export async function candidatesFor(
  ports: Pick<Ports, 'callLookup' | 'toolsCache'>,
  settings: Settings,
  { name, uid }: { readonly name: string; readonly uid: string },
  of: { readonly candidates: Candidates; readonly groups: Groups | undefined },
): Promise<Candidates> {
  const { groups = NO_GROUPS } = of
  const found = visibleCandidates(of.candidates, groups)
  if (resolve(found) !== undefined) return found
  return listedCandidates(ports, settings, { uid, name, groups, found })
}

/** The skill of the pushed entry with this name; without such an entry `found`, which has no skill. */
export async function listedCandidates(
  ports: Pick<Ports, 'callLookup' | 'toolsCache'>,
  { prefix }: Pick<Settings, 'prefix'>,
  called: {
    readonly uid: string
    readonly name: string
    readonly groups: Groups
    readonly found: Candidates
  },
): Promise<Candidates> {
  const { found, groups, name, uid } = called
  const key = toolKey(prefix, name)
  const list = await ports.toolsCache.read()
  const entry = list?.tools.find((tool) => tool.name === key)
  if (entry?.skillId === undefined || !isVisible(entry.groups, groups)) return found
  const skillId = enforcePrefix(prefix, entry.skillId)
  const { candidates } = await ports.callLookup.read({
    uid,
    name: skillId,
    skillId,
    cut: undefined,
  })
  return visibleCandidates(candidates, groups)
}
