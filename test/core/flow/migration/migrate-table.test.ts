/**
 * The migration of the table in steps, and administrators' requests for users that it has not
 * reached.
 */
import { describe, expect, test } from 'vitest'
import { type MigrateReport, migrateTable } from '../../../../core/flow/migration/migrate-table.ts'
import { migrateUser } from '../../../../core/flow/migration/migrate-user.ts'
import { withMigration } from '../../../../core/flow/migration/with-migration.ts'
import { grantCredits } from '../../../../core/flow/users/grant-credits.ts'
import { issueKey } from '../../../../core/flow/users/manage-keys.ts'
import { createUser, patchUser } from '../../../../core/flow/users/manage-users.ts'
import { showUser } from '../../../../core/flow/users/show-user.ts'
import { toIdentifier } from '../../../../core/json/identifier-text.ts'
import { freshHash } from '../../../contracts/fresh.ts'
import { number, text } from '../../../contracts/v0-service.ts'
import { okOf, refusalOf } from '../world.ts'
import { OLD_HASH, type V0World, v0World } from './v0-world.ts'

/**
 * Ada with all three records, bob with a tier, cid with a key alone, dan with an invalid amount.
 */
async function table(): Promise<V0World> {
  const world = await v0World()
  await world.old.put('tier', 'bob', text('small'))
  await world.old.put('key', Buffer.from(freshHash(), 'base64url').toString('hex'), text('cid'))
  await world.old.put('credits', 'dan', text('much'))
  return world
}

const DAN = {
  record: 'credits:dan',
  message: 'is not a decimal number; write a number of credits such as 12.5',
}

async function allSteps(world: V0World, limit: number, dryRun = false) {
  const reports: MigrateReport[] = []
  let cursor: string | undefined
  do {
    const report = okOf(await migrateTable(world.ports, { cursor, dryRun, limit }))
    reports.push(report)
    cursor = report.nextCursor
  } while (cursor !== undefined && reports.length < 100)
  const sum = (what: 'moved' | 'folded' | 'credits') =>
    reports.reduce((all, report) => all + report[what], 0)
  return {
    moved: sum('moved'),
    folded: sum('folded'),
    credits: sum('credits'),
    steps: reports.length,
    skipped: reports.flatMap(({ skipped }) => skipped),
  }
}

describe('a migration of the whole table', () => {
  test.each([
    [1, 18],
    [4, 4],
    [1_000, 1],
  ])(
    'by steps of %i moves every user and key, and names those that it cannot move',
    async (limit, steps) => {
      const world = await table()
      const done = await allSteps(world, limit)
      // Four users, two keys.
      expect(done).toEqual({ moved: 6, folded: 0, credits: 12.5, steps, skipped: [DAN] })
      expect((await world.profile('ada')).credits).toBe(12_500_000)
      expect((await world.profile('bob')).tier).toBe('small')
      expect(await world.ports.keys.list('cid')).toHaveLength(1)
    },
  )

  test.each([1, 4, 1_000])(
    'by dry steps of %i reports the same and writes nothing',
    async (limit) => {
      const world = await table()
      const report = await allSteps(world, limit, true)
      expect(report).toMatchObject({ moved: 6, folded: 0, credits: 12.5, skipped: [DAN] })
      expect((await world.ports.v0.read('ada')).profile).toBeUndefined()
      expect(await world.ports.keys.list('ada')).toEqual([])
      expect(world.log.events()).toEqual([])
    },
  )

  test('a second time moves nothing, folds in late credits, and names the same records', async () => {
    const world = await table()
    await allSteps(world, 1_000)
    await world.old.add('ada', 500_000)
    const dry = await allSteps(world, 1_000, true)
    expect(dry).toMatchObject({ moved: 0, folded: 1, credits: 0.5, skipped: [DAN] })
    const done = await allSteps(world, 1_000)
    expect(done).toMatchObject({ moved: 0, folded: 1, credits: 0.5, skipped: [DAN] })
    expect(await allSteps(world, 1_000)).toMatchObject({ moved: 0, folded: 0, credits: 0 })
  })

  test('names keys that are no sha256 or have no valid user', async () => {
    const world = await v0World({})
    await world.old.put('key', 'abc', text('ada'))
    const keyHash = freshHash()
    await world.old.put('key', keyHash, { kind: 'other' })
    const long = `a ${'b'.repeat(44)}`
    await world.old.put('tier', long, text('small'))
    for (const dryRun of [true, false]) {
      const { skipped, moved } = await allSteps(world, 1_000, dryRun)
      expect(moved).toBe(0)
      expect(skipped.map(({ record }) => record).sort()).toEqual(
        [`user:uid:${keyHash}`, `user "${long}"`, 'user:uid:abc'].sort(),
      )
    }
  })

  test.each(['ada@example.com', 'auth0|5f7c', 'a.b:c', 'a b'])(
    'moves the user %j under an id that leads back to it',
    async (old) => {
      const world = await v0World({})
      const keyHash = freshHash()
      await world.old.put('credits', old, number('12.5'))
      await world.old.put('tier', old, text('small'))
      await world.old.put('key', keyHash, text(old))
      const uid = toIdentifier(old) ?? ''
      expect(await allSteps(world, 1_000, true)).toMatchObject({
        moved: 2,
        credits: 12.5,
        skipped: [],
      })
      expect(await allSteps(world, 1_000)).toMatchObject({ moved: 2, credits: 12.5, skipped: [] })
      expect(await world.profile(uid)).toMatchObject({
        uid,
        username: old,
        tier: 'small',
        credits: 12_500_000,
      })
      expect(await world.ports.keys.find(keyHash)).toMatchObject({ uid })
      expect(await allSteps(world, 1_000)).toMatchObject({ moved: 0, credits: 0, skipped: [] })
    },
  )

  test('names an invalid tier before the move and after it, until the record is gone', async () => {
    const world = await v0World({})
    await world.old.put('tier', 'bad', text('not a tier'))
    const none = 'is not a tier name (1 to 64 characters of A-Z, a-z, 0-9, - and _)'
    const before = `${none}; the user is moved with the tier free; write a tier name first, or set one afterwards`
    const after = `${none}; the user was moved already, so this record is not read again; check the tier of the user, then delete this record`
    const named = (message: string) => [{ record: 'tier:bad', message }]
    expect((await allSteps(world, 1_000, true)).skipped).toEqual(named(before))
    expect(await allSteps(world, 1_000)).toMatchObject({ moved: 1, skipped: named(before) })
    expect((await world.profile('bad')).tier).toBe('free')
    expect((await allSteps(world, 1_000)).skipped).toEqual(named(after))
    expect((await allSteps(world, 1_000, true)).skipped).toEqual(named(after))
    await world.old.put('tier', 'bad', text('small'))
    expect((await allSteps(world, 1_000)).skipped).toEqual([])
  })

  test('with close ends the search for late credits, and a later run still folds them in', async () => {
    const world = await table()
    await allSteps(world, 1_000)
    expect(refusalOf(await migrateTable(world.ports, { dryRun: true, close: true }))).toEqual({
      code: 'invalid_arguments',
      detail: '/close: cannot be sent together with dryRun; leave one of them out',
      faults: [
        {
          pointer: '/close',
          message: 'cannot be sent together with dryRun; leave one of them out',
        },
      ],
    })
    expect((await world.profile('ada')).v0).toBe('moved')
    okOf(await migrateTable(world.ports, { dryRun: false, close: true }))
    for (const uid of ['ada', 'bob', 'cid']) {
      expect((await world.profile(uid)).v0).toBeUndefined()
    }
    await world.old.add('ada', 1_000_000)
    expect(await allSteps(world, 1_000)).toMatchObject({ folded: 1, credits: 1 })
  })
})

describe('a step', () => {
  test('reads 1 to 1000 records', async () => {
    const world = await table()
    for (const limit of [0, 1_001, 1.5, Number.NaN]) {
      expect(refusalOf(await migrateTable(world.ports, { dryRun: true, limit }))).toEqual({
        code: 'invalid_arguments',
        detail: '/limit: must be a whole number from 1 to 1000',
        faults: [{ pointer: '/limit', message: 'must be a whole number from 1 to 1000' }],
      })
    }
    okOf(await migrateTable(world.ports, { dryRun: true, limit: 1_000 }))
    okOf(await migrateTable(world.ports, { dryRun: true, limit: 1 }))
  })

  test.each(['', 'x', '!', 'MTol', 'a'.repeat(5_000)])('refuses cursor %j', async (cursor) => {
    const world = await table()
    expect(refusalOf(await migrateTable(world.ports, { dryRun: true, cursor })).detail).toBe(
      '/cursor: must be the nextCursor of an earlier answer to the same request, unchanged; leave it out to start at the beginning',
    )
  })
})

describe('an administrator', () => {
  async function healed() {
    const world = await v0World()
    return { world, ports: { ...world.ports, ...withMigration(world.ports) } }
  }

  test('who looks up a user moves it', async () => {
    const { ports, world } = await healed()
    const shown = okOf(await showUser(ports, 'ada'))
    expect(shown).toMatchObject({ uid: 'ada', tier: 'small', credits: 12.5 })
    expect((await world.ports.v0.read('ada')).profile?.credits).toBe(12_500_000)
  })

  test('who grants credits adds them to the moved ones', async () => {
    const { ports } = await healed()
    const body = { grantId: 'g1', amount: 1 }
    expect(okOf(await grantCredits(ports, 'ada', body)).user.credits).toBe(13.5)
    expect(okOf(await grantCredits(ports, 'ada', body)).user.credits).toBe(13.5)
  })

  test('who renames a user renames the moved one', async () => {
    const { ports } = await healed()
    const renamed = okOf(await patchUser(ports, 'ada', { username: 'Ada L.' }))
    expect(renamed.user).toMatchObject({ username: 'Ada L.', credits: 12.5 })
  })

  test('who issues a key moves its user first', async () => {
    const { ports, world } = await healed()
    okOf(await issueKey(ports, 'ada'))
    expect((await world.ports.v0.read('ada')).profile?.v0).toBe('moved')
  })

  test('who creates a user with the same id is told that it is taken', async () => {
    const { ports } = await healed()
    const made = await createUser(ports, { username: 'eve', uid: 'ada' })
    expect(refusalOf(made).code).toBe('conflict')
    expect(okOf(await showUser(ports, 'ada')).credits).toBe(12.5)
  })

  test('gets 404 for a user in neither service', async () => {
    const { ports } = await healed()
    expect(refusalOf(await showUser(ports, 'eve')).code).toBe('not_found')
    const body = { grantId: 'g1', amount: 1 }
    expect(refusalOf(await grantCredits(ports, 'eve', body)).code).toBe('not_found')
    expect(refusalOf(await patchUser(ports, 'eve', { tier: 'small' })).code).toBe('not_found')
  })

  test('who revokes a moved key removes its old record, too', async () => {
    const { ports, world } = await healed()
    await ports.keys.find(OLD_HASH)
    await migrateUser(world.ports, { uid: 'ada' })
    okOf(await migrateTable(world.ports, { dryRun: false }))
    expect(await ports.keys.revoke({ uid: 'ada', keyHash: OLD_HASH })).toBe(true)
    expect(await ports.keys.find(OLD_HASH)).toBeUndefined()
    expect(await world.old.read('key', OLD_HASH)).toBeUndefined()
    expect(await world.old.read('credits', 'ada')).toEqual(number('0'))
  })
})
