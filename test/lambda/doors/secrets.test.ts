// Users' secrets as deployed: sealed by the admin bundle, opened by the execute bundle, with a KMS
// between them that can fail; calls without secrets never ask it.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openBareStream, toolCall } from './agents.ts'
import {
  creditsAfterwards,
  lockedSkill,
  newUser,
  setSecret,
  syncSkill,
  syncSkills,
  type User,
} from './people.ts'
import { startWorld, type World } from './world.ts'

const VALUE = 'correct horse battery staple'

let world: World
beforeAll(async () => {
  world = await startWorld()
  await syncSkills(world)
  await syncSkill(world, lockedSkill(world))
})
afterEach(() => {
  world.kms.failWith = undefined
})
afterAll(async () => {
  // Whatever failed: the value is in no log.
  for (const door of ['sse', 'messages', 'execute', 'admin'] as const) {
    expect(world[door].log()).not.toContain(VALUE)
  }
  await world.stop()
})

async function userWithSecret(name: string): Promise<User> {
  const user = await newUser(world, name, 10)
  await setSecret(world, user, { name: 'API_KEY', value: VALUE })
  return user
}

async function execute(user: User, skill = 'sg_locked', args: object = {}) {
  const response = await fetch(`${world.executeUrl.url}/v1/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ skill, arguments: args }),
  })
  const text = await response.text()
  const { code, credits } = JSON.parse(text)
  const retryAfter = response.headers.get('retry-after')
  return { status: response.status, code, credits, retryAfter, text }
}

describe('a call', () => {
  test('of a skill without secrets sends KMS no request', async () => {
    const ada = await newUser(world, 'ada', 10)
    const before = world.kms.asked.length
    expect((await execute(ada, 'sg_echo', { text: 'x' })).status).toBe(200)
    expect(world.kms.asked.slice(before)).toEqual([])
    expect(world.upstream.authorizations.at(-1)).toBe('')
  })

  test('carries the secret that the admin door has sealed, and names its owner to KMS', async () => {
    const before = world.kms.asked.length
    const bob = await userWithSecret('bob')
    expect(await execute(bob)).toMatchObject({ status: 200, credits: { charged: 1, remaining: 9 } })
    expect(world.upstream.authorizations.at(-1)).toBe(`Bearer ${VALUE}`)
    // The digest of a binding without origins: for official and private skills.
    const binding = 'NSs77P4EDIzQCOe9b3Q5byAfK6kbw5WYvmjH6J3na7w'
    const context = { uid: 'bob', skillId: '-', name: 'API_KEY', binding }
    expect(world.kms.asked.slice(before)).toEqual([
      { action: 'GenerateDataKey', context },
      { action: 'Decrypt', context },
    ])
  })

  test('of a user without the secret is refused, whoever else has one, and costs nothing', async () => {
    const cyd = await newUser(world, 'cyd', 10)
    const sent = world.upstream.asked.length
    const refused = await execute(cyd)
    expect(refused).toMatchObject({ status: 422, code: 'secret_missing' })
    expect(world.upstream.asked).toHaveLength(sent)
    expect(await creditsAfterwards(world, cyd)).toEqual({ credits: 10, creditsOnHold: 0 })
  })
})

describe('trouble of KMS', () => {
  test.each([
    ['is not reachable', 'dee', ''],
    ['has the key switched off', 'eve', 'DisabledException'],
  ])(
    'a call with a secret is refused and refunded while KMS %s, and succeeds afterwards',
    async (_, name, failure) => {
      const user = await userWithSecret(name)
      const sent = world.upstream.asked.length
      world.kms.failWith = failure
      const refused = await execute(user)
      expect(refused).toMatchObject({
        status: 503,
        code: 'secret_unreadable',
        credits: { charged: 1, refunded: 1, remaining: 10 },
      })
      expect(refused.text).not.toContain('horse')
      expect(world.upstream.asked).toHaveLength(sent)
      expect(await creditsAfterwards(world, user)).toEqual({ credits: 10, creditsOnHold: 0 })
      expect((await execute(user, 'sg_echo', { text: 'x' })).status).toBe(200)
      world.kms.failWith = undefined
      expect((await execute(user)).status).toBe(200)
      expect(await creditsAfterwards(world, user)).toEqual({ credits: 8.5, creditsOnHold: 0 })
    },
  )

  test('a stream answers a call with an error while KMS is unreachable, and lives on', async () => {
    const fay = await userWithSecret('fay')
    const stream = await openBareStream(world, fay.key)
    world.kms.failWith = ''
    await stream.post(toolCall(1, 'sg_locked', {}))
    const refused = await stream.nextReply()
    expect(refused).toMatchObject({ id: 1, result: { isError: true } })
    expect(JSON.stringify(refused)).toContain('secret API_KEY')
    expect(JSON.stringify(refused)).not.toContain('horse')
    world.kms.failWith = undefined
    await stream.post(toolCall(2, 'sg_locked', {}))
    expect(await stream.nextReply()).toMatchObject({ id: 2, result: { isError: false } })
    stream.leave()
    expect(await creditsAfterwards(world, fay)).toEqual({ credits: 9, creditsOnHold: 0 })
  })
})
