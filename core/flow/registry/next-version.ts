/**
 * The record that a sync puts over an older one, or in the place of none: its number goes on from the
 * last version that is kept, so no number of a skill means two definitions, whatever was deleted.
 */
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SkillOrigin, SkillRecord } from '../../skills/skill.ts'

/** Where no administrator is named: the twin's sample skills. */
const ADMIN = 'admin'

/** A deleted skill's versions are kept, and a new one of its id goes on from there. */
async function lastVersionOf(
  { skillVersions }: Pick<Ports, 'skillVersions'>,
  of: SkillKey,
  old: SkillRecord | undefined,
): Promise<number> {
  if (old !== undefined) return old.version
  const { versions } = await skillVersions.list({ ...of, limit: 1 })
  return versions[0]?.version ?? 0
}

type SkillKey = Pick<SkillRecord, 'skillId' | 'source' | 'uid'>

export type VersionTerms = {
  readonly toolName: string
  /** The administrator who sent it. */
  readonly by?: string
  readonly origin?: SkillOrigin
}

export async function nextVersion(
  ports: Pick<Ports, 'clock' | 'skillVersions'>,
  { key, old }: { readonly key: SkillKey; readonly old: SkillRecord | undefined },
  definition: JsonObject,
  { by = ADMIN, origin = 'sync', toolName }: VersionTerms,
): Promise<SkillRecord> {
  const version = 1 + (await lastVersionOf(ports, key, old))
  const nowMs = ports.clock.nowMs()
  const { createdAtMs = nowMs } = old ?? {}
  return { ...key, toolName, definition, createdAtMs, updatedAtMs: nowMs, version, by, origin }
}
