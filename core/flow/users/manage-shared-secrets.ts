/**
 * Sets, lists and deletes the gateway's own secrets, for users who have no secret of the same name.
 * A value is sealed as soon as it arrives; no function here opens or returns one. Bound by
 * docs/service.md, Shared secrets.
 *
 *   set:     skill read ──▶ value sealed for its use ──▶ one write    (after a crash: set or not)
 *   rotate:  the same, and that write keeps the previous value until now + keepPreviousSec
 *   calls:   a copy up to SECRET_CACHE_MS (30 s) old ──▶ the new value, or none
 *
 * If two requests set one name at once, the later write is valid as a whole; if it keeps the
 * previous value, that is the other request's. The same request sent twice: the new value becomes
 * its own previous value, and the one before is lost. A set and a delete at once: the later write
 * is valid. If the official skill is deleted in between and a market skill takes its id, calls of
 * that skill never get the value, because the binding names the tier.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { Json } from '../../json/json.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SecretSeals } from '../../ports/secrets.ts'
import {
  SECRETS_PAGE_DEFAULT,
  SECRETS_PAGE_MAX,
  SET_BY_CHARS_MAX,
  SHARED_SECRETS_MAX,
} from '../../secrets/limits.ts'
import {
  compareSecretPlaces,
  GLOBAL_SKILL_ID,
  type SharedSecretListing,
} from '../../secrets/secret.ts'
import { readBinding, writeBinding } from '../../secrets/secret-binding.ts'
import type { Settings } from '../../settings.ts'
import { type BindNeeds, bindSharedSecret } from './bind-secret.ts'
import { refuseUnsealed } from './manage-secrets.ts'
import {
  readSecretCursor,
  readSecretPlace,
  readSharedSecretBody,
  type SecretPlaceQuery,
  writeSecretCursor,
} from './read-secret.ts'

export type SharedSecretView = {
  readonly name: string
  /** Absent for a secret that all official skills may use. */
  readonly skillId?: string
  readonly origins: readonly string[]
  readonly setBy: string
  readonly updatedAtMs: number
  /** Whole days since the secret was set. */
  readonly ageDays: number
  /** Until when the previous value may also be used; absent if it may not. */
  readonly previousUntilMs?: number
  /** Start of the day of its last use; absent before the first use. */
  readonly lastUsedDayMs?: number
}

/** Only `seal`: the function that sets a secret cannot read it back. */
export type SetSharedSecretNeeds = BindNeeds &
  Pick<Ports, 'clock' | 'log' | 'sharedSecrets'> & {
    readonly secretSeals: Pick<SecretSeals, 'seal'>
  }

/**
 * Sets a secret. Body `{value, origins?, keepPreviousSec?}`. `setBy` is the name of the
 * administrator's credential.
 */
export async function setSharedSecret(
  ports: SetSharedSecretNeeds,
  { prefix }: Pick<Settings, 'prefix'>,
  { setBy, ...query }: SecretPlaceQuery & { readonly setBy: string },
  body: Json,
): Promise<Result<SharedSecretView>> {
  const place = readSecretPlace(prefix, query)
  if (!place.ok) return place
  const sent = readSharedSecretBody(body)
  if (!sent.ok) return sent
  const { name, skillId } = place.value
  const bound = await bindSharedSecret(ports, { prefix, skillId }, sent.value.origins)
  if (!bound.ok) return bound
  const binding = writeBinding(bound.value)
  const context = { uid: undefined, skillId: skillId ?? GLOBAL_SKILL_ID, name, binding }
  const sealed = await ports.secretSeals.seal(context, sent.value.value)
  if (!sealed.ok) return refuseUnsealed(ports, { uid: undefined, skillId }, sealed.error)
  const updatedAtMs = ports.clock.nowMs()
  const { keepPreviousSec } = sent.value
  const keptUntilMs = keepPreviousSec === 0 ? undefined : updatedAtMs + keepPreviousSec * 1_000
  const date = { name, skillId, binding, updatedAtMs, setBy: setBy.slice(0, SET_BY_CHARS_MAX) }
  const stored = await ports.sharedSecrets.put({ ...date, sealed: sealed.value }, keptUntilMs)
  if (stored === 'too_many') return refuseTooMany(skillId)
  const shown = { ...date, previousUntilMs: undefined, lastUsedDay: undefined }
  return ok(toView(shown, updatedAtMs))
}

/** Lists secrets for all skills first, then by skill and name. */
export async function listSharedSecrets(
  ports: Pick<Ports, 'clock' | 'sharedSecrets'>,
  query: PageQuery,
): Promise<Result<{ secrets: readonly SharedSecretView[]; nextCursor?: string }>> {
  const pages = { max: SECRETS_PAGE_MAX, otherwise: SECRETS_PAGE_DEFAULT }
  const limit = readPageLimit(query.limit, pages)
  if (!limit.ok) return limit
  const after = readSecretCursor(query.cursor)
  if (!after.ok) return after
  const nowMs = ports.clock.nowMs()
  const all = await ports.sharedSecrets.list()
  const following = all.filter((one) => compareSecretPlaces(one, after.value) > 0)
  const page = following.slice(0, limit.value)
  const last = page.at(-1)
  const secrets = page.map((secret) => toView(secret, nowMs))
  if (last === undefined || following.length === page.length) return ok({ secrets })
  return ok({ secrets, nextCursor: writeSecretCursor(last) })
}

/** Refuses with `not_found` a secret that does not exist. */
export async function deleteSharedSecret(
  ports: Pick<Ports, 'sharedSecrets'>,
  { prefix }: Pick<Settings, 'prefix'>,
  query: SecretPlaceQuery,
): Promise<Result<undefined>> {
  const place = readSecretPlace(prefix, query)
  if (!place.ok) return place
  if (await ports.sharedSecrets.remove(place.value)) return ok(undefined)
  return refuse(
    'not_found',
    'name: there is no such shared secret. One of a skill is found with the id of the skill.',
    { remedy: { code: 'list_shared_secrets' } },
  )
}

function refuseTooMany(skillId: string | undefined): Result<never> {
  const where = skillId === undefined ? 'for all skills' : `for ${skillId}`
  return refuse(
    'conflict',
    `name: there are ${SHARED_SECRETS_MAX} shared secrets ${where}, the most allowed. Delete one first.`,
  )
}

const DAY_MS = 86_400_000

function toView(secret: SharedSecretListing, nowMs: number): SharedSecretView {
  const { binding, lastUsedDay, name, previousUntilMs, setBy, skillId, updatedAtMs } = secret
  const isKept = previousUntilMs !== undefined && previousUntilMs > nowMs
  return {
    name,
    ...(skillId === undefined ? {} : { skillId }),
    origins: readBinding(binding)?.origins ?? [],
    setBy,
    updatedAtMs,
    ageDays: Math.max(0, Math.floor((nowMs - updatedAtMs) / DAY_MS)),
    ...(isKept ? { previousUntilMs } : {}),
    ...(lastUsedDay === undefined ? {} : { lastUsedDayMs: lastUsedDay * DAY_MS }),
  }
}
