/**
 * Deletes an upstream with its skills.
 *
 *   mark as deleting (with the lease) ─▶ disable its skills ─▶ make the list ─▶ delete the skills
 *     ─▶ drop what waits and what it holds ─▶ remove the record
 * - A refresh at the same time: whoever takes the lease first goes first. After the mark, no refresh
 *   begins.
 * - Dies in between: the mark stays, and the same request sent again completes it.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { disableTool, isDisabledByImport } from '../../openapi/merge-tool.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { readUpstreamMark } from '../../skills/upstreams/tool-definition.ts'
import { NO_CHANGES, type PlannedSkill } from '../imports/planned-skill.ts'
import { type ApplyToolsNeeds, applyTools } from './apply-tools.ts'
import { type LeaseNeeds, withLease } from './lease.ts'

export type DeleteNeeds = ApplyToolsNeeds & LeaseNeeds & Pick<Ports, 'digests'>

export type DeleteTerms = { readonly id: string; readonly by: string }

/** Refuses with `not_found` or `conflict`. */
export async function deleteUpstream(
  ports: DeleteNeeds,
  settings: Settings,
  { by, id }: DeleteTerms,
): Promise<Result<undefined>> {
  const stored = await ports.mcpUpstreams.get(id)
  if (stored === undefined)
    return refuse('not_found', `upstreamId: there is no upstream ${id}.`, {
      remedy: { code: 'list_upstreams' },
    })
  const place = { upstream: { ...stored, isDeleting: true as const }, ifVersion: stored.version }
  const cleared = await withLease(ports, place, async (leased) => {
    const waiting = await ports.mcpUpstreams.offers(id)
    const applied = await applyTools(ports, settings, {
      upstream: leased,
      by,
      waiting,
      deletesDisabled: true,
      plan: (skills) => ({ skills: planRemovals(ports, id, skills), offers: [] }),
    })
    if (!applied.ok) return { result: applied }
    await ports.mcpUpstreams.dropHeld(id)
    return { result: ok(leased.version + 1) }
  })
  if (!cleared.ok) return cleared
  const isRemoved = await ports.mcpUpstreams.remove(id, cleared.value)
  return isRemoved
    ? ok(undefined)
    : refuse('conflict', `upstreamId: ${id} was changed meanwhile, and is not deleted yet.`, {
        remedy: { code: 'delete_upstream', upstream: id },
      })
}

function planRemovals(
  { digests }: Pick<Ports, 'digests'>,
  id: string,
  stored: ReadonlyMap<string, SkillRecord>,
): readonly PlannedSkill[] {
  const hash = (text: string) => digests.sha256(text)
  const reason = `The upstream ${id} was deleted.`
  return [...stored.values()]
    .filter(({ definition }) => readUpstreamMark(definition)?.upstream === id)
    .map((record) => {
      const { definition, skillId } = record
      const isDisabled = isDisabledByImport(definition, hash) || definition['state'] === 'disabled'
      return {
        skillId,
        madeOf: readUpstreamMark(definition)?.tool ?? '',
        stored: record,
        notes: [],
        merged: NO_CHANGES,
        kind: isDisabled ? 'deleted' : 'disabled',
        definition: isDisabled ? definition : disableTool(definition, reason, hash),
      }
    })
}
