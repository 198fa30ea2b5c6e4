/** Contract of the port UserDirectory, which reads what Profiles has written. */
import { beforeAll, describe, expect, test } from 'vitest'
import { DIRECTORY_READ_MAX, type UserPlace } from '../../core/access/user-directory.ts'
import type { StorePorts } from '../../core/ports/ports.ts'
import { USER_GROUPS_MAX } from '../../core/skills/group-names.ts'
import { atOnce, freshName, profileOf } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

const CLOSED = { state: 'disabled', reason: 'unpaid', sinceMs: 7 } as const
const GONE = { state: 'deleted', reason: 'gone', sinceMs: 8 } as const

export function describeUserDirectory(name: string, makePorts: MakePorts): void {
  describe(`${name}: user directory`, () => {
    const opened = openedPorts(makePorts)

    describe('the order of users', () => {
      // Sorts by UTF-8 bytes: é behind every ASCII letter, the fullwidth A before the hat.
      const NAMES = ['ada', 'Ada B', 'ADA C', 'adam', 'é', 'Ａ', '🎩']
      const prefix = freshName('order')
      beforeAll(async () => {
        for (const name of NAMES.toReversed()) await create(opened(), `${prefix}${name}`)
      })

      test('is that of the folded names, by code points, and a page goes on where the last ended', async () => {
        const expected = NAMES.map((one) => `${prefix}${one}`)
        expect(await namesIn(opened(), { prefix })).toEqual([expected])
        expect(await namesIn(opened(), { prefix }, 3)).toEqual([
          expected.slice(0, 3),
          expected.slice(3, 6),
          expected.slice(6),
        ])
      })

      test('a prefix finds the names that begin with it', async () => {
        const found = await namesIn(opened(), { prefix: `${prefix}ada ` })
        expect(found).toEqual([[`${prefix}Ada B`, `${prefix}ADA C`]])
        expect(await namesIn(opened(), { prefix: `${prefix}x` })).toEqual([[]])
      })

      test('users of one name come by uid, each once', async () => {
        const username = freshName('twins')
        const uids = await atOnce(5, () => create(opened(), username))
        const seen: string[] = []
        let after: UserPlace | undefined
        do {
          const page = await opened().userDirectory.page({ prefix: username, after, limit: 2 })
          seen.push(...page.users.map(({ uid }) => uid))
          after = page.next
        } while (after !== undefined)
        expect(seen).toEqual([...uids].sort())
      })
    })

    test('a user is listed with what lists show, and follows each change at once', async () => {
      const ports = opened()
      const username = freshName('Grace')
      const prefix = username.toLowerCase()
      const uid = await create(ports, username, { tier: 'pro' })
      const listed = { uid, username, tier: 'pro', state: 'active', createdAtMs: 1_999_999_000_000 }
      expect(await usersIn(ports, { prefix })).toEqual([listed])
      const identity = `${freshName('Grace')}@Example.com`
      const renamed = `${username} Hopper`
      await ports.profiles.change(uid, { username: renamed, tier: 'free', identity })
      const now = { ...listed, username: renamed, tier: 'free', identity }
      expect(await usersIn(ports, { prefix })).toEqual([now])
      await ports.profiles.change(uid, { disabled: CLOSED })
      expect(await usersIn(ports, { prefix })).toEqual([{ ...now, state: 'disabled' }])
      await ports.profiles.change(uid, { disabled: null, identity: null })
      const { identity: _gone, ...without } = now
      expect(await usersIn(ports, { prefix })).toEqual([without])
    })

    test('20 changes at once of one user leave one entry, of the name that was written last', async () => {
      const ports = opened()
      const prefix = freshName('racer')
      const uid = await create(ports, prefix)
      await atOnce(20, (index) => ports.profiles.change(uid, { username: `${prefix}${index}` }))
      const profile = await ports.profiles.read(uid)
      expect((await usersIn(ports, { prefix })).map(({ username }) => username)).toEqual([
        profile?.username,
      ])
    })

    test('filters leave out other tiers and states, and deleted users unless asked for', async () => {
      const ports = opened()
      const prefix = freshName('filter')
      const [tier, other] = [freshName('t'), freshName('t')]
      const active = await create(ports, `${prefix}1`, { tier })
      const closed = await create(ports, `${prefix}2`, { tier })
      const gone = await create(ports, `${prefix}3`, { tier })
      const elsewhere = await create(ports, `${prefix}4`, { tier: other })
      await ports.profiles.change(closed, { disabled: CLOSED })
      await ports.profiles.change(gone, { disabled: GONE })
      const uids = async (filter: object) =>
        (await usersIn(ports, { prefix, ...filter })).map(({ uid }) => uid)
      expect(await uids({})).toEqual([active, closed, elsewhere])
      expect(await uids({ tier })).toEqual([active, closed])
      expect(await uids({ tier, state: 'active' })).toEqual([active])
      expect(await uids({ state: 'active' })).toEqual([active, elsewhere])
      expect(await uids({ tier, state: 'disabled' })).toEqual([closed])
      expect(await uids({ tier: other, state: 'disabled' })).toEqual([])
      expect(await uids({ state: 'deleted' })).toEqual([gone])
      expect(await uids({ state: 'deleting' })).toEqual([])
    })

    test('a group lists its users, alone and with tier and state, and follows each change', async () => {
      const ports = opened()
      const prefix = freshName('grouped')
      const [finance, sales, tier] = [freshName('Fin'), freshName('sal'), freshName('t')]
      const both = await create(ports, `${prefix}1`, { groups: [finance, sales] })
      const pro = await create(ports, `${prefix}2`, { tier, groups: [finance] })
      await create(ports, `${prefix}3`, { tier })
      const uids = async (filter: object) =>
        (await usersIn(ports, { prefix, ...filter }, 1)).map(({ uid }) => uid)
      expect(await uids({ group: finance })).toEqual([both, pro])
      expect(await uids({ group: sales })).toEqual([both])
      expect(await uids({ group: finance, tier })).toEqual([pro])
      expect(await uids({ group: finance.toLowerCase() })).toEqual([])
      expect(await usersIn(ports, { prefix, group: sales })).toMatchObject([
        { uid: both, groups: [finance, sales] },
      ])
      await ports.profiles.change(both, { username: `${prefix}9` })
      expect(await uids({ group: finance })).toEqual([pro, both])
      await ports.profiles.change(pro, { disabled: CLOSED, groups: [sales] })
      expect(await uids({ group: finance })).toEqual([both])
      expect(await uids({ group: sales })).toEqual([pro, both])
      expect(await uids({ group: sales, state: 'disabled' })).toEqual([pro])
      expect(await uids({ group: sales, state: 'active' })).toEqual([both])
      expect(await uids({ group: sales, state: 'active', tier })).toEqual([])
      await ports.profiles.change(pro, { disabled: GONE, groups: [] })
      expect(await uids({ group: sales })).toEqual([both])
      await ports.profiles.change(both, { groups: [] })
      expect(await uids({ group: sales })).toEqual([])
      expect(await uids({ group: finance })).toEqual([])
    })

    test('a user in as many groups as one may have is listed by each, before and after a change of all', async () => {
      const ports = opened()
      const prefix = freshName('groups')
      const named = (from: number) =>
        Array.from({ length: USER_GROUPS_MAX }, (_, index) => `g${from + index}`)
      const uid = await create(ports, prefix, { groups: named(0) })
      const listedBy = async (group: string) =>
        (await usersIn(ports, { prefix, group })).map((user) => user.uid)
      expect([await listedBy('g0'), await listedBy('g31')]).toEqual([[uid], [uid]])
      await ports.profiles.change(uid, {
        groups: named(100),
        username: `${prefix}2`,
        tier: 'pro',
        identity: freshName('id-'),
        disabled: CLOSED,
      })
      expect([await listedBy('g0'), await listedBy('g31')]).toEqual([[], []])
      expect([await listedBy('g100'), await listedBy('g131')]).toEqual([[uid], [uid]])
    })

    test('20 changes of groups at once leave the entries of the groups that stand', async () => {
      const ports = opened()
      const prefix = freshName('joiner')
      const uid = await create(ports, prefix, { groups: ['g0'] })
      await atOnce(20, (index) => ports.profiles.change(uid, { groups: [`g${index}`] }))
      const { groups = [] } = (await ports.profiles.read(uid)) ?? {}
      for (let index = 0; index < 20; index += 1) {
        const found = await usersIn(ports, { prefix, group: `g${index}` })
        expect(found.length).toBe(groups.includes(`g${index}`) ? 1 : 0)
      }
    })

    test('a filter that leaves out most is answered to the end, page by page', async () => {
      const ports = opened()
      const prefix = freshName('sparse')
      const tier = freshName('t')
      const closed: string[] = []
      for (let index = 0; index < 30; index += 1) {
        const uid = await create(ports, `${prefix}${String(index).padStart(2, '0')}`, { tier })
        if (index % 10 === 9) closed.push(uid)
      }
      for (const uid of closed) await ports.profiles.change(uid, { disabled: CLOSED })
      const found = await usersIn(ports, { prefix, tier, state: 'active' }, 4)
      expect(found).toHaveLength(27)
      const disabled = await usersIn(ports, { prefix, state: 'disabled' }, 2)
      expect(disabled.map(({ uid }) => uid)).toEqual(closed)
      expect(DIRECTORY_READ_MAX).toBe(1_000)
    })

    test('an identity finds its user, whatever its case, until it is taken away', async () => {
      const ports = opened()
      const uid = await create(ports, freshName('ada'))
      const identity = `${freshName('Ada')}@Example.com`
      expect(await ports.userDirectory.uidOf(identity)).toBeUndefined()
      expect(await ports.profiles.change(uid, { identity })).toMatchObject({ uid, identity })
      expect(await ports.userDirectory.uidOf(identity.toUpperCase())).toBe(uid)
      await ports.profiles.change(uid, { identity: `new-${identity}` })
      expect(await ports.userDirectory.uidOf(identity)).toBeUndefined()
      await ports.profiles.change(uid, { identity: null })
      expect(await ports.userDirectory.uidOf(`new-${identity}`)).toBeUndefined()
    })

    test('a single one of 20 users who want one identity at once gets it', async () => {
      const ports = opened()
      const uids = await atOnce(20, () => create(ports, freshName('ada')))
      const identity = freshName('one-')
      const changed = await Promise.all(
        uids.map((uid) => ports.profiles.change(uid, { identity, tier: 'pro' })),
      )
      const winner = await ports.userDirectory.uidOf(identity)
      const won = uids.filter((_, index) => changed[index] !== 'identity_taken')
      expect(won).toEqual([winner])
      const profiles = await Promise.all(uids.map((uid) => ports.profiles.read(uid)))
      const tiers = profiles.map((profile) => `${profile?.identity ?? '-'} ${profile?.tier}`)
      expect(tiers.filter((one) => one === `${identity} pro`)).toHaveLength(1)
      expect(tiers.filter((one) => one === '- free')).toHaveLength(19)
    })

    test('an identity that was given up can be taken by another user', async () => {
      const ports = opened()
      const [one, other] = await atOnce(2, () => create(ports, freshName('ada')))
      const identity = freshName('passed-')
      await ports.profiles.change(String(one), { identity })
      expect(await ports.profiles.change(String(other), { identity })).toBe('identity_taken')
      await ports.profiles.change(String(one), { disabled: GONE, identity: null })
      expect(await ports.profiles.change(String(other), { identity })).toMatchObject({ identity })
    })
  })
}

async function create(
  ports: StorePorts,
  username: string,
  more: { readonly tier?: string; readonly groups?: readonly string[] } = {},
): Promise<string> {
  const uid = freshName('u-')
  await ports.profiles.create(profileOf(uid, { username, ...more }))
  return uid
}

type Query = Omit<Parameters<StorePorts['userDirectory']['page']>[0], 'after' | 'limit'>

/** All pages, each with `limit` users at most. */
async function pagesOf(ports: StorePorts, query: Query, limit = 50) {
  const pages = []
  let after: UserPlace | undefined
  do {
    const page = await ports.userDirectory.page({ ...query, after, limit })
    expect(page.users.length).toBeLessThanOrEqual(limit)
    pages.push(page.users)
    after = page.next
  } while (after !== undefined)
  return pages
}

async function namesIn(ports: StorePorts, query: Query, limit?: number) {
  const pages = await pagesOf(ports, query, limit)
  return pages.map((users) => users.map(({ username }) => username))
}

async function usersIn(ports: StorePorts, query: Query, limit?: number) {
  return (await pagesOf(ports, query, limit)).flat()
}
