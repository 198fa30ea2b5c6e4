/** Who gets dry runs of the execute door: the admin function's role, and no other caller. */
import { describe, expect, test } from 'vitest'
import { createExecuteDoor, DRY_RUN_PATH } from '../../../lambdas/execute/door.ts'
import { DRY_RUN_BYTES_MAX } from '../../../lambdas/execute/dry-run.ts'
import { makeWorld, okOf, type World } from '../../core/flow/world.ts'
import { contextOf, eventOf, MemoryResponse } from '../door-client.ts'

const ADMIN = 'arn:aws:sts::123456789012:assumed-role/Gateway-AdminRole-1/Gateway-Admin-1'

async function orderIn(world: World) {
  await world.skill('sg_weather')
  const record = await world.ports.skills.get({ source: 'official', skillId: 'sg_weather' })
  return { record: okOf({ ok: true, value: record }), arguments: {} }
}

async function ask(
  world: World,
  body: object,
  userArn: string | undefined,
  adminRole: string | undefined = 'Gateway-AdminRole-1',
) {
  const door = createExecuteDoor(world.ports, world.settings, undefined, { admin: adminRole })
  const event = eventOf('POST', DRY_RUN_PATH, { body: JSON.stringify(body) })
  const iam = userArn === undefined ? {} : { authorizer: { iam: { accountId: '1', userArn } } }
  const requestContext = { ...event.requestContext, ...iam }
  const out = new MemoryResponse()
  await door({ ...event, requestContext }, out, contextOf())
  return out
}

describe('a dry run over the internal URL', () => {
  test('a dry run is made for the role of admin', async () => {
    const world = makeWorld()
    const out = await ask(world, await orderIn(world), ADMIN)
    expect([out.status, out.json()['problems']]).toEqual([200, []])
    expect(world.upstream.requests).toEqual([])
  })

  test.each([
    ['another of our roles', 'arn:aws:sts::123456789012:assumed-role/Gateway-McpRole-1/x'],
    ['a role whose name begins alike', `${ADMIN.replace('-1/', '-12/')}`],
    [
      'a session that has the name of the role',
      'arn:aws:sts::1:assumed-role/x/Gateway-AdminRole-1',
    ],
    ['a user', 'arn:aws:iam::123456789012:user/Gateway-AdminRole-1'],
    ['nobody that IAM has proven', undefined],
  ])('the path does not exist for %s', async (_who, userArn) => {
    const world = makeWorld()
    expect((await ask(world, await orderIn(world), userArn)).status).toBe(404)
  })

  test('the path does not exist for anybody where no role is named', async () => {
    const world = makeWorld()
    const door = createExecuteDoor(world.ports, world.settings)
    const event = eventOf('POST', DRY_RUN_PATH, { body: JSON.stringify(await orderIn(world)) })
    const authorizer = { iam: { accountId: '1', userArn: ADMIN } }
    const out = new MemoryResponse()
    const requestContext = { ...event.requestContext, authorizer }
    await door({ ...event, requestContext }, out, contextOf())
    expect(out.status).toBe(404)
  })

  test.each([
    ['no order', {}],
    ['a record without a definition', { record: { skillId: 'sg_a' }, arguments: {} }],
    ['arguments that are none', { arguments: [] }],
    ['a uid that is no text', { uid: 1 }],
  ])('the door refuses %s', async (_what, change) => {
    const world = makeWorld()
    const order = await orderIn(world)
    const body = Object.keys(change).length === 0 ? {} : { ...order, ...change }
    expect((await ask(world, body, ADMIN)).status).toBe(400)
  })

  test('the door takes an order of the largest size, and refuses one past it', async () => {
    const world = makeWorld()
    const order = await orderIn(world)
    const room = DRY_RUN_BYTES_MAX - Buffer.byteLength(JSON.stringify({ ...order, x: '' }))
    const sized = (bytes: number) => ask(world, { ...order, x: 'x'.repeat(bytes) }, ADMIN)
    expect([(await sized(room)).status, (await sized(room + 1)).status]).toEqual([200, 413])
  })
})
