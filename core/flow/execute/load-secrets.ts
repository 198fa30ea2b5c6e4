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
import { findSecretFrom, pickSecrets } from '../../secrets/pick-secrets.ts'
import type { FoundSecret, SealFailure } from '../../secrets/secret.ts'
import type { RenewNeeds } from './fresh-login.ts'
import {
  type LoadedSecrets,
  NO_SECRETS,
  type Secrets,
  type SecretsFailure,
} from './loaded-secrets.ts'
import {
  checkUse,
  isUsableLogin,
  type OpenNeeds,
  openSecret,
  type SecretsWanted,
  toMissingFailure,
} from './open-secret.ts'
import { ASK_TO_CONFIRM, writeRefusedText } from './refused-secret.ts'

export type SecretsNeeds = OpenNeeds & RenewNeeds

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
  if (missing.length > 0) return err(toMissingFailure(missing))
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

/**
 * Returns the failure of the first secret that this call may not use. Runs before any decryption.
 */
function findRefusedFailure(
  ports: SecretsNeeds,
  wanted: SecretsWanted,
  picked: readonly FoundSecret[],
): SecretsFailure | undefined {
  for (const secret of picked) {
    const fault = checkUse(wanted, secret)
    if (fault === undefined) continue
    const { skillId, uid } = wanted
    ports.log.note('warn', 'secret-refused', { uid, skillId, why: fault.kind })
    const text = writeRefusedText(fault, wanted, secret)
    const detail = fault.kind === 'login' ? text : `${text} ${ASK_TO_CONFIRM}`
    return { code: 'secret_refused', detail }
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
    detail: UNREADABLE_TEXTS[why](secret.name),
  })
}

const NO_STORE = 'secrets: the store does not answer. Try again in a moment.'

const UNREADABLE_TEXTS: {
  readonly [why in SealFailure['why']]: (name: string) => string
} = {
  denied: (name) =>
    `secret ${name}: cannot be read, since the gateway may not use its key. The gateway's operator must allow it.`,
  foreign: (name) =>
    `secret ${name}: does not open, since its key or its record is not the one it was set with. Ask the administrator of this gateway to set it again.`,
  unavailable: (name) =>
    `secret ${name}: cannot be read, since the key service does not answer. Try again in a moment.`,
}
