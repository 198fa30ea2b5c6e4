/** Keys of the earlier service in any shape, at each door that agents come to. */

import { beforeEach, describe, expect, test } from 'vitest'
import { writeCredential } from '../../adapters/internal-http/credential-header.ts'
import { credentialOf } from '../../bench/lib/credential.ts'
import { migrateTable } from '../../core/flow/migration/migrate-table.ts'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { createSseDoor } from '../../lambdas/sse/door.ts'
import { number, text } from '../contracts/v0-service.ts'
import { type V0World, v0World } from '../core/flow/migration/v0-world.ts'
import { okOf } from '../core/flow/world.ts'
import { ask, contextOf, eventOf, MemoryResponse } from './door-client.ts'
import { doorOf, legacy, post, withKey } from './mcp/agent.ts'

const SHAPES = ['oldkey-123456789', '42', 'sgk_short', 'old:key!$(1)|"2"', 'eyJh.e30.x-y==']
const CALL = { skill: 'sg_sunny', arguments: {} }

let world: V0World

async function issued(key: string, spelling: 'base64url' | 'hex' = 'base64url') {
  const hash = world.ports.digests.sha256(key)
  const name = spelling === 'hex' ? Buffer.from(hash, 'base64url').toString('hex') : hash
  await world.old.put('key', name, text('ada'))
  return { authorization: `Bearer ${key}` }
}

async function statusesOf(authorization: string) {
  const headers = { authorization }
  const execute = createExecuteDoor(world.ports, world.settings)
  const stream = new MemoryResponse()
  const streaming = createSseDoor(world.ports, world.settings)(
    eventOf('GET', '/v1/mcp/sse', { headers }),
    stream,
    contextOf(),
  )
  await world.clock.settle()
  const listed = await post(doorOf(world), withKey(authorization, legacy('tools/list')))
  const params = { name: 'sg_sunny', arguments: {} }
  const called = await post(doorOf(world), withKey(authorization, legacy('tools/call', params)))
  const executed = await ask(execute, 'POST', '/v1/execute', { headers, body: CALL })
  stream.destroy()
  await world.clock.settle()
  await streaming
  return [stream.status, listed.status, called.status, executed.status]
}

beforeEach(async () => {
  world = await v0World({ credits: number('12.5') })
  await world.skill('sg_sunny')
})

describe('a key of the earlier service', () => {
  test.each(SHAPES)('an earlier key of the shape %s opens every door', async (key) => {
    const { authorization } = await issued(key)
    expect(await statusesOf(authorization)).toEqual([200, 200, 200, 200])
  })

  test.each(SHAPES)('a key of the shape %s that nobody issued opens no door', async (key) => {
    expect(await statusesOf(`Bearer ${key}`)).toEqual([401, 401, 401, 401])
  })

  test.each(['base64url', 'hex'] as const)(
    'that a migration reports as moved opens every door, its hash being in %s',
    async (spelling) => {
      const sent = []
      for (const key of SHAPES) sent.push(await issued(key, spelling))
      const { moved, skipped } = okOf(await migrateTable(world.ports, { dryRun: false }))
      // One user, and each of the keys.
      expect([moved, skipped]).toEqual([1 + SHAPES.length, []])
      for (const { authorization } of sent) {
        expect(await statusesOf(authorization)).toEqual([200, 200, 200, 200])
      }
    },
  )

  test.each([
    ['another digest', 'ab'.repeat(20)],
    ['base64url that no 32 bytes have', `${'A'.repeat(42)}B`],
  ])('a key whose hash is %s is reported as skipped, and not as moved', async (_what, name) => {
    await world.old.put('key', name, text('ada'))
    for (const dryRun of [true, false]) {
      const report = okOf(await migrateTable(world.ports, { dryRun }))
      expect(report.skipped.map(({ record }) => record)).toEqual([`user:uid:${name}`])
    }
    // Ada alone.
    expect(await world.ports.keys.list('ada')).toEqual([])
  })
})

test('every door answers 429 with the seconds to wait past the limit of unknown tokens', async () => {
  const [mcp, execute, sse] = [
    doorOf(world),
    createExecuteDoor(world.ports, world.settings),
    createSseDoor(world.ports, world.settings),
  ]
  const status = async (n: number) => {
    const headers = { authorization: `Bearer guess-${n}` }
    const answers = [
      await ask(sse, 'GET', '/v1/mcp/sse', { headers }),
      await post(mcp, withKey(headers.authorization, legacy('ping'))),
      await ask(execute, 'POST', '/v1/execute', { headers, body: CALL }),
    ]
    return answers.map((answer) => [answer.status, answer.headers['retry-after']])
  }
  // Each door counts the same token by itself, so 21 requests in all.
  for (let n = 1; n <= 7; n += 1) await status(n)
  expect(await status(8)).toEqual([
    [401, undefined],
    [429, '40'],
    [429, '40'],
  ])
  expect(await status(9)).toEqual([
    [429, '40'],
    [429, '40'],
    [429, '40'],
  ])
})

test('a caller that IAM has proven is not limited: its door has judged the token', async () => {
  const execute = createExecuteDoor(world.ports, world.settings)
  for (let n = 1; n <= 22; n += 1) {
    const headers = {
      'x-skillgate-credential': writeCredential(credentialOf(`Bearer guess-${n}`)),
      'x-skillgate-call-id': 'c'.repeat(43),
      'x-skillgate-deadline-ms': String(world.clock.nowMs() + 15_000),
    }
    const sent = { headers, body: CALL, iam: true }
    expect((await ask(execute, 'POST', '/v1/execute', sent)).status).toBe(401)
  }
})
