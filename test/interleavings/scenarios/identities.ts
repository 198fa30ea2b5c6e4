/**
 * Logins of an issuer come for the first time, while administrators invite, link and unlink: an
 * invitation lets one login in, a login has one user and its starting credits once, and an unlinked
 * login does not return by itself.
 */
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { fromProfileItem } from '../../../adapters/dynamodb/records/profile-item.ts'
import { authKey, profileKey } from '../../../adapters/dynamodb/table.ts'
import { toIdentityId, toProvisionedUid } from '../../../core/access/identity.ts'
import { addIdentity } from '../../../core/flow/users/manage-identities.ts'
import { makeProvision } from '../../../core/flow/users/provision-identity.ts'
import type { Issuer } from '../../../core/issuers/issuer.ts'
import { profileOf } from '../../contracts/fresh.ts'
import type { Scenario } from '../scenario.ts'
import { CONTEST_LATE, itemAt, type Process, plan, quietly, report, type World } from '../world.ts'

const digests = nodeDigests()
const EMAIL = 'ada@example.com'
const OWNERS = ['u1', 'u2']
const CREDITS = 5
const MICRO_CREDITS = 5_000_000

const ISSUER: Issuer = {
  issuer: 'https://login.example.com',
  audiences: ['https://mcp.example.com/mcp'],
  typ: 'at+jwt',
  clientIds: [],
  scopeClaim: 'scope',
  subjectClaim: 'sub',
  provision: 'invite',
  initialCredits: CREDITS,
  tier: 'free',
  allowedDomains: [],
}

type State = {
  /** Invitations that were asked for, answered or not. */
  invited: number
  /** Ids of the identities that an answer let in by an invitation. */
  readonly came: Set<string>
  /** The uids to which an answer linked {@link LINKED}, until it was unlinked first. */
  readonly linked: Set<string>
  /** Links that began, and those that were answered. */
  begun: number
  ended: number
  wasUnlinked: boolean
  /** The latest answer unlinked {@link LINKED}, and no link was running then. */
  isUnlinked: boolean
}

const idOf = (subject: string) => toIdentityId(digests, { issuer: ISSUER.issuer, subject })
const LINKED = idOf('linked')
const MADE = idOf('made')

export const identities: Scenario = {
  name: 'identities',
  async start(world) {
    const { random } = world
    const state = newState()
    await quietly(world, async ({ profiles }) => {
      for (const uid of OWNERS) await profiles.create(profileOf(uid))
    })
    // Late copies of writes that another one overtook are rare without this.
    world.chosen = { ...world.chosen, late: CONTEST_LATE }
    for (let invites = 1 + random.below(2); invites > 0; invites -= 1) {
      plan(world, 'an address is invited', (process) => invite(process, state))
    }
    for (let logins = 2 + random.below(4); logins > 0; logins -= 1) {
      plan(world, 'an invited login comes', (process) => come(process, state, `s${logins % 3}`))
    }
    for (let logins = 2 + random.below(3); logins > 0; logins -= 1) {
      plan(world, 'a login becomes a user', signUp)
    }
    for (let links = random.below(3); links > 0; links -= 1) {
      plan(world, 'a login is linked', (process) => link(world, process, state))
    }
    world.check = () => checkMade(world)
    return () => quietly(world, (_, process) => checkEnd(world, process, state))
  },
}

function newState(): State {
  const links = { linked: new Set<string>(), begun: 0, ended: 0 }
  return { invited: 0, came: new Set(), ...links, wasUnlinked: false, isUnlinked: false }
}

async function invite(process: Process, state: State): Promise<void> {
  state.invited += 1
  const body = { issuer: ISSUER.issuer, email: EMAIL }
  await addIdentity(portsOf(process), [ISSUER], { uid: 'u1', body })
}

function portsOf({ clock, ports }: Process) {
  return { ...ports, clock, digests, log: { call: () => {}, note: () => {} } }
}

function login(process: Process, subject: string, provision: Issuer['provision']) {
  const issuer = { ...ISSUER, provision }
  const claims = provision === 'invite' ? { email: EMAIL, email_verified: true } : {}
  const token = { issuer, subject, scopes: [], expiresAtMs: 0, claims }
  return makeProvision(portsOf(process), { prefix: 'sg' })(token, idOf(subject))
}

async function come(process: Process, state: State, subject: string): Promise<void> {
  const id = idOf(subject)
  if ((await process.ports.keys.find(id)) !== undefined) return
  if ((await login(process, subject, 'invite')) === undefined) state.came.add(id)
}

async function signUp(process: Process): Promise<void> {
  await login(process, 'made', 'auto')
}

/**
 * Links to one user or the other, and unlinks sometimes. A link without an answer may still be
 * carried out, so it counts as running for ever.
 */
async function link(world: World, process: Process, state: State): Promise<void> {
  const uid = world.random.pick(OWNERS)
  state.begun += 1
  state.isUnlinked = false
  const answer = await addIdentity(portsOf(process), [], { uid, body: { identity: LINKED } })
  state.ended += 1
  if (!answer.ok) return
  if (!state.wasUnlinked) state.linked.add(uid)
  if (!world.random.chance(0.6)) return
  state.wasUnlinked = true
  const { begun, ended } = state
  await process.ports.keys.revoke({ uid, keyHash: LINKED })
  state.isUnlinked = begun === ended && state.begun === begun
}

/** Holds after each request: the record is last, and the credits come once. */
function checkMade(world: World): void {
  const item = itemAt(world, 'gateway', profileKey(toProvisionedUid(MADE)))
  const credits = item === undefined ? undefined : fromProfileItem(item).credits
  if (credits !== undefined && credits !== 0 && credits !== MICRO_CREDITS) {
    report(world, `a login got ${credits} micro-credits`)
  }
  const hasRecord = itemAt(world, 'gateway', authKey(MADE)) !== undefined
  if (hasRecord && credits !== MICRO_CREDITS) report(world, 'a login is served before its credits')
}

async function checkEnd(world: World, process: Process, state: State): Promise<void> {
  const { ports } = process
  for (const subject of ['s0', 's1', 's2']) {
    if ((await ports.keys.find(idOf(subject))) !== undefined) state.came.add(idOf(subject))
  }
  if (state.came.size > state.invited) {
    report(world, `${state.came.size} logins came by ${state.invited} invitations`)
  }
  if (!state.wasUnlinked && state.linked.size > 1) report(world, 'a login was told to be two users')
  const record = await ports.keys.find(LINKED)
  if (state.isUnlinked && record !== undefined) report(world, 'an unlinked login returned')
  const [owner] = state.linked
  if (!state.wasUnlinked && owner !== undefined && record?.uid !== owner) {
    report(world, 'a login lost its user')
  }
}
