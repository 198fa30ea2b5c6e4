/**
 * The secrets of one call: `startLoadingSecrets` starts to load them before the hold, and
 * `sendWithSecrets` sends the call with them. The code that loads them is imported with the first
 * such call. The mask hides the secrets, and values that a hook got in exchange for one, from the
 * answer. While a shared secret is rotated, a call that the upstream refuses is sent once more with
 * the previous value (previous-secrets.ts). Bound by docs/service.md, Secrets.
 */
import type { Principal } from '../../access/principal.ts'
import { loadOnce } from '../../cache/load-once.ts'
import { err, type Result } from '../../errors.ts'
import type { Hooks } from '../../ports/registry.ts'
import { findAuthEchoes } from '../../request/auth-pairs.ts'
import { type Mask, makeMask, NO_MASK } from '../../response/mask.ts'
import type { SecretUse } from '../../secrets/secret-binding.ts'
import type { Skill } from '../../skills/skill.ts'
import { listSkillOrigins, listSkillSecretNames } from '../users/skill-origins.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import type { ExecuteNeeds } from './execute-request.ts'
import type { LoadedSecrets, Secrets, SecretsFailure } from './loaded-secrets.ts'
import type { SecretsWanted } from './open-secret.ts'
import type { SendResult, SendTerms } from './send-once.ts'
import { sendUpstream } from './send-upstream.ts'
import type { ReadyCall } from './validate-call.ts'

/**
 * Starts to load the secrets of the key's owner, so that they add no round trip. Returns undefined
 * if the skill names none. Never throws.
 */
export function startLoadingSecrets(
  ports: ExecuteNeeds,
  skill: Skill,
  { uid }: Principal,
): Promise<Result<LoadedSecrets, SecretsFailure>> | undefined {
  const names = listSkillSecretNames(ports, skill)
  if (names.length === 0) return undefined
  return importAndLoad(ports, { ...toSecretUse(ports, skill, uid), names, login: toLogin(skill) })
}

/** The secret that is a login; undefined for most skills. */
export function toLogin({ auth }: Skill): SecretsWanted['login'] {
  return auth?.type === 'oauth2' ? { name: auth.secret, resource: auth.resource } : undefined
}

const importLoader = loadOnce(() => import('./load-secrets.ts'))

/**
 * Never rejects: no code awaits the promise before the hold is placed, so a rejection would be
 * unhandled. A failure refunds the hold.
 */
async function importAndLoad(
  ports: ExecuteNeeds,
  wanted: SecretsWanted,
): Promise<Result<LoadedSecrets, SecretsFailure>> {
  try {
    const { loadSecrets } = await importLoader()
    return await loadSecrets(ports, wanted)
  } catch (cause) {
    const { skillId, uid } = wanted
    ports.log.note('error', 'secret-unreadable', { uid, skillId, why: 'code' }, cause)
    return err({ code: 'secret_unreadable', detail: NOT_LOADED })
  }
}

const NOT_LOADED = 'secrets: the gateway cannot read any now. Try again in a moment.'

/** The use that a secret's binding must allow: this user's call of this skill, and its origins. */
export function toSecretUse(
  ports: { readonly hooks: Pick<Hooks, 'secretNames' | 'urls'> },
  skill: Skill,
  uid: string,
): SecretUse & { readonly uid: string } {
  const { skillId, source } = skill
  return { uid, skillId, source, origins: listSkillOrigins(ports, skill) }
}

type Terms = Omit<SendTerms, 'call' | 'conceal' | 'mask' | 'secrets'> & {
  readonly call: Omit<ReadyCall, 'profile' | 'enteredMinute'>
  readonly loaded: LoadedSecrets
}

/** Returns the upstream's answer or the failure, and the mask of everything secret in the call. */
export async function sendWithSecrets(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  terms: Terms,
): Promise<{ readonly sent: SendResult; readonly mask: Mask }> {
  const { call, loaded } = terms
  const concealed: [string, string][] = []
  const send = (secrets: Secrets) => {
    if (secrets.size > 0) concealed.push(...secrets, ...findAuthEchoes(call.skill.auth, secrets))
    const conceal = (name: string, value: string) => void concealed.push([name, value])
    const mask: Mask = (text) => makeMask(concealed)(text)
    return sendUpstream(ports, upstreams, { ...terms, secrets, conceal, mask })
  }
  const first = await send(loaded.values)
  const renewed = await renewLogin(ports, terms, first)
  if (renewed?.ok === false) return { sent: renewed, mask: makeMask(concealed) }
  const other = renewed?.value ?? (await loadPrevious(ports, terms, first))
  const sent = other === undefined ? first : await send(other)
  return { sent, mask: concealed.length === 0 ? NO_MASK : makeMask(concealed) }
}

const importRenewal = loadOnce(() => import('./fresh-login.ts'))

/**
 * Returns values with a new access token if the upstream refused the one of a login, which may be
 * revoked before its time; a failure if the login is over; undefined if `first` is the answer.
 */
async function renewLogin(
  ports: ExecuteNeeds,
  { call: { principal, skill }, loaded, signal }: Terms,
  first: SendResult,
): Promise<Result<Secrets, SecretsFailure> | undefined> {
  const login = toLogin(skill)
  if (login === undefined || !first.ok || first.value.status !== 401) return undefined
  if (signal.aborted) return undefined
  const { renewRefused } = await importRenewal()
  const wanted = { ...toSecretUse(ports, skill, principal.uid), names: [login.name], login }
  return renewRefused(ports, wanted, loaded)
}

const importPrevious = loadOnce(() => import('./previous-secrets.ts'))

/** Returns the values for a second send; undefined if `first` is the answer. */
async function loadPrevious(
  ports: ExecuteNeeds,
  { call, loaded, signal }: Terms,
  first: SendResult,
): Promise<Secrets | undefined> {
  const { callId, principal, skill } = call
  if (!first.ok || loaded.stored.every(({ previous }) => previous === undefined)) return undefined
  const { mayTryPrevious, openPreviousSecrets } = await importPrevious()
  if (!mayTryPrevious(skill.method, first.value, loaded)) return undefined
  const use = toSecretUse(ports, skill, principal.uid)
  const secrets = await openPreviousSecrets(ports, use, loaded, ports.clock.nowMs())
  if (secrets === undefined || signal.aborted) return undefined
  ports.log.note('info', 'previous-secret-tried', { callId, skillId: skill.skillId })
  return secrets
}
