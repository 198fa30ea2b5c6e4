/**
 * Makes the next version of a skill's record. Its number follows the last version in the history,
 * which outlives a deleted skill. So no version number ever means two definitions.
 */
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SkillOrigin, SkillRecord } from '../../skills/skill.ts'

/** The author of a version if no administrator is named, as for the twin's sample skills. */
const ADMIN = 'admin'

type SkillKey = Pick<SkillRecord, 'skillId' | 'source' | 'uid'>

export type VersionTerms = {
  readonly toolName: string
  /** The name of the administrator. */
  readonly by?: string
  readonly origin?: SkillOrigin
}

/** Returns the record and does not store it. `old` is the stored record, if there is one. */
export async function makeNextVersion(
  ports: Pick<Ports, 'clock' | 'skillVersions'>,
  { key, old }: { readonly key: SkillKey; readonly old: SkillRecord | undefined },
  definition: JsonObject,
  { by = ADMIN, origin = 'sync', toolName }: VersionTerms,
): Promise<SkillRecord> {
  const version = 1 + (await readLastVersion(ports, key, old))
  const nowMs = ports.clock.nowMs()
  const { createdAtMs = nowMs } = old ?? {}
  return { ...key, toolName, definition, createdAtMs, updatedAtMs: nowMs, version, by, origin }
}

async function readLastVersion(
  { skillVersions }: Pick<Ports, 'skillVersions'>,
  key: SkillKey,
  old: SkillRecord | undefined,
): Promise<number> {
  if (old !== undefined) return old.version
  const { versions } = await skillVersions.list({ ...key, limit: 1 })
  return versions[0]?.version ?? 0
}
