/**
 * Loads the secrets that one call needs, in the clear: reads them in one batch, holds their bindings
 * against the skill's tier and origins, and opens them together, each under {uid, skillId, name,
 * binding} of the call's own user, or as the gateway's own. An official skill gets the gateway's own
 * where the user has none; no other skill does, whatever a binding says. Never throws: trouble with the store or the key service is a
 * failure, for which the call is refunded. Failures name secrets and never hold a value. Bound by
 * docs/service.md, Secrets and Shared secrets.
 */
import { err, ok, type Result } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SecretSeals } from '../../ports/secrets.ts'
import { fromOf, pickSecrets } from '../../secrets/pick-secrets.ts'
import { type FoundSecret, GLOBAL, type SealFailure } from '../../secrets/secret.ts'
import { bindingFault, readBinding, type SecretUse } from '../../secrets/secret-binding.ts'
import { type LoadedSecrets, NO_SECRETS, type SecretsFailure } from './loaded-secrets.ts'
import { pathOf, queryOf, refusedText } from './refused-secret.ts'

export type SecretsNeeds = Pick<Ports, 'log' | 'secrets'> & {
  readonly secretSeals: Pick<SecretSeals, 'open'>
}

/** `uid` is the owner of the key that makes the call, never anything that a caller sent. */
export type SecretsWanted = SecretUse & {
  readonly uid: string
  readonly names: readonly string[]
}

/** A call that names no secrets costs no read and no use of the key. */
export async function loadSecrets(
  ports: SecretsNeeds,
  wanted: SecretsWanted,
): Promise<Result<LoadedSecrets, SecretsFailure>> {
  if (wanted.names.length === 0) return ok(NO_SECRETS)
  const stored = await findStored(ports, wanted)
  if (stored === undefined) return err({ code: 'secret_unreadable', detail: NO_STORE })
  const { picked, missing } = pickSecrets(stored, wanted)
  if (missing.length > 0) return err(missingFailure(wanted, missing))
  const refused = refusedFailure(ports, wanted, picked)
  if (refused !== undefined) return err(refused)
  const opening = picked.map(async (secret) => ({
    secret,
    value: await openSecret(ports, wanted, secret),
  }))
  const values = new Map<string, string>()
  for (const { secret, value } of await Promise.all(opening)) {
    if (!value.ok) return unreadable(ports, wanted, secret, value.error)
    values.set(secret.name, value.value)
  }
  const used = picked.map((secret) => ({ name: secret.name, from: fromOf(secret) }))
  const shared = picked.filter(({ isShared }) => isShared === true)
  return ok({ values, used, shared, stored: picked })
}

/** Undefined when the store failed, which is logged. */
async function findStored(
  ports: SecretsNeeds,
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

export async function openSecret(
  ports: SecretsNeeds,
  { uid }: Pick<SecretsWanted, 'uid'>,
  { binding = '', isShared, name, sealed, skillId }: FoundSecret,
): Promise<Result<string, SealFailure>> {
  const place = { uid: isShared === true ? undefined : uid, skillId: skillId ?? GLOBAL, name }
  try {
    return await ports.secretSeals.open({ ...place, binding }, sealed)
  } catch (cause) {
    return err({ why: 'unavailable', cause })
  }
}

/**
 * The failure of the first secret that this call may not use. No secret was opened, and nothing
 * was sent.
 */
function refusedFailure(
  ports: SecretsNeeds,
  wanted: SecretsWanted,
  picked: readonly FoundSecret[],
): SecretsFailure | undefined {
  for (const secret of picked) {
    const fault = bindingFault(readBinding(secret.binding), wanted)
    if (fault === undefined) continue
    const { skillId, uid } = wanted
    ports.log.note('warn', 'secret-refused', { uid, skillId, why: fault.kind })
    return { code: 'secret_refused', detail: refusedText(fault, wanted, secret) }
  }
  return undefined
}

function unreadable(
  ports: SecretsNeeds,
  { skillId, uid }: SecretsWanted,
  secret: FoundSecret,
  { cause, why }: SealFailure,
): Result<never, SecretsFailure> {
  ports.log.note('error', 'secret-unreadable', { uid, skillId, why }, cause)
  return err({
    code: 'secret_unreadable',
    detail: UNREADABLE[why](secret.name, pathOf(uid, secret)),
  })
}

const NO_STORE = 'secrets: the store does not answer. Try again in a moment.'

const UNREADABLE: {
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

export function missingFailure(
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
  const path = pathOf(uid, { name })
  const shared =
    source === 'official' ? ` For all users: PUT ${pathOf(uid, { name, isShared: true })}.` : ''
  const own = queryOf(skillId)
  return {
    code: 'secret_missing',
    detail: `${subject} not set for this user. An administrator sets ${isOne ? 'it' : 'them'}: PUT ${path} for all skills, with ?${own} for this one.${shared}`,
  }
}
