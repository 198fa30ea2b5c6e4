/**
 * Secrets that users set themselves. A skill that the user may not see is treated as absent, so
 * nobody learns from here where a hidden skill sends. Bound by docs/service.md, Users' API.
 *
 *   user reads the tool: sends to A ── user confirms A ── skill read ── sealed for its origins
 *   skill synced to B:                                 └── it now sends to B, and A was confirmed: 409
 *
 * If two requests set one name at once, the later write stands as a whole (manage-secrets.ts).
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { isJsonObject, type Json } from '../../json/json.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { getSkillGroups, isVisible, NO_GROUPS } from '../../skills/visible.ts'
import {
  checkSecret,
  type SecretToStore,
  type SecretView,
  type SetSecretNeeds,
  storeSecret,
} from '../users/manage-secrets.ts'

export type OwnSecret = {
  readonly profile: Profile
  readonly name: string
  /** Undefined for a secret of all skills. */
  readonly skill: string | undefined
}

/**
 * Body `{value, origins?, marketSkills?, confirmedOrigins?}`. Refuses with `conflict` a skill that
 * sends to an origin which is not among the confirmed ones, if there are any, and as `setSecret` does.
 */
export async function setOwnSecret(
  ports: SetSecretNeeds,
  settings: Pick<Settings, 'prefix'>,
  { name, profile, skill }: OwnSecret,
  body: Json,
): Promise<Result<SecretView>> {
  const { confirmedOrigins, ...sent } = isJsonObject(body) ? body : {}
  const visible = { ...ports, skills: showVisible(ports.skills, profile) }
  const checked = await checkSecret(visible, settings, { uid: profile.uid, name, skill }, sent)
  if (!checked.ok) return checked
  const confirmed = checkConfirmed(checked.value, confirmedOrigins)
  return confirmed.ok ? storeSecret(ports, checked.value) : confirmed
}

/** The port without shared skills that are for groups of others. */
function showVisible(
  skills: Ports['skills'],
  { groups = NO_GROUPS }: Pick<Profile, 'groups'>,
): Ports['skills'] {
  return {
    ...skills,
    get: async (key) => {
      const record = await skills.get(key)
      if (record === undefined || record.source === 'private') return record
      return isVisible(getSkillGroups(record), groups) ? record : undefined
    },
  }
}

function checkConfirmed(
  { bound, skillId }: SecretToStore,
  confirmed: Json | undefined,
): Result<undefined> {
  if (skillId === undefined || !Array.isArray(confirmed)) return ok(undefined)
  const other = bound.origins.find((origin) => !confirmed.includes(origin))
  if (other === undefined) return ok(undefined)
  return refuse(
    'conflict',
    `confirmedOrigins: the tool sends to ${other} now, which you have not confirmed. Look at the tool again, then confirm where it sends.`,
  )
}
