/**
 * Contract of identities: an identity is the user of its first record, an invitation is used once,
 * and what limits, lists and ends keys does the same to identities. A store may answer from its
 * cache for 30 s, so tests wait that long before they look whether a record works.
 */
import { describe, expect, test } from 'vitest'
import type { IdentityInvite } from '../../core/access/identity-invite.ts'
import { KEY_CACHE_MS } from '../../core/access/limits.ts'
import type { KeyRecord } from '../../core/access/principal.ts'
import { atOnce, freshHash, freshUser, keyOf } from './fresh.ts'
import { type MakePorts, openedPorts, type StorePorts } from './store-ports.ts'

const NOW = 2_000_000_000_000
const DAY = 86_400_000

function identityOf(uid: string, id = `i:${freshHash()}`): KeyRecord {
  return keyOf(id, {
    uid,
    keyPrefix: 'login.example.com',
    expiresAtMs: Number.MAX_SAFE_INTEGER,
    identity: { issuer: 'https://login.example.com/t1', subject: 'Ada|00u1' },
  })
}

function inviteOf(uid: string, more: Partial<IdentityInvite> = {}): IdentityInvite {
  return { id: freshHash(), uid, expiresAtMs: NOW + 30 * DAY, version: 1, ...more }
}

export function describeIdentities(name: string, makePorts: MakePorts): void {
  describe(`${name}: identities`, () => {
    const opened = openedPorts(makePorts)
    describeRecords(opened)
    describeInvites(opened)
    describeUses(opened)
  })
}

function describeRecords(opened: () => StorePorts): void {
  test('an identity comes back as it was put, alone and in the list of its user', async () => {
    const { keys } = opened()
    const record = identityOf(await freshUser(opened(), 0))
    expect(await keys.find(record.keyHash)).toBeUndefined()
    expect(await keys.putIdentity({ record })).toEqual(record)
    expect(await keys.find(record.keyHash)).toEqual(record)
    expect(await keys.list(record.uid)).toEqual([record])
  })

  test('an identity without issuer and subject comes back without them', async () => {
    const { keys } = opened()
    const { identity: _, ...record } = identityOf(await freshUser(opened(), 0))
    await keys.putIdentity({ record })
    expect(await keys.find(record.keyHash)).toEqual(record)
  })

  test('an identity keeps its first user, whose record every later put gets', async () => {
    const { keys } = opened()
    const first = identityOf(await freshUser(opened(), 0))
    const second = identityOf(await freshUser(opened(), 0), first.keyHash)
    await keys.putIdentity({ record: first })
    expect(await keys.putIdentity({ record: second })).toEqual(first)
    expect(await keys.list(second.uid)).toEqual([])
    expect(await keys.revoke({ uid: second.uid, keyHash: first.keyHash })).toBe(false)
    expect(await keys.find(first.keyHash)).toEqual(first)
  })

  test('an identity that 20 users get at once becomes exactly one of them', async () => {
    const ports = opened()
    const id = `i:${freshHash()}`
    const uids = await Promise.all(Array.from({ length: 20 }, () => freshUser(ports, 0)))
    const stood = await atOnce(20, (index) =>
      ports.keys.putIdentity({ record: identityOf(uids[index] ?? '', id) }),
    )
    expect(new Set(stood.map((record) => record?.uid)).size).toBe(1)
    const lists = await Promise.all(uids.map((uid) => ports.keys.list(uid)))
    expect(lists.flat()).toEqual([stood[0]])
  })

  test('an identity that is unlinked is unknown after 30 s, and may be linked to another user', async () => {
    const { clock, keys } = opened()
    const record = identityOf(await freshUser(opened(), 0))
    await keys.putIdentity({ record })
    expect(await keys.revoke({ uid: record.uid, keyHash: record.keyHash })).toBe(true)
    clock.advance(KEY_CACHE_MS)
    expect(await keys.find(record.keyHash)).toBeUndefined()
    expect(await keys.list(record.uid)).toEqual([])
    const next = identityOf(await freshUser(opened(), 0), record.keyHash)
    expect(await keys.putIdentity({ record: next })).toEqual(next)
    expect(await keys.find(record.keyHash)).toEqual(next)
  })

  test('the scope of an identity changes like that of a key, and the identity stays', async () => {
    const { clock, keys } = opened()
    const record = identityOf(await freshUser(opened(), 0))
    await keys.putIdentity({ record })
    const scope = { tools: ['sg_*'], mayIssueKeys: true } as const
    await keys.changeScope({ uid: record.uid, keyHash: record.keyHash, change: scope })
    clock.advance(KEY_CACHE_MS)
    expect(await keys.find(record.keyHash)).toEqual({ ...record, scope })
  })

  test('an identity has budgets and calls per day like a key', async () => {
    const { keys, profiles } = opened()
    const { keyHash, ...record } = identityOf(await freshUser(opened(), 0))
    await keys.putIdentity({ record: { keyHash, ...record } })
    const change = { budget: { limit: 9, nowMs: NOW }, day: { limit: 4, nowMs: NOW } }
    const of = { uid: record.uid, keyHash, change, listKeys: async () => [keyHash] }
    expect(await profiles.changeKeyLimits(of)).toMatchObject({
      keyBudgets: { [keyHash]: { limit: 9 } },
      keyDays: { [keyHash]: { limit: 4, calls: 0 } },
    })
  })
}

function describeInvites(opened: () => StorePorts): void {
  test('an invitation comes back as it was put, and an unknown one is not found', async () => {
    const { identityInvites } = opened()
    const invite = inviteOf('u-1')
    expect(await identityInvites.find(invite.id)).toBeUndefined()
    expect(await identityInvites.put(invite)).toBe(true)
    expect(await identityInvites.find(invite.id)).toEqual(invite)
  })

  test('an invitation is replaced by the next version alone', async () => {
    const { identityInvites } = opened()
    const invite = inviteOf('u-1')
    expect(await identityInvites.put({ ...invite, version: 2 })).toBe(false)
    await identityInvites.put(invite)
    for (const version of [1, 3]) {
      expect(await identityInvites.put({ ...invite, uid: 'u-2', version })).toBe(false)
    }
    expect(await identityInvites.find(invite.id)).toEqual(invite)
    const next = { ...invite, uid: 'u-2', version: 2 }
    expect(await identityInvites.put(next)).toBe(true)
    expect(await identityInvites.find(invite.id)).toEqual(next)
  })

  test('a single one of 20 invitations of one version at once is written', async () => {
    const { identityInvites } = opened()
    const { id } = inviteOf('')
    const written = await atOnce(20, (index) => identityInvites.put(inviteOf(`u-${index}`, { id })))
    expect(written.filter(Boolean)).toHaveLength(1)
    const uid = `u-${written.indexOf(true)}`
    expect(await identityInvites.find(id)).toMatchObject({ uid })
  })
}

function describeUses(opened: () => StorePorts): void {
  /** A user with an invitation, and a way to use it. */
  async function invited(more: Partial<IdentityInvite> = {}) {
    const ports = opened()
    const uid = await freshUser(ports, 0)
    const invite = inviteOf(uid, more)
    await ports.identityInvites.put(invite)
    const use = (record: KeyRecord, nowMs = NOW) =>
      ports.keys.putIdentity({ record, invite: { id: invite.id, nowMs } })
    return { ports, uid, invite, use }
  }

  test('an invitation lets one identity in, and is used up', async () => {
    const { invite, ports, uid, use } = await invited()
    const record = identityOf(uid)
    expect(await use(record)).toEqual(record)
    expect(await ports.keys.find(record.keyHash)).toEqual(record)
    expect(await ports.identityInvites.find(invite.id)).toEqual({
      ...invite,
      version: 2,
      usedBy: record.keyHash,
    })
    const second = identityOf(uid)
    expect(await use(second)).toBeUndefined()
    expect(await ports.keys.find(second.keyHash)).toBeUndefined()
  })

  test('an invitation that 20 identities use at once lets exactly one in', async () => {
    const { ports, uid, use } = await invited()
    const answers = await atOnce(20, () => use(identityOf(uid)))
    const [only, ...others] = answers.filter((record) => record !== undefined)
    expect(others).toEqual([])
    expect(await ports.keys.list(uid)).toEqual([only])
  })

  test('an invitation that one identity uses 20 times at once lets it in each time', async () => {
    const { uid, use } = await invited()
    const record = identityOf(uid)
    const answers = await atOnce(20, () => use(record))
    expect(answers).toEqual(Array.from({ length: 20 }, () => record))
  })

  test('an invitation is open until its last millisecond, and then lets nobody in', async () => {
    const { invite, ports, uid, use } = await invited()
    const late = identityOf(uid)
    expect(await use(late, invite.expiresAtMs)).toBeUndefined()
    expect(await ports.keys.find(late.keyHash)).toBeUndefined()
    const record = identityOf(uid)
    expect(await use(record, invite.expiresAtMs - 1)).toEqual(record)
  })

  test('an invitation of another user and an unknown one let nobody in', async () => {
    const { ports, use } = await invited()
    const thief = identityOf(await freshUser(ports, 0))
    expect(await use(thief)).toBeUndefined()
    const invite = { id: freshHash(), nowMs: NOW }
    expect(await ports.keys.putIdentity({ record: thief, invite })).toBeUndefined()
    expect(await ports.keys.find(thief.keyHash)).toBeUndefined()
  })

  test('an invitation that let in an identity does not let it in again after it is unlinked', async () => {
    const { ports, uid, use } = await invited()
    const record = identityOf(uid)
    await use(record)
    await ports.keys.revoke({ uid, keyHash: record.keyHash })
    expect(await use(record)).toBeUndefined()
    ports.clock.advance(KEY_CACHE_MS)
    expect(await ports.keys.find(record.keyHash)).toBeUndefined()
  })

  test('a put that read the invitation before its use does not open it again', async () => {
    const { invite, ports, uid, use } = await invited()
    await use(identityOf(uid))
    expect(await ports.identityInvites.put({ ...invite, version: 2 })).toBe(false)
    expect(await use(identityOf(uid))).toBeUndefined()
    const anew = { ...invite, version: 3 }
    expect(await ports.identityInvites.put(anew)).toBe(true)
    expect(await ports.identityInvites.find(invite.id)).toEqual(anew)
  })
}
