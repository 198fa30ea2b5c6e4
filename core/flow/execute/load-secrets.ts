/**
 * Loads the secrets that one call needs, in plain text. Reads them in one batch, compares their
 * bindings with the skill's tier and origins, and decrypts them together. Each secret is sealed for
 * {uid, skillId, name, binding}: the uid is that of the call's user, or none for a shared secret.
 * Only an official skill gets a shared secret, if the user has none of that name.
 *
 * Never throws: if the store or the key service fails, the result is a failure, and the call is
 * refunded. Failures name secrets and never contain a value. Bound by docs/service.md, Secrets and
 * Shared secrets.
 */
import { loadOnce } from '../../cache/load-once.ts'
import { err, ok, type Result } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SecretSeals } from '../../ports/secrets.ts'
import { findSecretFrom, pickSecrets } from '../../secrets/pick-secrets.ts'
import { type FoundSecret, GLOBAL_SKILL_ID, type SealFailure } from '../../secrets/secret.ts'
import { checkBinding, readBinding, type SecretUse } from '../../secrets/secret-binding.ts'
import type { RenewNeeds } from './fresh-login.ts'
import {
  type LoadedSecrets,
  NO_SECRETS,
  type Secrets,
  type SecretsFailure,
} from './loaded-secrets.ts'
import { toSecretPath, toSkillQuery, writeRefusedText } from './refused-secret.ts'

export type SecretsNeeds = OpenNeeds & RenewNeeds

export type OpenNeeds = Pick<Ports, 'log'> & {
  readonly secrets: Pick<Ports['secrets'], 'find'>
  readonly secretSeals: Pick<SecretSeals, 'open'>
}

/** `uid` is the owner of the call's API key, never a value that a caller sent. */
export type SecretsWanted = SecretUse & {
  readonly uid: string
  readonly names: readonly string[]
  /** The one of the names that is a login, and what its tokens are for. */
  readonly login?: LoginWanted | undefined
}

export type LoginWanted = { readonly name: string; readonly resource: string }

/**
 * Fails with `secret_missing`, `secret_refused` or `secret_unreadable`. A skill that names no
 * secrets causes no read and no decryption.
 */
export async function loadSecrets(
  ports: SecretsNeeds,
  wanted: SecretsWanted,
): Promise<Result<LoadedSecrets, SecretsFailure>> {
  if (wanted.names.length === 0) return ok(NO_SECRETS)
  const stored = await findStored(ports, wanted)
  if (stored === undefined) return err({ code: 'secret_unreadable', detail: NO_STORE })
  const usable = stored.filter((secret) => isUsableLogin(wanted, secret))
  const { picked, missing } = pickSecrets(usable, wanted)
  if (missing.length > 0) return err(toMissingFailure(wanted, missing))
  const refused = findRefusedFailure(ports, wanted, picked)
  if (refused !== undefined) return err(refused)
  const values = await openAll(ports, wanted, picked)
  if (!values.ok) return values
  const used = picked.map((secret) => ({ name: secret.name, from: findSecretFrom(secret) }))
  const shared = picked.filter(({ isShared }) => isShared === true)
  return ok({ values: values.value, used, shared, stored: picked })
}

/** Opens all at once, and takes the access token of a login. */
async function openAll(
  ports: SecretsNeeds,
  wanted: SecretsWanted,
  picked: readonly FoundSecret[],
): Promise<Result<Secrets, SecretsFailure>> {
  const opening = picked.map(async (secret) => ({
    secret,
    opened: await openSecret(ports, wanted, secret),
  }))
  const values = new Map<string, string>()
  for (const { opened, secret } of await Promise.all(opening)) {
    if (!opened.ok) return logUnreadable(ports, wanted, secret, opened.error)
    const value =
      secret.name === wanted.login?.name
        ? await openLogin(ports, wanted, { secret, text: opened.value })
        : opened
    if (!value.ok) return value
    values.set(secret.name, value.value)
  }
  return ok(values)
}

async function openLogin(
  ports: SecretsNeeds,
  wanted: SecretsWanted,
  found: { readonly secret: FoundSecret; readonly text: string },
): Promise<Result<string, SecretsFailure>> {
  const { toAccessToken } = await importLogins()
  return toAccessToken(ports, wanted, found)
}

const importLogins = loadOnce(() => import('./fresh-login.ts'))

/** Any other secret with the name of a login is passed over, and the user is asked to log in. */
function isUsableLogin(wanted: SecretsWanted, secret: FoundSecret): boolean {
  if (secret.name !== wanted.login?.name) return true
  const binding = readBinding(secret.binding)
  const isLogin = secret.isShared !== true && binding?.login === wanted.login.resource
  return isLogin && checkBinding(binding, wanted) === undefined
}

/** Returns undefined, and logs the cause, if the store fails. */
async function findStored(
  ports: OpenNeeds,
  wanted: SecretsWanted,
): Promise<readonly FoundSecret[] | undefined> {
  try {
    const { names, skillId, source, uid } = wanted
    return await ports.secrets.find({ uid, skillId, names, withShared: source === 'official' })
  } catch (cause) {
    const { skillId, uid } = wanted
    ports.log.note('error', 'secret-unreadable', { uid, skillId, why: 'store' }, cause)
    return undefined
  }
}

/** Decrypts one stored secret. Never throws: a key service that throws gives `unavailable`. */
export async function openSecret(
  ports: Pick<OpenNeeds, 'secretSeals'>,
  { uid }: Pick<SecretsWanted, 'uid'>,
  { binding = '', isShared, name, sealed, skillId }: FoundSecret,
): Promise<Result<string, SealFailure>> {
  const place = {
    uid: isShared === true ? undefined : uid,
    skillId: skillId ?? GLOBAL_SKILL_ID,
    name,
  }
  try {
    return await ports.secretSeals.open({ ...place, binding }, sealed)
  } catch (cause) {
    return err({ why: 'unavailable', cause })
  }
}

/**
 * Returns the failure of the first secret that this call may not use. Runs before any decryption.
 */
function findRefusedFailure(
  ports: SecretsNeeds,
  wanted: SecretsWanted,
  picked: readonly FoundSecret[],
): SecretsFailure | undefined {
  for (const secret of picked) {
    const binding = readBinding(secret.binding)
    const isOther = binding?.login !== undefined && secret.name !== wanted.login?.name
    const fault = isOther ? ({ kind: 'login' } as const) : checkBinding(binding, wanted)
    if (fault === undefined) continue
    const { skillId, uid } = wanted
    ports.log.note('warn', 'secret-refused', { uid, skillId, why: fault.kind })
    return { code: 'secret_refused', detail: writeRefusedText(fault, wanted, secret) }
  }
  return undefined
}

function logUnreadable(
  ports: SecretsNeeds,
  { skillId, uid }: SecretsWanted,
  secret: FoundSecret,
  { cause, why }: SealFailure,
): Result<never, SecretsFailure> {
  ports.log.note('error', 'secret-unreadable', { uid, skillId, why }, cause)
  return err({
    code: 'secret_unreadable',
    detail: UNREADABLE_TEXTS[why](secret.name, toSecretPath(uid, secret)),
  })
}

const NO_STORE = 'secrets: the store does not answer. Try again in a moment.'

const UNREADABLE_TEXTS: {
  readonly [why in SealFailure['why']]: (name: string, path: string) => string
} = {
  denied: (name) =>
    `secret ${name}: cannot be read, since the gateway may not use its key. The gateway's operator must allow it.`,
  foreign: (name, path) =>
    `secret ${name}: does not open, since its key or its record is not the one it was set with. An administrator must set it again: PUT ${path}.`,
  unavailable: (name) =>
    `secret ${name}: cannot be read, since the key service does not answer. Try again in a moment.`,
}

/** Names shown in one text: a longer list would hide the remedy. */
const MISSING_SHOWN_MAX = 5

/** The failure of a call whose secrets are not set: names them, and how to set them. */
export function toMissingFailure(
  { skillId, source, uid }: SecretsWanted,
  missing: readonly string[],
): SecretsFailure {
  const [only, ...others] = missing
  const isOne = others.length === 0 && only !== undefined
  const shown = missing.slice(0, MISSING_SHOWN_MAX).join(', ')
  const more = missing.length - MISSING_SHOWN_MAX
  const subject = isOne
    ? `secret ${only}: is`
    : `secrets ${shown}${more > 0 ? ` and ${more} more` : ''}: are`
  const name = isOne ? only : '{name}'
  const path = toSecretPath(uid, { name })
  const shared =
    source === 'official'
      ? ` For all users: PUT ${toSecretPath(uid, { name, isShared: true })}.`
      : ''
  const own = toSkillQuery(skillId)
  return {
    code: 'secret_missing',
    missing,
    detail: `${subject} not set for this user. An administrator sets ${isOne ? 'it' : 'them'}: PUT ${path} for all skills, with ?${own} for this one.${shared}`,
  }
}
