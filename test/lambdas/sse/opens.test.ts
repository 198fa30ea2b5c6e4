import { expect, test } from 'vitest'
import { createSseDoor } from '../../../lambdas/sse/door.ts'
import { makeWorld } from '../../core/flow/world.ts'
import { ask, contextOf, eventOf, MemoryResponse } from '../door-client.ts'

test('the 31st stream of a key in a minute is 429 with the seconds that are left of it', async () => {
  const world = makeWorld()
  const headers = { authorization: await world.user('ada') }
  const door = createSseDoor(world.ports, world.settings)
  for (let n = 0; n < 30; n += 1) {
    const out = new MemoryResponse()
    const done = door(eventOf('GET', '/v1/mcp/sse', { headers }), out, contextOf())
    await world.clock.settle()
    expect(out.status).toBe(200)
    out.destroy()
    await world.clock.settle()
    await done
  }
  // The clock stands 20 s into a minute.
  const refused = await ask(door, 'GET', '/v1/mcp/sse', { headers })
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '40'])
  expect(refused.json()).toMatchObject({ code: 'rate_limited', retryAfterSec: 40 })
})
