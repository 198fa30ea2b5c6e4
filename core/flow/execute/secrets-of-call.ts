/**
 * The secrets that a call's skill names, loading from before its hold. Their code is loaded with the first such call.
 * Bound by docs/service.md, Secrets.
 */
import type { Principal } from '../../access/principal.ts'
import { loadOnce } from '../../cache/load-once.ts'
import { err, type Result } from '../../errors.ts'
import type { SecretUse } from '../../secrets/secret-binding.ts'
import type { Skill } from '../../skills/skill.ts'
import { skillOrigins, skillSecretNames } from '../accounts/skill-origins.ts'
import type { ExecuteNeeds } from './execute-request.ts'
import type { SecretsWanted } from './load-secrets.ts'
import type { LoadedSecrets, SecretsFailure } from './loaded-secrets.ts'

/** Loads the secrets of the key's owner, beside the hold, so that they add no round trip. */
export function secretsFor(
  ports: ExecuteNeeds,
  skill: Skill,
  { uid }: Principal,
): Promise<Result<LoadedSecrets, SecretsFailure>> | undefined {
  const names = skillSecretNames(ports, skill)
  if (names.length === 0) return undefined
  return loadLate(ports, { ...secretUse(ports, skill, uid), names })
}

const secretsCode = loadOnce(() => import('./load-secrets.ts'))

/** Never rejects: nobody waits for it before the hold is placed, for which a failure is a refund. */
async function loadLate(
  ports: ExecuteNeeds,
  wanted: SecretsWanted,
): Promise<Result<LoadedSecrets, SecretsFailure>> {
  try {
    const { loadSecrets } = await secretsCode()
    return await loadSecrets(ports, wanted)
  } catch (cause) {
    const { skillId, uid } = wanted
    ports.log.note('error', 'secret-unreadable', { uid, skillId, why: 'code' }, cause)
    return err({ code: 'secret_unreadable', detail: NOT_LOADED })
  }
}

const NOT_LOADED = 'secrets: the gateway cannot read any now. Try again in a moment.'

/** Where a call of this user uses the secrets of this skill. */
export function secretUse(
  ports: Pick<ExecuteNeeds, 'hooks'>,
  skill: Skill,
  uid: string,
): SecretUse & { readonly uid: string } {
  const { skillId, source } = skill
  return { uid, skillId, source, origins: skillOrigins(ports, skill) }
}
