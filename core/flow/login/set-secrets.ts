/**
 * The page on which a user sets the missing secrets of a tool. The link says whose secrets they are;
 * the person proves with an API key to be that user. So a link that somebody sends to another person
 * stores nothing: neither may set secrets for the other. Values are sealed at once and go into no
 * log and no URL. Bound by docs/service.md, Asking for secrets, and ADR 0125.
 *
 *   A: key proven ── skill read: same origins ── link claimed ✔ ── sealed ── written
 *   B, with the link of A: link claimed, refused ── "used already"
 *   A's form again (same cookie): the claim is its own ✔ ── written again, with the same values
 *   skill synced to another origin after the link was made: its origins differ ── nothing is stored
 *
 * Dying between claim and write: the link is used and the secret is missing; the next call gives a
 * new link. A refused write frees the link.
 */
import { err, ok, type Result } from '../../errors.ts'
import { isFormProven, type LoginForm, proveForm } from '../../login/form-proof.ts'
import { FORM_LIFE_SEC } from '../../login/limits.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Hooks } from '../../ports/registry.ts'
import type { SecretSeals } from '../../ports/secrets.ts'
import { readSecretValue } from '../../secrets/secret.ts'
import type { SecretBinding } from '../../secrets/secret-binding.ts'
import { hashOrigins, openSecretLink, type SecretLink } from '../../secrets/secret-link.ts'
import type { Skill, SkillSource } from '../../skills/skill.ts'
import { checkBindingLimits, findSkillOfUser } from '../users/bind-secret.ts'
import { storeSecret } from '../users/manage-secrets.ts'
import { listSkillOrigins } from '../users/skill-origins.ts'
import { findPerson, type Person } from './find-person.ts'
import type { PersonContext } from './login-context.ts'
import { countWrongTry, readTries, type Tries } from './login-tries.ts'
import {
  type StartedLogin,
  startUpstreamLogin,
  type UpstreamLoginContext,
  type UpstreamLoginNeeds,
} from './upstream-login.ts'

export type SetSecretsNeeds = PersonContext['ports'] &
  UpstreamLoginNeeds &
  Pick<
    Ports,
    'idempotencyRecords' | 'ids' | 'log' | 'rateCounters' | 'seals' | 'secrets' | 'skills'
  > & {
    readonly hooks: Pick<Hooks, 'open' | 'secretNames' | 'urls'>
    readonly secretSeals: Pick<SecretSeals, 'seal'>
  }

export type SetSecretsContext = PersonContext &
  UpstreamLoginContext & {
    readonly ports: SetSecretsNeeds
    readonly prefix: string
  }

/** What a request to the page leads to; the door writes the page. */
export type SecretsOutcome =
  | ShownOutcome
  /** The values are stored, and the browser goes to the upstream's authorization server. */
  | { readonly kind: 'log-in'; readonly started: StartedLogin }

/** The outcomes that are pages of the gateway. */
export type ShownOutcome =
  | {
      readonly kind: 'ask'
      readonly link: SecretLink
      readonly origins: readonly string[]
      readonly form: ProvenForm
      /** What was wrong with the form that was sent. */
      readonly wrong?: string
    }
  | { readonly kind: 'stored'; readonly link: SecretLink }
  /** The link is over, was used, or does not fit the tool any more. */
  | { readonly kind: 'no-link'; readonly detail: string }
  /** The form is old, of another browser or of another site. */
  | { readonly kind: 'bad-form' }
  | TooMany
  | { readonly kind: 'not-stored'; readonly detail: string }

type TooMany = { readonly kind: 'too-many'; readonly retryAfterSec: number }

type ProvenForm = LoginForm & { readonly proof: string }

const NONCE_BYTES = 16

/** Answers GET. Throws `Fault` if the store fails. */
export async function openSecretsPage(
  context: SetSecretsContext,
  token: string,
): Promise<ShownOutcome> {
  const { clock, digests, ids, logins } = context.ports
  const asked = await readLink(context, token)
  if (!asked.ok) return asked.error
  const form = { nonce: ids.token(NONCE_BYTES), query: token, openedAtMs: clock.nowMs() }
  const proof = proveForm(digests, await logins.secret(), form)
  const { bound, link } = asked.value
  return { kind: 'ask', link, origins: bound.origins, form: { ...form, proof } }
}

export type SentSecrets = ProvenForm & {
  readonly key: string
  /** In the order of the link's names. */
  readonly values: readonly string[]
}

/** Answers POST. `network` is where the browser is. Throws `Fault` if the store fails. */
export async function takeSecrets(
  context: SetSecretsContext,
  sent: SentSecrets,
  network: string,
): Promise<SecretsOutcome> {
  const { clock, digests, logins } = context.ports
  const ageMs = clock.nowMs() - sent.openedAtMs
  const isProven = isFormProven(digests, await logins.secret(), sent)
  if (!isProven || ageMs >= FORM_LIFE_SEC * 1_000) return { kind: 'bad-form' }
  const asked = await readLink(context, sent.query)
  if (!asked.ok) return asked.error
  const { bound, link } = asked.value
  const askAgain = (wrong: string): SecretsOutcome => {
    const { nonce, openedAtMs, proof, query } = sent
    const form = { nonce, openedAtMs, proof, query }
    return { kind: 'ask', link, origins: bound.origins, form, wrong }
  }
  const person = await provePerson(context, sent.key.trim(), network)
  if (!person.ok) return person.error.kind === 'wrong' ? askAgain(person.error.why) : person.error
  if (!isUserOf(link, person.value)) return askAgain(writeOtherUser(link))
  const values = readValues(link, sent.values)
  if (!values.ok) return askAgain(values.error)
  const { nonce } = sent
  const stored = await storeValues(context, { ...asked.value, nonce, values: values.value })
  if (stored.kind !== 'stored' || link.logsIn !== true) return stored
  return logIn(context, asked.value)
}

type NotProven = TooMany | { readonly kind: 'wrong'; readonly why: string }

/** Wrong keys are counted with those of the login. */
async function provePerson(
  context: SetSecretsContext,
  key: string,
  network: string,
): Promise<Result<Person, NotProven>> {
  const tries = await readTries(context.ports, network)
  if (tries.isOver) return err(toTooMany(tries))
  const person = await findPerson(context, key)
  if (person.ok) return person
  const after = person.error.isGuess ? await countWrongTry(context.ports, network) : tries
  return err(after.isOver ? toTooMany(after) : { kind: 'wrong', why: person.error.detail })
}

async function logIn(
  context: SetSecretsContext,
  { bound: { origins }, link, skill, source }: Asked,
): Promise<SecretsOutcome> {
  const { auth } = skill
  if (auth?.type !== 'oauth2') return { kind: 'no-link', detail: TOOL_CHANGED }
  const started = await startUpstreamLogin(context, { auth, link, source, origins })
  return started.ok
    ? { kind: 'log-in', started: started.value }
    : { kind: 'not-stored', detail: started.error }
}

function isUserOf({ uid }: SecretLink, { key }: Person): boolean {
  return key.uid === uid
}

function writeOtherUser({ username }: SecretLink): string {
  return `This key belongs to another user. The page sets secrets of ${username}. If you are not ${username}, close it: somebody else's program asked for them.`
}

/** The link, and the binding that its secrets get. */
type Asked = {
  readonly link: SecretLink
  readonly bound: SecretBinding
  readonly skill: Skill
  readonly source: SkillSource
}

async function readLink(
  context: SetSecretsContext,
  token: string,
): Promise<Result<Asked, ShownOutcome>> {
  const { clock, digests, hooks, logins, seals } = context.ports
  const link = openSecretLink(seals, await logins.secret(), { token, nowMs: clock.nowMs() })
  if (link === undefined) return err({ kind: 'no-link', detail: LINK_OVER })
  await hooks.open?.()
  const { skillId, uid } = link
  const of = { uid, skillId, prefix: context.prefix }
  const found = await findSkillOfUser(context.ports, of)
  if (!found.ok) return err({ kind: 'no-link', detail: TOOL_CHANGED })
  const { skill, source } = found.value
  const origins = listSkillOrigins(context.ports, skill)
  const bound = checkBindingLimits({ tier: source, origins, marketSkills: [] })
  const fits = bound.ok && hashOrigins(digests, origins) === link.originsHash
  if (!fits) return err({ kind: 'no-link', detail: TOOL_CHANGED })
  return ok({ link, bound: bound.value, skill, source })
}

/** An error is a sentence for the person, and repeats no value. */
function readValues(
  { names }: SecretLink,
  values: readonly string[],
): Result<readonly (readonly [name: string, value: string])[], string> {
  const read: (readonly [string, string])[] = []
  for (const [index, name] of names.entries()) {
    const value = readSecretValue(values[index] ?? '')
    if (!value.ok) return err(`${name}: ${value.error}. Nothing was stored.`)
    read.push([name, value.value])
  }
  return ok(read)
}

type ToStore = Asked & {
  readonly nonce: string
  readonly values: readonly (readonly [name: string, value: string])[]
}

async function storeValues(
  { ports }: SetSecretsContext,
  { bound, link, nonce, values }: ToStore,
): Promise<SecretsOutcome> {
  const { clock, digests, idempotencyRecords, log } = ports
  const { skillId, uid } = link
  const id = digests.sha256(`secret-link:${link.nonce}`)
  const writeToken = digests.sha256(`secret-form:${nonce}`)
  const claimedAtMs = clock.nowMs()
  const claim = {
    id,
    bodyHash: id,
    sealingKeyHash: id,
    uid,
    callId: link.nonce,
    writeToken,
    claimedAtMs,
  }
  const claimed = await idempotencyRecords.claim(claim)
  if (claimed.kind !== 'claimed') return { kind: 'no-link', detail: LINK_USED }
  for (const [name, value] of values) {
    const stored = await storeSecret(ports, { uid, name, skillId, value, bound })
    if (stored.ok) continue
    await idempotencyRecords.drop({ id, writeToken })
    return { kind: 'not-stored', detail: stored.error.detail }
  }
  log.note('info', 'secrets-set-by-user', { uid, skillId, count: values.length })
  return { kind: 'stored', link }
}

function toTooMany({ retryAfterSec }: Tries): TooMany {
  return { kind: 'too-many', retryAfterSec }
}

const AGAIN = 'Let your program call the tool again: it then shows a new link.'
const LINK_OVER = `This link is not one of this gateway, or is more than 10 minutes old. ${AGAIN}`
const LINK_USED = `This link was used already. If the tool still asks for a secret, ${AGAIN.toLowerCase()}`
const TOOL_CHANGED = `The tool behind this link was changed or removed since. ${AGAIN}`
