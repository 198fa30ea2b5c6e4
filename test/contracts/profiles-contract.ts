/** Contract of the port Profiles. */
import { describe, expect, test } from 'vitest'
import { PROFILES_READ_MAX } from '../../core/ledger/limits.ts'
import { atOnce, freshName, freshUser, holdOf, profileOf } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

export function describeProfiles(name: string, makePorts: MakePorts): void {
  describe(`${name}: profiles`, () => {
    const opened = openedPorts(makePorts)

    test('an unknown user has no profile', async () => {
      expect(await opened().profiles.read(freshName('u-'))).toBeUndefined()
    })

    test('a profile comes back as it was created', async () => {
      const { profiles } = opened()
      const profile = profileOf(freshName('u-'), { credits: 123_456_789_012_345, tier: 'pro' })
      expect(await profiles.create(profile)).toBe(true)
      expect(await profiles.read(profile.uid)).toEqual(profile)
    })

    test('several users are read at once as each is read alone, and unknown ones are left out', async () => {
      const ports = opened()
      const uids = await Promise.all(Array.from({ length: 99 }, (_, n) => freshUser(ports, n)))
      await ports.ledger.hold({ uid: uids[7] ?? '', callId: 'c-1', hold: holdOf(4), holdsMax: 2 })
      const asked = [freshName('u-'), ...uids]
      expect(asked).toHaveLength(PROFILES_READ_MAX)
      const found = await ports.profiles.readAll(asked)
      expect([...found.keys()].sort()).toEqual([...uids].sort())
      expect(Object.keys(found.get(uids[7] ?? '')?.holds ?? {})).toEqual(['c-1'])
      for (const uid of uids) expect(found.get(uid)).toEqual(await ports.profiles.read(uid))
    })

    test('reading no users at once finds none', async () => {
      expect(await opened().profiles.readAll([])).toEqual(new Map())
    })

    test('a uid that is taken stays as it is', async () => {
      const { profiles } = opened()
      const profile = profileOf(freshName('u-'), { credits: 5 })
      await profiles.create(profile)
      expect(await profiles.create({ ...profile, credits: 9_000_000, username: 'eve' })).toBe(false)
      expect(await profiles.read(profile.uid)).toEqual(profile)
    })

    test('a single one of 20 creators at once of one uid creates', async () => {
      const { profiles } = opened()
      const uid = freshName('u-')
      const created = await atOnce(20, (index) =>
        profiles.create(profileOf(uid, { username: `user${index}` })),
      )
      expect(created.filter((won) => won)).toHaveLength(1)
      expect((await profiles.read(uid))?.username).toBe(`user${created.indexOf(true)}`)
    })

    test('a change writes the fields that it is given, and nothing else', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 9)
      const hold = holdOf(4)
      await ports.ledger.hold({ uid, callId: 'c-1', hold, holdsMax: 2 })
      const before = await ports.profiles.read(uid)
      const renamed = await ports.profiles.change(uid, { username: 'Ada 🎩' })
      const usernameBefore = before?.username
      expect(renamed).toEqual({ ...before, username: 'Ada 🎩', usernameBefore })
      const moved = await ports.profiles.change(uid, { tier: 'pro' })
      expect(moved).toEqual({ ...before, username: 'Ada 🎩', tier: 'pro' })
      expect(await ports.profiles.read(uid)).toEqual(moved)
      const both = await ports.profiles.change(uid, { username: 'ada', tier: 'free' })
      expect(both).toEqual({ ...before, usernameBefore: 'Ada 🎩' })
      expect(await ports.profiles.read(uid)).toEqual(before)
    })

    test('each of 8 renames at once tells which name it replaced, and each name is replaced once', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 1)
      const first = (await ports.profiles.read(uid))?.username
      const names = Array.from({ length: 8 }, (_, index) => `name${index}`)
      const changed = await atOnce(8, (index) =>
        ports.profiles.change(uid, { username: names[index] ?? '' }),
      )
      const replaced = changed.map((one) => (typeof one === 'object' ? one.usernameBefore : one))
      const last = (await ports.profiles.read(uid))?.username
      expect([...replaced, last].sort()).toEqual([first, ...names].sort())
      const again = await ports.profiles.change(uid, { username: last ?? '', tier: 'pro' })
      expect(again).not.toHaveProperty('usernameBefore')
    })

    test('groups are added and removed beside each other: none of 12 at once is lost', async () => {
      const { profiles } = opened()
      const uid = await freshUser(opened(), 0)
      await profiles.change(uid, { groups: ['old1', 'old2'] })
      const add = (group: string) => ({ addGroups: { groups: [group], max: 32 } })
      const answers = await atOnce(12, (index) =>
        profiles.change(uid, index < 10 ? add(`g${index}`) : { removeGroups: [`old${index - 9}`] }),
      )
      expect(answers).not.toContain(undefined)
      const wanted = Array.from({ length: 10 }, (_, index) => `g${index}`)
      expect((await profiles.read(uid))?.groups).toEqual(wanted)
      expect(await profiles.change(uid, { ...add('a'), removeGroups: wanted })).toMatchObject({
        groups: ['a'],
      })
    })

    test('groups up to the limit are added, and one past it changes nothing', async () => {
      const { profiles } = opened()
      const uid = await freshUser(opened(), 0)
      const add = (...groups: readonly string[]) => ({ addGroups: { groups, max: 3 } })
      expect(await profiles.change(uid, add('a', 'b', 'c'))).toMatchObject({
        groups: ['a', 'b', 'c'],
      })
      expect(await profiles.change(uid, { ...add('d'), tier: 'pro' })).toBe('groups_full')
      expect(await profiles.change(uid, { ...add('c', 'd'), removeGroups: ['a'] })).toMatchObject({
        groups: ['b', 'c', 'd'],
        tier: 'free',
      })
    })

    test('groups come back as they were created and changed, and an empty list leaves the field out', async () => {
      const { profiles } = opened()
      const profile = profileOf(freshName('u-'), { groups: ['finance', 'ops'] })
      await profiles.create(profile)
      expect(await profiles.read(profile.uid)).toEqual(profile)
      expect(await profiles.change(profile.uid, { groups: ['hr'] })).toMatchObject({
        groups: ['hr'],
      })
      expect(await profiles.change(profile.uid, { tier: 'pro' })).toMatchObject({ groups: ['hr'] })
      const { groups: _groups, ...without } = profile
      await profiles.change(profile.uid, { groups: [], tier: profile.tier })
      expect(await profiles.read(profile.uid)).toEqual(without)
    })

    test('the kind of list comes back as it was set, outlasts a hold, and null takes it away', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 5_000_000)
      expect(await ports.profiles.read(uid)).not.toHaveProperty('list')
      for (const list of ['search', 'all'] as const) {
        expect(await ports.profiles.change(uid, { list })).toMatchObject({ list })
      }
      await ports.ledger.hold({ uid, callId: 'c-1', hold: holdOf(1_000_000), holdsMax: 2 })
      await ports.profiles.change(uid, { tier: 'pro' })
      expect(await ports.profiles.read(uid)).toMatchObject({ list: 'all', tier: 'pro' })
      expect(await ports.profiles.change(uid, { list: null })).not.toHaveProperty('list')
      expect(await ports.profiles.read(uid)).not.toHaveProperty('list')
    })

    test('the groups of a user who places a hold stay in its profile', async () => {
      const { ledger, profiles } = opened()
      const profile = profileOf(freshName('u-'), { credits: 9, groups: ['ops'] })
      await profiles.create(profile)
      const held = await ledger.hold({
        uid: profile.uid,
        callId: 'c-1',
        hold: holdOf(4),
        holdsMax: 2,
      })
      expect(held.profile?.groups).toEqual(['ops'])
      const released = { uid: profile.uid, callId: 'c-1', giveBack: true }
      expect((await ledger.release(released))?.groups).toEqual(['ops'])
    })

    test('a disabled user gets no hold, and keeps the holds that were placed before', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 9)
      const [running, late] = [holdOf(4), holdOf(1)]
      await ports.ledger.hold({ uid, callId: 'c-1', hold: running, holdsMax: 2 })
      const disabled = { state: 'disabled', reason: 'unpaid', sinceMs: 7 } as const
      expect(await ports.profiles.change(uid, { disabled })).toMatchObject({ disabled, credits: 5 })
      const refused = await ports.ledger.hold({ uid, callId: 'c-2', hold: late, holdsMax: 2 })
      expect(refused).toMatchObject({ kind: 'refused', why: 'disabled', profile: { disabled } })
      const again = await ports.ledger.hold({ uid, callId: 'c-1', hold: running, holdsMax: 2 })
      expect(again).toMatchObject({ kind: 'held' })
      await ports.ledger.release({ uid, callId: 'c-1', giveBack: true })
      expect(await ports.profiles.read(uid)).toMatchObject({ credits: 9, holds: {}, disabled })
      const active = await ports.profiles.change(uid, { disabled: null })
      expect(active).toEqual(profileOf(uid, { credits: 9 }))
      const held = await ports.ledger.hold({ uid, callId: 'c-2', hold: late, holdsMax: 2 })
      expect(held.kind).toBe('held')
    })

    test('a user who is being deleted can only become deleted, and a deleted one nothing else', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 9)
      const deleting = { state: 'deleting', reason: 'leaves', sinceMs: 7 } as const
      const deleted = { state: 'deleted', reason: 'left', sinceMs: 8 } as const
      const first = await ports.profiles.change(uid, { disabled: deleting })
      expect(first).toMatchObject({ disabled: deleting })
      const refused = [{ disabled: null }, { username: 'eve' }, { identity: freshName('eve') }]
      for (const to of refused) expect(await ports.profiles.change(uid, to)).toEqual(first)
      const end = { username: 'deleted-1', tier: 'free', identity: null, disabled: deleted }
      const usernameBefore = profileOf(uid).username
      const { username: renamed } = end
      expect(await ports.profiles.change(uid, end)).toMatchObject({
        username: renamed,
        usernameBefore,
      })
      const tombstone = await ports.profiles.read(uid)
      expect(tombstone).toEqual(
        profileOf(uid, { credits: 9, username: 'deleted-1', disabled: deleted }),
      )
      for (const to of [...refused, { disabled: deleting }, { ...end, username: 'x' }]) {
        expect(await ports.profiles.change(uid, to)).toEqual(tombstone)
      }
      expect(await ports.profiles.create(profileOf(uid))).toBe(false)
    })

    test('an unknown user is not changed into one', async () => {
      const { profiles } = opened()
      const uid = freshName('u-')
      expect(await profiles.change(uid, { username: 'eve' })).toBeUndefined()
      expect(await profiles.read(uid)).toBeUndefined()
    })

    test('changes and holds at once lose nothing of each other', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 100)
      await Promise.all([
        ...Array.from({ length: 10 }, (_, index) =>
          ports.ledger.hold({ uid, callId: `c-${index}`, hold: holdOf(1), holdsMax: 32 }),
        ),
        ...Array.from({ length: 10 }, (_, index) =>
          ports.profiles.change(uid, index % 2 === 0 ? { username: 'eve' } : { tier: 'pro' }),
        ),
      ])
      const profile = await ports.profiles.read(uid)
      expect(profile).toMatchObject({ username: 'eve', tier: 'pro', credits: 90 })
      expect(Object.keys(profile?.holds ?? {})).toHaveLength(10)
    })

    test("the time of a user's own skills moves with every change of them, forward only, and nothing else moves", async () => {
      const ports = opened()
      const uid = await freshUser(ports, 7)
      await ports.profiles.noteSkillsChanged(uid, 1_000)
      expect(await ports.profiles.read(uid)).toEqual(
        profileOf(uid, { credits: 7, skillsChangedAtMs: 1_000 }),
      )
      await ports.profiles.noteSkillsChanged(uid, 1_000)
      await ports.profiles.noteSkillsChanged(uid, 999)
      expect((await ports.profiles.read(uid))?.skillsChangedAtMs).toBe(1_002)
      await ports.profiles.noteSkillsChanged(uid, 1_100)
      expect((await ports.profiles.read(uid))?.skillsChangedAtMs).toBe(1_100)
    })

    test('a change of skills of an unknown user makes none', async () => {
      const { profiles } = opened()
      const uid = freshName('u-')
      await profiles.noteSkillsChanged(uid, 1_000)
      expect(await profiles.read(uid)).toBeUndefined()
    })
  })
}
