// A stream on a host with a deadline: with 22 s instead of 15 minutes it takes no POSTs after 2 s,
// delivers what it had accepted, and ends by itself at the next quiet moment. Bound by
// docs/service.md, Streams.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBareStream, toolCall } from './agents.ts'
import { creditsAfterwards, newUser, syncSkills, type User } from './people.ts'
import { startWorld, type World } from './world.ts'

/** Drains 20 s before its end: from second 2 on. */
const TIMEOUT_MS = 22_000

let world: World
let ada: User
beforeAll(async () => {
  world = await startWorld({ sse: { timeoutMs: TIMEOUT_MS } })
  ada = await newUser(world, 'ada', 10)
  await syncSkills(world)
})
afterAll(() => world.stop())

test('a stream ends before its function does, and no accepted request is lost', async () => {
  const stream = await openBareStream(world, ada.key)
  expect((await stream.post(toolCall(1, 'sg_hold', { step: 'one' }))).status).toBe(202)
  await world.upstream.arrived('one')
  let late = 202
  for (let id = 100; late === 202; id += 1) {
    const answer = await stream.post({ jsonrpc: '2.0', id, method: 'ping' })
    late = answer.status
    if (late !== 202) expect(await answer.json()).toMatchObject({ code: 'not_found' })
    else await new Promise((resolve) => setTimeout(resolve, 250))
  }
  expect(late).toBe(404)
  const { timeline } = world.sse
  expect(timeline.kinds(stream.requestId)).not.toContain('responseEnd')
  world.upstream.open('one')
  let reply = await stream.nextReply()
  while (reply !== undefined && reply['id'] !== 1) reply = await stream.nextReply()
  expect(reply).toMatchObject({ id: 1, result: { isError: false } })
  expect(await stream.nextReply()).toBe(undefined)
  await timeline.first('nextPoll', stream.requestId)
  const kinds = timeline.kinds(stream.requestId)
  expect(kinds).not.toContain('failed')
  expect(world.sse.log()).toContain('rotated')
  expect(await creditsAfterwards(world, ada)).toEqual({ credits: 9, creditsOnHold: 0 })
})
