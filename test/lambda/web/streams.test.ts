// The Web Function web as the platform starts it: a process with a server. The other functions run
// under AWS's runtime client.

import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import { CONCURRENT_REQUESTS_MAX } from '../../../lambdas/web/limits.ts'
import { callTool, connectClient, openBareStream, toolCall } from '../doors/agents.ts'
import { newUser, syncSkills } from '../doors/people.ts'
import { startWorld, TABLES, type World } from '../doors/world.ts'
import type { LambdaFunction } from '../lambda-function.ts'
import { startWeb, type WebProcess } from './web-process.ts'

let world: World
beforeAll(async () => {
  // More than eight agents take at once: past it messages answers 429, and the agent an error.
  world = await startWorld({ upstreamMs: 300, messages: { concurrencyMax: 40 } })
  await syncSkills(world)
})
afterAll(() => world.stop())

/** The same gateway, entered through the process. */
function through(web: WebProcess): World {
  return { ...world, sseUrl: { ...world.sseUrl, url: web.url } }
}

const DEPLOYED = { SSE_CONCURRENCY: '1000', STREAMS_PER_KEY_MAX: '1000' }

async function streamTail(): Promise<Record<string, string>> {
  const client = dynamoClient({ endpoint: world.storeEndpoint })
  const { Table } = await client.send(new DescribeTableCommand({ TableName: TABLES.sessions }))
  client.destroy()
  return {
    REPLY_TAIL: 'dynamodb-streams',
    SESSIONS_STREAM_ARN: Table?.LatestStreamArn ?? '',
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: world.storeEndpoint,
  }
}

/** Environments that wait; no event of a door, so each only starts. */
async function started(fn: LambdaFunction, environments: number): Promise<void> {
  await Promise.all(Array.from({ length: environments }, () => fn.invoke({ not: 'an event' })))
  await fn.whenIdle()
}

it("the official client opens a stream at the process and gets its tool's answer on it", async () => {
  const web = await startWeb(world)
  const { key } = await newUser(world, 'ada', 10)
  const client = await connectClient(through(web), key)
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('sg_echo')
  expect((await callTool(client, 'sg_echo', { text: 'hello' })).text).toBe('{"text":"hello"}')
  await client.close()
  expect(await web.terminate()).toBe('exit status 0')
})

it("eight agents that connect to one process at once get their answers through one reader of the table's stream, and none moves to its partition", async () => {
  const web = await startWeb(world, await streamTail())
  // sse gives up a message that messages does not take within 5 s, the time of eight cold starts on a busy machine.
  await started(world.messages, 8)
  const { key } = await newUser(world, 'bea', 20)
  const clients = await Promise.all(
    Array.from({ length: 8 }, () => connectClient(through(web), key)),
  )
  const answers = await Promise.all(
    clients.map((client, at) => callTool(client, 'sg_echo', { text: `agent ${at}` })),
  )
  expect(answers.map(({ text }) => text)).toEqual(clients.map((_, at) => `{"text":"agent ${at}"}`))
  expect(web.log()).not.toContain('stream-tail-moved')
  expect(web.log()).not.toContain('store-trouble')
  await Promise.all(clients.map((client) => client.close()))
  await web.stop()
})

it('the last stream that fits opens and the next one gets 503, and SIGTERM ends them all', async () => {
  const web = await startWeb(world, DEPLOYED)
  const keys: string[] = []
  for (let at = 0; at < 8; at += 1) keys.push((await newUser(world, `crowd${at}`, 1)).key)
  const streams = []
  for (let at = 0; at < CONCURRENT_REQUESTS_MAX; at += 1) {
    streams.push(await openBareStream(through(web), keys[at % keys.length] ?? ''))
  }
  expect(new Set(streams.map(({ response }) => response.status))).toEqual(new Set([200]))
  const past = await fetch(`${web.url}/v1/mcp/sse`)
  expect(past.status).toBe(503)
  expect(past.headers.get('retry-after')).toBe('1')
  expect(await web.terminate()).toBe('exit status 0')
  // Within the time that the platform gives, streams end by themselves and give their places back: all 128 on a quiet machine.
  expect(web.log()).toContain('"stream-ended"')
  const read = streams.map(async ({ nextBlock }) => {
    while ((await nextBlock()) !== undefined);
  })
  expect((await Promise.allSettled(read)).length).toBe(CONCURRENT_REQUESTS_MAX)
})

it('SIGTERM amid a call ends the stream cleanly after its retry, gives the credit back, and the call works again elsewhere', async () => {
  const web = await startWeb(world)
  const { key } = await newUser(world, 'cleo', 1)
  const stream = await openBareStream(through(web), key)
  expect((await stream.post(toolCall(1, 'sg_echo', { text: 'lost' }))).status).toBe(202)
  const exit = web.terminate()
  // The end of the body, not a broken connection, which would throw.
  let block = await stream.nextBlock()
  while (block !== undefined) block = await stream.nextBlock()
  expect(await exit).toBe('exit status 0')
  expect(web.log()).toContain('"stream-ended"')
  const next = await startWeb(world)
  const client = await connectClient(through(next), key)
  // One credit is all there is, so a call that was charged twice would be refused.
  expect((await callTool(client, 'sg_echo', { text: 'again' })).text).toBe('{"text":"again"}')
  await client.close()
  await next.stop()
})
