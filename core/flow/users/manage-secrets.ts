/**
 * Sets, lists and deletes a user's secrets for administrators. A value is sealed as soon as it
 * arrives; no function here opens or returns one. Bound by docs/service.md, Secrets and User
 * administration.
 *
 *   set:  user and skill read ──▶ value sealed for its use ──▶ one write  (crash: set or not)
 *
 * If two requests set one name at once, the later write is valid as a whole. If a set and a delete
 * run at once, the later write is valid. Calls may use a cached value for at most SECRET_CACHE_MS
 * (30 s).
 */
import { isIdentifier, refuseUnknownUser } from '../../access/user-names.ts'
import { isBeingDeleted } from '../../access/user-state.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import type { Json } from '../../json/json.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SecretSeals } from '../../ports/secrets.ts'
import { SECRETS_MAX, SECRETS_PAGE_DEFAULT, SECRETS_PAGE_MAX } from '../../secrets/limits.ts'
import {
  compareSecretPlaces,
  GLOBAL_SKILL_ID,
  type SealFailure,
  type SecretListing,
} from '../../secrets/secret.ts'
import { readBinding, type SecretBinding, writeBinding } from '../../secrets/secret-binding.ts'
import type { Settings } from '../../settings.ts'
import type { SkillSource } from '../../skills/skill.ts'
import { type BindNeeds, bindSecret } from './bind-secret.ts'
import { refuseUserBeingDeleted } from './manage-users.ts'
import {
  readSecretBody,
  readSecretCursor,
  readSecretPlace,
  type SecretPlaceQuery,
  writeSecretCursor,
} from './read-secret.ts'

export type SecretView = {
  readonly name: string
  /** Absent for a secret that all skills may use. */
  readonly skillId?: string
  /**
   * Tier of the only skill that may use the secret; absent for a secret that all skills may use.
   */
  readonly tier?: SkillSource
  /** Origins to which it may be sent; if empty, wherever official and private skills send it. */
  readonly origins: readonly string[]
  /** Market skills that may use a secret for all skills; absent if there are none. */
  readonly marketSkills?: readonly string[]
  /**
   * The binding is unreadable, for example from a later build: calls are refused until the secret
   * is set again.
   */
  readonly setAnew?: true
  readonly updatedAtMs: number
}

type SecretRequest = SecretPlaceQuery & { readonly uid: string }
type PrefixSetting = Pick<Settings, 'prefix'>

/** Only `seal`: the function that sets a secret cannot read it back. */
export type SetSecretNeeds = BindNeeds &
  Pick<Ports, 'clock' | 'log' | 'profiles' | 'secrets'> & {
    readonly secretSeals: Pick<SecretSeals, 'seal'>
  }

/**
 * Sets a secret. Body `{value, origins?, marketSkills?}`. Refuses with `conflict` one secret too
 * many.
 */
export async function setSecret(
  ports: SetSecretNeeds,
  settings: PrefixSetting,
  request: SecretRequest,
  body: Json,
): Promise<Result<SecretView>> {
  const checked = await checkSecret(ports, settings, request, body)
  return checked.ok ? storeSecret(ports, checked.value) : checked
}

/** Reads a secret that is to be set, and makes its binding. Stores nothing. Refuses as `setSecret`. */
export async function checkSecret(
  ports: BindNeeds & Pick<Ports, 'profiles'>,
  { prefix }: PrefixSetting,
  { uid, ...query }: SecretRequest,
  body: Json,
): Promise<Result<SecretToStore>> {
  const place = readSecretPlace(prefix, query)
  if (!place.ok) return place
  const sent = readSecretBody(prefix, body)
  if (!sent.ok) return sent
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return refuseUnknownUser(uid)
  if (isBeingDeleted(profile)) return refuseUserBeingDeleted()
  const { name, skillId } = place.value
  const bound = await bindSecret(ports, { uid, prefix, skillId }, sent.value)
  if (!bound.ok) return bound
  return ok({ uid, name, skillId, value: sent.value.value, bound: bound.value })
}

/** Seals a value that was checked, for its use, and stores it. */
export async function storeSecret(
  ports: StoreSecretNeeds,
  { bound, name, skillId, uid, value }: SecretToStore,
): Promise<Result<SecretView>> {
  const binding = writeBinding(bound)
  const context = { uid, skillId: skillId ?? GLOBAL_SKILL_ID, name, binding }
  const sealed = await ports.secretSeals.seal(context, value)
  if (!sealed.ok) return refuseUnsealed(ports, { uid, skillId }, sealed.error)
  const secret = { name, skillId, binding, updatedAtMs: ports.clock.nowMs() }
  const stored = await ports.secrets.put({ uid, ...secret, sealed: sealed.value })
  return stored === 'stored' ? ok(toView(secret)) : refuseTooMany(skillId)
}

export type StoreSecretNeeds = Pick<Ports, 'clock' | 'log'> & {
  readonly secrets: Pick<Ports['secrets'], 'put'>
  readonly secretSeals: Pick<SecretSeals, 'seal'>
}

export type SecretToStore = {
  readonly uid: string
  readonly name: string
  readonly skillId: string | undefined
  readonly value: string
  readonly bound: SecretBinding
}

/** Lists global secrets first, then by skill and name. Refuses with `not_found` an unknown user. */
export async function listSecrets(
  ports: {
    readonly profiles: Pick<Ports['profiles'], 'read'>
    readonly secrets: Pick<Ports['secrets'], 'list'>
  },
  uid: string,
  query: PageQuery,
): Promise<Result<{ secrets: readonly SecretView[]; nextCursor?: string }>> {
  const pages = { max: SECRETS_PAGE_MAX, otherwise: SECRETS_PAGE_DEFAULT }
  const limit = readPageLimit(query.limit, pages)
  if (!limit.ok) return limit
  const after = readSecretCursor(query.cursor)
  if (!after.ok) return after
  const [profile, all] = await Promise.all([ports.profiles.read(uid), ports.secrets.list(uid)])
  if (profile === undefined) return refuseUnknownUser(uid)
  const following = all.filter((one) => compareSecretPlaces(one, after.value) > 0)
  const page = following.slice(0, limit.value)
  const last = page.at(-1)
  const secrets = page.map(toView)
  if (last === undefined || following.length === page.length) return ok({ secrets })
  return ok({ secrets, nextCursor: writeSecretCursor(last) })
}

/** One entry of the list; undefined if there is no such secret. */
export async function showSecret(
  ports: Pick<Ports, 'secrets'>,
  { prefix }: PrefixSetting,
  { uid, ...query }: SecretRequest,
): Promise<Result<SecretView | undefined>> {
  const place = readSecretPlace(prefix, query)
  if (!place.ok) return place
  const { name, skillId } = place.value
  const found = isIdentifier(uid) ? await ports.secrets.list(uid) : []
  const secret = found.find((one) => one.name === name && one.skillId === skillId)
  return ok(secret === undefined ? undefined : toView(secret))
}

/** Refuses with `not_found` a secret that does not exist. */
export async function deleteSecret(
  ports: Pick<Ports, 'secrets'>,
  { prefix }: PrefixSetting,
  { uid, ...query }: SecretRequest,
): Promise<Result<undefined>> {
  const place = readSecretPlace(prefix, query)
  if (!place.ok) return place
  const deleted = isIdentifier(uid) && (await ports.secrets.remove({ uid, ...place.value }))
  if (deleted) return ok(undefined)
  return refuse(
    'not_found',
    'name: this user has no such secret. One of a skill is found with the id of the skill.',
    { remedy: { code: 'list_secrets', uid } },
  )
}

/** Logs why a value could not be sealed, and returns the refusal. */
export function refuseUnsealed(
  { log }: Pick<Ports, 'log'>,
  of: { readonly uid: string | undefined; readonly skillId: string | undefined },
  { cause, why }: SealFailure,
): Result<never> {
  log.note('error', 'secret-not-sealed', { ...of, why }, cause)
  return why === 'unavailable' ? KEY_SERVICE_SILENT : KEY_FORBIDDEN
}

const KEY_SERVICE_SILENT = refuse(
  'store_unavailable',
  'value: could not be sealed, since the key service does not answer. Nothing was stored; send it again.',
  { retryAfterSec: 1 },
)

const KEY_FORBIDDEN = refuse(
  'internal',
  'value: could not be sealed, since the gateway may not use its key. Nothing was stored; the log says why.',
)

function refuseTooMany(skillId: string | undefined): Result<never> {
  const where = skillId === undefined ? 'for all skills' : `for ${skillId}`
  return refuse(
    'conflict',
    `name: this user has ${SECRETS_MAX} secrets ${where}, the most allowed. Delete one first.`,
  )
}

function toView({ binding, name, skillId, updatedAtMs }: SecretListing): SecretView {
  const place = { name, ...(skillId === undefined ? {} : { skillId }) }
  const use = readBinding(binding)
  if (use === undefined) return { ...place, origins: [], setAnew: true, updatedAtMs }
  const { marketSkills, origins, tier } = use
  return {
    ...place,
    ...(tier === undefined ? {} : { tier }),
    origins,
    ...(marketSkills.length === 0 ? {} : { marketSkills }),
    updatedAtMs,
  }
}
