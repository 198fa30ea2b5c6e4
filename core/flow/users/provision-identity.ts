/**
 * The first request of an identity that no user has: finds an invitation of its verified mail
 * address, or makes a user. Claims are read here and never again. Bound by
 * docs/issuers/README.md and ADR 0115.
 *
 *   provision off:     refused
 *   invite or auto:    open invitation of the address? ─▶ its user: [invitation used + record]
 *   auto, none open:   domain allowed? ─▶ profile ─▶ claim of the name ─▶ starting credits ─▶ record
 *
 * The uid is made of the identity, and each write of `auto` can be repeated. So if the process dies
 * between two of them, the next request of the identity does what is missing: the record is last,
 * and no request is served without it. 50 first requests at once do the same writes: one makes the
 * profile, the others find it; the grant counts once; one record is stored.
 */
import {
  IDENTITY_HASH_START,
  type ProvisionIdentity,
  refuseUnlinked,
  toIdentityRecord,
  toProvisionedUid,
} from '../../access/identity.ts'
import { findMapped, isOfDomain, readVerifiedMail } from '../../access/identity-claims.ts'
import { isOpenInvite, toInviteId } from '../../access/identity-invite.ts'
import { PROVISION_REFUSALS_MAX, PROVISION_REFUSED_MS } from '../../access/limits.ts'
import { isBeingDeleted } from '../../access/user-state.ts'
import { keepYoungest } from '../../cache/keep-youngest.ts'
import { Fault, type Refusal } from '../../errors.ts'
import { CREDITS_MAX, toMicroCredits } from '../../ledger/amount.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { VerifiedToken } from '../../ports/issuers.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { USER_GROUPS_MAX } from '../../skills/group-names.ts'
import { addNameWarning } from './claim-username.ts'
import { toNewProfile } from './manage-users.ts'
import { pickUsername } from './pick-username.ts'
import { toUserView } from './user-view.ts'

export type ProvisionNeeds = Pick<
  Ports,
  'clock' | 'digests' | 'identityInvites' | 'keys' | 'ledger' | 'log' | 'profiles' | 'usernames'
>

type Named = Pick<Settings, 'prefix'>

/**
 * Returns the function that provisions. It shares the work of concurrent requests of one identity,
 * and remembers refused identities, so that a client that asks again costs no read.
 */
export function makeProvision(ports: ProvisionNeeds, settings: Named): ProvisionIdentity {
  const running = new Map<string, Promise<Refusal | undefined>>()
  const refused = new Map<string, { readonly refusal: Refusal; readonly untilMs: number }>()
  const run = async (token: VerifiedToken, id: string) => {
    const fromMs = ports.clock.nowMs()
    const refusal = await provision(ports, settings, token, id)
    if (refusal !== undefined) {
      const untilMs = fromMs + PROVISION_REFUSED_MS
      keepYoungest(refused, id, { refusal, untilMs }, PROVISION_REFUSALS_MAX)
    }
    return refusal
  }
  return async (token, id) => {
    const known = refused.get(id)
    if (known !== undefined && known.untilMs > ports.clock.nowMs()) return known.refusal
    const before = running.get(id)
    if (before !== undefined) return before
    const now = run(token, id).finally(() => running.delete(id))
    running.set(id, now)
    return now
  }
}

async function provision(
  ports: ProvisionNeeds,
  settings: Named,
  token: VerifiedToken,
  id: string,
): Promise<Refusal | undefined> {
  const { claims, issuer } = token
  if (issuer.provision === 'off') return refuseUnlinked(id)
  const mail = readVerifiedMail(claims)
  if (mail !== undefined && (await acceptInvite(ports, token, { id, mail }))) return undefined
  switch (issuer.provision) {
    case 'invite':
      return refuseUnlinked(id, NOT_INVITED)
    case 'auto':
      return isAllowed(issuer.allowedDomains, mail)
        ? makeUser(ports, settings, token, id)
        : refuseUnlinked(id, WRONG_DOMAIN)
    default:
      return issuer.provision satisfies never
  }
}

const NOT_INVITED = 'nobody has invited a mail address that your login has verified'
const WRONG_DOMAIN = 'your login has no verified mail address of a domain that may sign up'

function isAllowed(domains: readonly string[], mail: string | undefined): boolean {
  return domains.length === 0 || (mail !== undefined && isOfDomain(mail, domains))
}

/** Links the identity to the user of an open invitation. False if there is none. */
async function acceptInvite(
  ports: ProvisionNeeds,
  { issuer: { issuer }, subject }: VerifiedToken,
  { id, mail }: { readonly id: string; readonly mail: string },
): Promise<boolean> {
  const nowMs = ports.clock.nowMs()
  const invite = await ports.identityInvites.find(
    toInviteId(ports.digests, { issuer, email: mail }),
  )
  if (invite === undefined || !isOpenInvite(invite, nowMs)) return false
  const user = await ports.profiles.read(invite.uid)
  if (user === undefined || isBeingDeleted(user)) return false
  const record = toIdentityRecord({ id, identity: { issuer, subject }, user, nowMs })
  const linked = await ports.keys.putIdentity({ record, invite: { id: invite.id, nowMs } })
  if (linked === undefined) return false
  ports.log.note('info', 'identity-linked', { uid: linked.uid, keyId: id })
  return true
}

async function makeUser(
  ports: ProvisionNeeds,
  settings: Named,
  token: VerifiedToken,
  id: string,
): Promise<Refusal | undefined> {
  const { issuer, subject } = token
  const nowMs = ports.clock.nowMs()
  const user = await findOrCreate(ports, settings, token, toProvisionedUid(id))
  if (isBeingDeleted(user)) return USER_GONE
  await addNameWarning(ports, toUserView(user, nowMs))
  if (!(await giveStartingCredits(ports, token, { id, uid: user.uid, nowMs }))) return USER_GONE
  const identity = { issuer: issuer.issuer, subject }
  await ports.keys.putIdentity({ record: toIdentityRecord({ id, identity, user, nowMs }) })
  ports.log.note('info', 'identity-linked', { uid: user.uid, keyId: id })
  return undefined
}

/** A user who was deleted is never made again. */
const USER_GONE: Refusal = {
  code: 'unauthenticated',
  detail: 'Authorization: the user of this login no longer exists. Ask your administrator.',
}

async function findOrCreate(
  ports: ProvisionNeeds,
  settings: Named,
  { claims, issuer }: VerifiedToken,
  uid: string,
): Promise<Profile> {
  const existing = await ports.profiles.read(uid)
  if (existing !== undefined) return existing
  const username = await pickUsername(ports, settings, { claims, uid })
  const [tier = issuer.tier] = findMapped(claims, issuer.tierOf)
  const groups = [...new Set(findMapped(claims, issuer.groupsOf))].slice(0, USER_GROUPS_MAX)
  const made = toNewProfile({ uid, username, tier, groups }, ports.clock.nowMs())
  if (await ports.profiles.create(made)) return made
  const others = await ports.profiles.read(uid)
  if (others === undefined) throw new Fault('store_unavailable', `profile: ${uid} is gone`)
  return others
}

/**
 * The grant's id is made of the identity's, so it counts once. If the setting's amount has changed
 * since the grant, the first amount stays. False if the user is being deleted.
 */
async function giveStartingCredits(
  { ledger }: ProvisionNeeds,
  { issuer: { initialCredits } }: VerifiedToken,
  { id, nowMs, uid }: { readonly id: string; readonly uid: string; readonly nowMs: number },
): Promise<boolean> {
  if (initialCredits <= 0) return true
  const amount = toMicroCredits(initialCredits)
  const grant = {
    uid,
    grantId: `signup-${id.slice(IDENTITY_HASH_START.length)}`,
    amount,
    creditsMax: CREDITS_MAX,
    nowMs,
  }
  const answer = await ledger.grant({ ...grant, by: undefined })
  return answer.kind !== 'leaving' && answer.kind !== 'no_profile'
}
