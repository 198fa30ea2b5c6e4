import { beforeEach, describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import { Fault } from '../../../../core/errors.ts'
import { openSession } from '../../../../core/flow/sse/open-session.ts'
import { DELETE_MS_MAX, deleteUser } from '../../../../core/flow/users/delete-user.ts'
import { grantCredits } from '../../../../core/flow/users/grant-credits.ts'
import { patchUser } from '../../../../core/flow/users/manage-users.ts'
import { askAdmin } from '../../../lambdas/admin/admin-client.ts'
import { execute, problemIn, run } from '../caller.ts'
import { keyFor, makeWorld, okOf, refusalOf, type World } from '../world.ts'

let world: World
let ada: string

beforeEach(async () => {
  world = await populated()
  ada = await keyFor(world, 'ada')
})

/** Ada has something of everything; bob has the same and keeps it. */
async function populated(): Promise<World> {
  const made = makeWorld()
  await made.skill('sg_weather')
  for (const uid of ['ada', 'bob']) {
    const key = await made.user(uid)
    await keyFor(made, uid)
    await made.skill(`sg_own_${uid}`, { source: 'private', uid })
    await made.skill(`sg_two_${uid}`, { source: 'private', uid })
    const body = { value: 'correct horse battery staple' }
    for (const query of ['', `skill=sg_own_${uid}`]) {
      await askAdmin(made, 'PUT', `/users/${uid}/secrets/API_KEY`, { body, query })
    }
    okOf(await patchUser(made.ports, uid, { identity: `${uid}@example.com` }))
    await askAdmin(made, 'PATCH', `/users/${uid}`, { body: { username: uid } })
    okOf(await openSession(made.ports, made.settings, credentialOf(key)))
    await run(made, key, 'sg_weather')
    const grant = { grantId: 'thanks', amount: 0.5, reason: `for ${uid}'s talk` }
    okOf(await grantCredits(made.ports, uid, grant))
    await made.ports.callExcerpts.put({
      uid,
      callId: 'failed',
      text: `dear ${uid}`,
      expiresAtMs: made.clock.nowMs() + 1_000_000,
    })
  }
  return made
}

/** All that is left of a user, and what others see of it. */
async function remains(of: World, uid: string) {
  const { ports } = of
  const profile = await ports.profiles.read(uid)
  const keys = await ports.keys.list(uid)
  const hashes = new Set(keys.map(({ keyHash }) => keyHash))
  const leases = await ports.leases.list(of.clock.nowMs())
  return {
    state: profile?.disabled?.state,
    identity: profile?.identity,
    tier: profile?.tier,
    credits: profile?.credits,
    keys: keys.length,
    streams: leases.filter(({ keyHash }) => hashes.has(keyHash)).length,
    secrets: (await ports.secrets.list(uid)).length,
    skills: (await ports.skills.list({ source: 'private', uid, limit: 10 })).records.length,
    claims: (await ports.usernames.read(uid)).uids.length,
    owner: await ports.userDirectory.uidOf(`${uid}@example.com`),
    outcomes: (await ports.ledger.list({ uid, limit: 10 })).outcomes.length,
    grants: (await ports.ledger.grants({ uid, limit: 10 })).grants.map(
      ({ grantId, reason }) => `${grantId} ${reason ?? ''}`,
    ),
    excerpt: await ports.callExcerpts.find({ uid, callId: 'failed' }),
  }
}

const NOTHING = {
  state: 'deleted',
  identity: undefined,
  tier: 'free',
  credits: 99_500_000,
  keys: 0,
  streams: 0,
  secrets: 0,
  skills: 0,
  claims: 0,
  owner: undefined,
  outcomes: 1,
  grants: ['initial ', 'thanks '],
  excerpt: undefined,
}

describe('a deleted user', () => {
  test('has nothing left but a tombstone with credits and the ledger, and others lose nothing', async () => {
    const bob = await remains(world, 'bob')
    expect(okOf(await deleteUser(world.ports, 'ada'))).toBe('deleted')
    expect(await remains(world, 'ada')).toEqual(NOTHING)
    expect(await remains(world, 'bob')).toEqual(bob)
    expect(bob.grants).toEqual(['initial ', "thanks for bob's talk"])
    expect(bob).toMatchObject({
      excerpt: 'dear bob',
      keys: 2,
      streams: 1,
      secrets: 2,
      skills: 2,
      claims: 1,
    })
    expect((await world.profile('ada')).username).toMatch(/^deleted-[\w-]{12}$/)
  })

  test('leaves open sessions ended, so that a POST to one is refused', async () => {
    const opened = okOf(await openSession(world.ports, world.settings, credentialOf(ada)))
    await deleteUser(world.ports, 'ada')
    expect((await world.ports.sessions.read(opened.session.hash))?.endedAtMs).toBeDefined()
  })

  test('gives username, identity and tool names to others, and never the uid', async () => {
    await deleteUser(world.ports, 'ada')
    const again = { uid: 'ada', username: 'ada' }
    expect((await askAdmin(world, 'POST', '/users', { body: again })).status).toBe(409)
    const body = { uid: 'ada2', username: 'ada', identity: 'ada@example.com' }
    const made = await askAdmin(world, 'POST', '/users', { body })
    expect([made.status, made.json['warnings']]).toEqual([201, undefined])
  })

  test('gets no key, secret, skill or name any more', async () => {
    await deleteUser(world.ports, 'ada')
    const secret = { body: { value: 'correct horse battery staple' } }
    const skill = JSON.stringify({ id: 'sg_x', source: 'private', meta: {}, config: {} })
    const answers = await Promise.all([
      askAdmin(world, 'POST', '/users/ada/keys'),
      askAdmin(world, 'PUT', '/users/ada/secrets/API_KEY', secret),
      askAdmin(world, 'PATCH', '/users/ada', { body: { state: 'active' } }),
      askAdmin(world, 'PATCH', '/users/ada', { body: { username: 'ada' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 409])
    const synced = await askAdmin(world, 'POST', '/sync_skill', { query: 'uid=ada', body: skill })
    expect(synced.status).toBeGreaterThanOrEqual(400)
    expect(await remains(world, 'ada')).toEqual(NOTHING)
  })

  test('takes no grant and no correction, alone or in a batch', async () => {
    await deleteUser(world.ports, 'ada')
    const before = await world.profile('ada')
    const grants = [
      { grantId: 'gift', amount: 5 },
      { grantId: 'initial', amount: 100 },
      { grantId: 'back', amount: -1_000, reason: 'debt', allowNegative: true },
    ]
    for (const body of grants) {
      const answer = await askAdmin(world, 'POST', '/users/ada/credits', { body })
      expect([answer.status, answer.json['code']]).toEqual([404, 'not_found'])
      expect(answer.json['detail']).toContain('was deleted, and takes no grants or corrections')
    }
    const lines = grants.map((grant) => JSON.stringify({ uid: 'ada', ...grant })).join('\n')
    const batch = await askAdmin(world, 'POST', '/credits:batch', { body: lines })
    expect(batch.json['results']).toMatchObject([{ status: 404 }, { status: 404 }, { status: 404 }])
    expect(await world.profile('ada')).toEqual(before)
  })

  test('has no excerpt shown, even one that a late call left', async () => {
    world.upstream.next({ kind: 'answer', status: 500, body: 'dear ada' })
    const late = problemIn(await run(world, ada, 'sg_weather'))
    const path = `/calls/${late.callId}`
    const query = 'user=ada'
    const expiresAtMs = world.clock.nowMs() + 1_000_000
    await deleteUser(world.ports, 'ada')
    await world.ports.callExcerpts.put({
      uid: 'ada',
      callId: late.callId ?? '',
      text: 'dear ada',
      expiresAtMs,
    })
    const shown = await askAdmin(world, 'GET', path, { query })
    expect(shown.status).toBe(200)
    expect(shown.json['excerpt']).toBeUndefined()
    expect(shown.json['username']).toMatch(/^deleted-/)
  })

  test('can be deleted again, and one who never was is not found', async () => {
    await deleteUser(world.ports, 'ada')
    const before = await world.profile('ada')
    expect(okOf(await deleteUser(world.ports, 'ada'))).toBe('deleted')
    expect(await world.profile('ada')).toEqual(before)
    expect(refusalOf(await deleteUser(world.ports, 'eve')).code).toBe('not_found')
  })
})

describe('a deletion that dies', () => {
  test('before or after any request to the store is finished by the next one', async () => {
    let crashes = 0
    for (const when of ['before', 'after'] as const) {
      for (let nth = 1; await isFinishedAfterCrash(nth, when); nth += 1) crashes += 1
    }
    // 2 keys, 2 secrets, 2 skills, 1 stream, and what is read before each.
    expect(crashes).toBeGreaterThan(30)
  })

  test('of lack of time says so, and goes on where it is sent again', async () => {
    const { secrets } = world.ports
    let slow = true
    world.ports.secrets = {
      ...secrets,
      remove: async (place) => {
        if (slow) await world.clock.advance(DELETE_MS_MAX)
        return secrets.remove(place)
      },
    }
    expect(okOf(await deleteUser(world.ports, 'ada'))).toBe('deleting')
    expect(await remains(world, 'ada')).toMatchObject({ state: 'deleting', secrets: 1, skills: 2 })
    const refused = problemIn(await run(world, ada, 'sg_weather'))
    expect(['unauthenticated', 'user_disabled']).toContain(refused.code)
    slow = false
    expect(okOf(await deleteUser(world.ports, 'ada'))).toBe('deleted')
    expect(await remains(world, 'ada')).toEqual(NOTHING)
  })
})

describe('a call that runs when its user is deleted', () => {
  test('is charged or refunded once, and the sum stays explained', async () => {
    for (const status of [200, 500]) {
      const one = await populated()
      const key = await keyFor(one, 'ada')
      one.upstream.next({ kind: 'answer', status, afterMs: 1_000 })
      const running = execute(one, key, 'sg_weather')
      await one.clock.settle()
      expect(await one.credits('ada')).toEqual({ free: 98.5, held: 1 })
      expect(okOf(await deleteUser(one.ports, 'ada'))).toBe('deleted')
      await one.clock.advance(1_000)
      const { after } = await running
      await runSteps(after)
      expect(await one.credits('ada')).toEqual({ free: status === 200 ? 98.5 : 99.5, held: 0 })
      const { outcomes } = await one.ports.ledger.list({ uid: 'ada', limit: 10 })
      expect(outcomes.map(({ state }) => state).sort()).toEqual([
        ...(status === 200 ? ['settled'] : ['refunded']),
        'settled',
      ])
    }
  })
})

/** False when there is no nth request to die at. */
async function isFinishedAfterCrash(nth: number, when: 'after' | 'before'): Promise<boolean> {
  const one = await populated()
  const died = await deleteUser(dyingAt(one, nth, when), 'ada').then(
    () => false,
    () => true,
  )
  if (!died) return false
  const state = (await one.profile('ada')).disabled?.state
  // From the first write on no call is served, wherever it died.
  if (nth > 2) expect(state).toMatch(/^delet/)
  expect(okOf(await deleteUser(one.ports, 'ada'))).toBe('deleted')
  expect(await remains(one, 'ada')).toEqual(NOTHING)
  expect(await remains(one, 'bob')).toMatchObject({ keys: 2, secrets: 2, skills: 2 })
  return true
}

/** The ports of a process that dies at its nth request to the store, before or after it is done. */
function dyingAt({ ports }: World, nth: number, when: 'after' | 'before'): World['ports'] {
  let asked = 0
  const names = [
    'keys',
    'leases',
    'profiles',
    'secrets',
    'sessions',
    'skills',
    'usernames',
  ] as const
  const dying = names.map((name) => {
    const port: object = ports[name]
    const methods = Object.entries(port).map(([method, work]) => [
      method,
      async (...given: readonly unknown[]) => {
        asked += 1
        const dies = asked === nth
        if (dies && when === 'before') throw new Fault('store_unavailable', 'killed')
        const answer: unknown = await Reflect.apply(work, port, given)
        if (dies) throw new Fault('store_unavailable', 'killed')
        return answer
      },
    ])
    return [name, Object.fromEntries(methods)]
  })
  return { ...ports, ...Object.fromEntries(dying) }
}
