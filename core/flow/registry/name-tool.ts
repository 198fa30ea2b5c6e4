/**
 * Names the tool of a private skill and claims the name for it. The name ends in a hash if it had
 * to be cut, or if another skill of the user or a built-in tool has it. If two callers claim one
 * name at once, the store gives it to one and names the holder. Bound by docs/service.md, Tool
 * names.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { isReservedId } from '../../skills/built-in-names.ts'
import { listToolNames, resemblesShared } from '../../skills/tool-name.ts'

export type NameToolNeeds = Pick<Ports, 'digests' | 'skills'>

export type SkillOwner = { readonly uid: string; readonly username: string }

/** Refuses with `conflict` if other skills of the user hold all names that this one may have. */
export async function nameTool(
  ports: NameToolNeeds,
  { prefix }: Pick<Settings, 'prefix'>,
  { uid, username }: SkillOwner,
  skillId: string,
): Promise<Result<string>> {
  const hash = ports.digests.sha256(skillId)
  // A user of the earlier service may have a name that looks like that of a shared skill.
  const head = resemblesShared(prefix, username) ? `u_${username}` : username
  for (const toolName of listToolNames({ username: head, skillId, hash })) {
    if (isReservedId(prefix, toolName)) continue
    const holder = await ports.skills.claimToolName({ uid, toolName, skillId })
    if (holder === skillId) return ok(toolName)
  }
  return refuse(
    'conflict',
    `id: the tool names for ${skillId} are taken by other skills of this user. Choose another id.`,
  )
}
