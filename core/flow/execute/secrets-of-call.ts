/**
 * The secrets that a call's skill names, loading from before its hold. Their code is loaded with the first such call.
 * Bound by docs/service.md, Secrets.
 * `sendWithSecrets` sends the call with them and makes the mask that hides them, and whatever a hook got in exchange for one,
 * from the answer. While a shared secret is rotated, a call that the upstream refuses is sent once more with the previous
 * value (previous-secrets.ts). Bound by docs/service.md, Secrets.
 */
import type { Principal } from '../../access/principal.ts'
import { loadOnce } from '../../cache/load-once.ts'
import { err, type Result } from '../../errors.ts'
import { authEchoes } from '../../request/auth-pairs.ts'
import { type Mask, maskOf, NO_MASK } from '../../response/mask.ts'
import type { SecretUse } from '../../secrets/secret-binding.ts'
import type { Skill } from '../../skills/skill.ts'
import { skillOrigins, skillSecretNames } from '../users/skill-origins.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import type { ExecuteNeeds } from './execute-request.ts'
import type { SecretsWanted } from './load-secrets.ts'
import type { LoadedSecrets, Secrets, SecretsFailure } from './loaded-secrets.ts'
import type { SendResult, SendTerms } from './send-once.ts'
import { sendUpstream } from './send-upstream.ts'
import type { ReadyCall } from './validate-call.ts'

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

type Terms = Omit<SendTerms, 'call' | 'conceal' | 'mask' | 'secrets'> & {
  readonly call: Omit<ReadyCall, 'profile' | 'enteredMinute'>
  readonly loaded: LoadedSecrets
}

export async function sendWithSecrets(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  terms: Terms,
): Promise<{ readonly sent: SendResult; readonly mask: Mask }> {
  const { call, loaded } = terms
  const concealed: [string, string][] = []
  const send = (secrets: Secrets) => {
    if (secrets.size > 0) concealed.push(...secrets, ...authEchoes(call.skill.auth, secrets))
    const conceal = (name: string, value: string) => void concealed.push([name, value])
    const mask: Mask = (text) => maskOf(concealed)(text)
    return sendUpstream(ports, upstreams, { ...terms, secrets, conceal, mask })
  }
  const first = await send(loaded.values)
  const previous = await previousFor(ports, terms, first)
  const sent = previous === undefined ? first : await send(previous)
  return { sent, mask: concealed.length === 0 ? NO_MASK : maskOf(concealed) }
}

const previousCode = loadOnce(() => import('./previous-secrets.ts'))

/** Undefined when `first` stands. */
async function previousFor(
  ports: ExecuteNeeds,
  { call, loaded, signal }: Terms,
  first: SendResult,
): Promise<Secrets | undefined> {
  const { callId, principal, skill } = call
  if (!first.ok || loaded.stored.every(({ previous }) => previous === undefined)) return undefined
  const { mayTryPrevious, previousSecrets } = await previousCode()
  if (!mayTryPrevious(skill.method, first.value, loaded)) return undefined
  const use = secretUse(ports, skill, principal.uid)
  const secrets = await previousSecrets(ports, use, loaded, ports.clock.nowMs())
  if (secrets === undefined || signal.aborted) return undefined
  ports.log.note('info', 'previous-secret-tried', { callId, skillId: skill.skillId })
  return secrets
}
