/**
 * Users are made, disabled, enabled, renamed, given identities and deleted at once. The lists show each
 * user as the profile is, no two users have one identity, a refused change is never made, a deletion is
 * final and leaves nothing of the user behind, and the last answered state stands.
 */

import { textAt } from '../../../adapters/dynamodb/client/item.ts'
import { fromProfileItem } from '../../../adapters/dynamodb/records/profile-item.ts'
import {
  identityKey,
  listedUserKey,
  profileKey,
  usernameKey,
} from '../../../adapters/dynamodb/table.ts'
import { listFacets, toListedUser, toUserPlace } from '../../../core/access/user-directory.ts'
import { foldIdentity } from '../../../core/access/user-names.ts'
import { readUserState } from '../../../core/access/user-state.ts'
import { changeUser } from '../../../core/flow/registry/rename-tools.ts'
import { deleteUser } from '../../../core/flow/users/delete-user.ts'
import { createUser } from '../../../core/flow/users/manage-users.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import { keyOf, secretOf } from '../../contracts/fresh.ts'
import { SETTINGS } from '../../core/flow/world.ts'
import { faultOfLast, type History, openHistory } from '../history.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import { itemAt, itemsIn, type Process, plan, quietly, report, type World } from '../world.ts'

const UIDS = ['u1', 'u2']
const NAMES = ['ada', 'grace']
const IDENTITIES = ['a@x', 'b@x']

type People = {
  readonly history: History
  /** By user and identity: changes that may have given it. */
  readonly given: Map<string, number>
  readonly deleted: Set<string>
  /** Every partition in which an entry was seen. */
  readonly facets: Set<string>
  /** Renamings and deletions without an answer: what they left, the next one finishes. */
  readonly open: Map<string, number>
}

export const users: Scenario = {
  name: 'users',
  async start(world) {
    const { random } = world
    const people: People = {
      history: openHistory(world),
      given: new Map(),
      deleted: new Set(),
      facets: new Set(),
      open: new Map(),
    }
    await quietly(world, async (ports, process) => {
      for (const uid of UIDS) {
        const made = await createUser(flowPorts(process), { uid, username: 'ada' })
        if (!made.ok) report(world, made.error.detail)
        await ports.keys.put(keyOf(`k-${uid}`.padEnd(43, '-'), { uid }))
        await ports.secrets.put(secretOf(uid, 'KEY'))
      }
    })
    for (const uid of UIDS) {
      const admins = 1 + random.below(3)
      for (let admin = 1; admin <= admins; admin += 1) {
        plan(world, `${uid} is changed`, (process) =>
          change(world, people, process, { uid, isFirst: admin === 1 }),
        )
      }
    }
    if (random.chance(0.5)) {
      const uid = random.pick(UIDS)
      for (let times = 1 + random.below(2); times > 0; times -= 1) {
        plan(world, `${uid} is deleted`, (process) => remove(world, people, process, uid))
      }
    }
    world.check = () => checkRecords(world, people)
    return () => quietly(world, (_, process) => checkEnd(world, people, process))
  },
}

/** The first administrator alone renames; the scenario of usernames has two renames at once. */
async function change(
  world: World,
  people: People,
  process: Process,
  { isFirst, uid }: { readonly uid: string; readonly isFirst: boolean },
): Promise<void> {
  const { random } = world
  const ports = flowPorts(process)
  for (let acts = 1 + random.below(3); acts > 0; acts -= 1) {
    const act = random.below(isFirst ? 3 : 2)
    if (act === 0) {
      await switchState(people, process, uid, random.chance(0.5))
    } else if (act === 1) {
      const identity = random.pick(IDENTITIES)
      const place = `${uid} ${identity}`
      count(people.given, place, 1)
      const changed = await changeUser(ports, SETTINGS, uid, { identity })
      if (!changed.ok) count(people.given, place, -1)
    } else {
      const name = random.pick(NAMES)
      count(people.open, uid, 1)
      await changeUser(ports, SETTINGS, uid, { username: name })
      count(people.open, uid, -1)
    }
  }
}

/** A reason is the number of its write; an active user has none. */
async function switchState(
  { history }: People,
  process: Process,
  uid: string,
  isActive: boolean,
): Promise<void> {
  const value = isActive ? undefined : history.writes.length + 1
  const body = isActive ? { state: 'active' } : { state: 'disabled', reason: String(value) }
  await history.during({ place: uid, value, process: process.name }, async () => {
    return (await changeUser(flowPorts(process), SETTINGS, uid, body)).ok
  })
}

async function remove(world: World, people: People, process: Process, uid: string) {
  count(people.open, uid, 1)
  const removed = await deleteUser(flowPorts(process), uid)
  if (!removed.ok) report(world, removed.error.detail)
  else if (removed.value === 'deleted') people.deleted.add(uid)
  count(people.open, uid, -1)
}

function count(numbers: Map<string, number>, of: string, by: number): void {
  numbers.set(of, (numbers.get(of) ?? 0) + by)
}

function profileAt(world: World, uid: string): Profile | undefined {
  const item = itemAt(world, 'gateway', profileKey(uid))
  return item === undefined ? undefined : fromProfileItem(item)
}

function checkRecords(world: World, people: People): void {
  if (world.violations.length > 0) return
  for (const uid of UIDS) {
    const profile = profileAt(world, uid)
    if (profile === undefined) continue
    checkLists(world, people, profile)
    if (people.deleted.has(uid) && readUserState(profile) !== 'deleted') {
      report(world, `${uid} is ${readUserState(profile)} after the deletion`)
    }
    checkIdentity(world, people, profile)
  }
}

function checkIdentity(world: World, { given }: People, { identity, uid }: Profile): void {
  if (identity === undefined) return
  const owner = itemAt(world, 'gateway', identityKey(foldIdentity(identity)))
  if (owner === undefined || textAt(owner, 'uid') !== uid) {
    report(world, `the identity of ${uid} leads elsewhere`)
  }
  const times = given.get(`${uid} ${identity}`) ?? 0
  if (times < 1) report(world, `${uid} has ${identity}, which was refused`)
}

/** Each entry of the user is one that the profile makes, as the profile is, and none is missing. */
function checkLists(world: World, { facets }: People, profile: Profile): void {
  const { uid } = profile
  const keys = listFacets(profile).map((facet) => listedUserKey(facet, toUserPlace(profile)))
  for (const { pk } of keys) facets.add(pk)
  for (const key of keys) {
    const entry = itemAt(world, 'gateway', key)
    if (entry === undefined) report(world, `no list of ${key.pk} shows ${uid}`)
    else if (textAt(entry, 'state') !== toListedUser(profile).state) {
      report(world, `a list shows ${uid} otherwise than the profile`)
    }
  }
  const wanted = new Set(keys.map(({ pk, sk }) => `${pk}/${sk}`))
  for (const pk of facets) {
    const own = itemsIn(world, 'gateway', pk).filter((item) => textAt(item, 'uid') === uid)
    const stray = own.find((item) => !wanted.has(`${pk}/${textAt(item, 'sk')}`))
    if (stray !== undefined) report(world, `${pk} shows ${uid} in the wrong place`)
  }
}

async function checkEnd(world: World, people: People, { ports }: Process): Promise<void> {
  for (const uid of UIDS) {
    const profile = profileAt(world, uid)
    if (profile === undefined) {
      report(world, `${uid} is gone`)
      continue
    }
    if (readUserState(profile) === 'deleted') {
      await checkGone(world, people, ports, uid)
      continue
    }
    if (readUserState(profile) === 'deleting') continue
    const reason = profile.disabled?.reason
    const value = reason === undefined ? undefined : Number(reason)
    const fault = faultOfLast(people.history, uid, value)
    if (fault !== undefined) report(world, fault)
    checkClaims(world, people, profile)
  }
}

async function checkGone(
  world: World,
  people: People,
  ports: Process['ports'],
  uid: string,
): Promise<void> {
  if (!people.deleted.has(uid)) return
  if ((await ports.keys.list(uid)).length > 0) report(world, `a key of ${uid} is left`)
  if ((await ports.secrets.list(uid)).length > 0) report(world, `a secret of ${uid} is left`)
  if ((people.open.get(uid) ?? 0) > 0) return
  for (const name of NAMES) {
    if (claimOf(world, name).includes(uid)) report(world, `the claim of ${name} has ${uid} still`)
  }
}

/** Once all was answered a claim has those who have the name, and nobody else. */
function checkClaims(world: World, { open }: People, { uid, username }: Profile): void {
  if ((open.get(uid) ?? 0) > 0) return
  for (const name of NAMES.filter((one) => one !== username)) {
    if (claimOf(world, name).includes(uid)) report(world, `the claim of ${name} has ${uid} still`)
  }
}

function claimOf(world: World, name: string): readonly unknown[] {
  const uids = itemAt(world, 'gateway', usernameKey(name))?.['uids']
  return Array.isArray(uids) ? uids : []
}
