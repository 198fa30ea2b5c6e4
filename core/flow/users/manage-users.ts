/**
 * Creates, reads and changes users for administrators. grant-credits.ts gives further credits.
 * Amounts are decimals of credits on the wire. Bound by docs/service.md, User administration.
 */
import { refuseUnknownUser } from '../../access/user-names.ts'
import { isBeingDeleted } from '../../access/user-state.ts'
import { Fault, ok, type Result, refuse } from '../../errors.ts'
import { refuseBody } from '../../json/body-fields.ts'
import type { Json } from '../../json/json.ts'
import { CREDITS_MAX, formatCredits } from '../../ledger/amount.ts'
import type { MicroCredits, Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { USER_GROUPS_MAX } from '../../skills/group-names.ts'
import { type NewUser, readNewUser, readUserPatch } from './read-user.ts'
import { toUserView, type UserView } from './user-view.ts'

const UID_BYTES = 12

export type CreateUserNeeds = Pick<Ports, 'clock' | 'ids' | 'ledger' | 'profiles' | 'userDirectory'>

/** A command line would read a uid that begins with a dash as an option, so no uid does. */
function createUid({ ids }: Pick<Ports, 'ids'>): string {
  for (;;) {
    const uid = ids.token(UID_BYTES)
    if (!uid.startsWith('-')) return uid
  }
}

/**
 * Body `{username, uid?, tier?, credits?, identity?, groups?}`. Refuses with `conflict` a uid or
 * identity that is taken.
 */
export async function createUser(
  ports: CreateUserNeeds,
  body: Json,
  /** Name of the administrator. */
  by?: string,
): Promise<Result<UserView>> {
  const read = readNewUser(body)
  if (!read.ok) return read
  const { username, tier, credits, groups, identity } = read.value
  if (identity !== undefined) {
    const owner = await ports.userDirectory.uidOf(identity)
    if (owner !== undefined && owner !== read.value.uid) return refuseIdentityTaken()
  }
  const uid = read.value.uid ?? createUid(ports)
  const profile = toNewProfile({ uid, username, tier, groups }, ports.clock.nowMs())
  if (!(await ports.profiles.create(profile))) {
    return refuse(
      'conflict',
      `uid: ${profile.uid} is taken. Choose another, or leave it out to get a new one.`,
    )
  }
  return finishUser(ports, profile, { identity, credits }, by)
}

/** The profile of a new user, without credits and identity. */
export function toNewProfile(
  {
    groups,
    tier,
    uid,
    username,
  }: Pick<Profile, 'tier' | 'uid' | 'username'> & {
    readonly groups: readonly string[]
  },
  nowMs: number,
): Profile {
  return {
    uid,
    username,
    tier,
    credits: 0,
    holds: {},
    createdAtMs: nowMs,
    skillsChangedAtMs: 0,
    ...(groups.length === 0 ? {} : { groups }),
  }
}

/** The writes that follow the profile of a new user; each can be repeated. */
export async function finishUser(
  ports: Pick<Ports, 'ledger' | 'profiles'>,
  profile: Profile,
  { credits, identity }: Pick<NewUser, 'credits' | 'identity'>,
  by?: string,
): Promise<Result<UserView>> {
  const hasIdentity = identity === undefined || identity === profile.identity
  const withIdentity = hasIdentity ? ok(profile) : await giveIdentity(ports, profile, identity)
  if (!withIdentity.ok || credits === 0)
    return withIdentity.ok ? ok(toUserView(withIdentity.value, profile.createdAtMs)) : withIdentity
  return grantInitial(ports, withIdentity.value, credits, by)
}

/** If two new users want one identity at once, one of them stays without. */
async function giveIdentity(
  ports: Pick<Ports, 'profiles'>,
  profile: Profile,
  identity: string,
): Promise<Result<Profile>> {
  const changed = await ports.profiles.change(profile.uid, { identity })
  if (changed === undefined) return refuseUnknownUser(profile.uid)
  if (changed === 'groups_full') return refuseGroupsFull()
  return changed === 'identity_taken' ? refuseIdentityTaken() : ok(changed)
}

function refuseIdentityTaken(): Result<never> {
  return refuse(
    'conflict',
    'identity: another user has it; upper and lower case do not distinguish identities.',
    { remedy: { code: 'find_identity' } },
  )
}

function refuseGroupsFull(): Result<never> {
  return refuseBody([
    {
      pointer: '/addGroups',
      message: `would give the user more than ${USER_GROUPS_MAX} groups; remove some by removeGroups in the same request`,
    },
  ])
}

/** A crash before the grant leaves the user without credits; the same grant can be sent again. */
async function grantInitial(
  ports: Pick<Ports, 'ledger'>,
  profile: Profile,
  amount: MicroCredits,
  by: string | undefined,
): Promise<Result<UserView>> {
  const { uid } = profile
  const grant = { uid, by, grantId: 'initial', amount, creditsMax: CREDITS_MAX }
  const granted = await ports.ledger
    .grant({ ...grant, nowMs: profile.createdAtMs })
    .catch((cause: unknown) => {
      if (cause instanceof Fault) return undefined
      throw cause
    })
  if (granted === undefined) {
    return refuse(
      'store_unavailable',
      `credits: the user ${uid} was created, but the store failed at the grant.`,
      { remedy: { code: 'grant_initial', uid, amount: formatCredits(amount) }, retryAfterSec: 1 },
    )
  }
  if (granted.kind === 'conflict') {
    return refuse(
      'conflict',
      `credits: this user was made with ${formatCredits(granted.amount)}.`,
      { remedy: { code: 'grant_rest', uid } },
    )
  }
  const after = 'profile' in granted ? granted.profile : profile
  return ok(toUserView(after, profile.createdAtMs))
}

/** Reads only the profile; people/show-user.ts adds more. Refuses with `not_found`. */
export async function readUser(
  ports: Pick<Ports, 'clock' | 'profiles'>,
  uid: string,
): Promise<Result<UserView>> {
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return refuseUnknownUser(uid)
  return ok(toUserView(profile, ports.clock.nowMs()))
}

/**
 * Body `{username?, tier?, identity?, state?, reason?, groups?, addGroups?, removeGroups?,
 * monthlyBudget?, lowBalance?, list?}`, at least one of them. core/flow/registry/rename-tools.ts renames the tools of the user's
 * skills.
 */
export async function patchUser(
  ports: Pick<Ports, 'clock' | 'profiles'>,
  uid: string,
  body: Json,
): Promise<Result<PatchedUser>> {
  const nowMs = ports.clock.nowMs()
  const read = readUserPatch(body, nowMs)
  if (!read.ok) return read
  const { budget, state, ...fields } = read.value
  const disabled = state?.active === false && {
    ...DISABLED,
    reason: state.reason,
    sinceMs: nowMs,
  }
  const to = state === undefined ? fields : { ...fields, disabled: disabled || null }
  const profile = await ports.profiles.change(uid, to)
  if (profile === undefined) return refuseUnknownUser(uid)
  if (profile === 'identity_taken') return refuseIdentityTaken()
  if (profile === 'groups_full') return refuseGroupsFull()
  if (isBeingDeleted(profile)) return refuseUserBeingDeleted()
  const { usernameBefore } = profile
  // If the process dies here, the same PATCH sent again sets the budget.
  const after =
    budget === undefined ? profile : await ports.profiles.changeBudget({ uid, change: budget })
  if (after === undefined) return refuseUnknownUser(uid)
  return ok({ user: toUserView(after, nowMs), usernameBefore })
}

export type PatchedUser = {
  readonly user: UserView
  /** The name that this request replaced; undefined if the name is unchanged. */
  readonly usernameBefore: string | undefined
}

const DISABLED = { state: 'disabled' } as const

/** Refuses a change that would give a deleted user something again. */
export function refuseUserBeingDeleted(): Result<never> {
  return refuse(
    'conflict',
    'uid: this user is being deleted, or was deleted, and cannot be changed.',
    { remedy: { code: 'create_user' } },
  )
}
