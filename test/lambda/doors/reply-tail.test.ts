// REPLY_TAIL=dynamodb-streams as deployed: the sse function loads one more file of its bundle.

import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import { callTool, connectClient } from './agents.ts'
import { newUser, syncSkills } from './people.ts'
import { startWorld, TABLES, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ sseEnv: streamTail })
  await syncSkills(world)
})
afterAll(() => world.stop())

async function streamTail(endpoint: string): Promise<Record<string, string>> {
  const client = dynamoClient({ endpoint })
  const { Table } = await client.send(new DescribeTableCommand({ TableName: TABLES.sessions }))
  client.destroy()
  return {
    REPLY_TAIL: 'dynamodb-streams',
    SESSIONS_STREAM_ARN: Table?.LatestStreamArn ?? '',
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoint,
  }
}

test("two agents get their answers through the table's stream, and a third one through its partition", async () => {
  const { key } = await newUser(world, 'ada', 10)
  const clients = [await connectClient(world, key), await connectClient(world, key)]
  const log = () => world.sse.log()
  expect(log()).not.toContain('stream-tail-moved')
  clients.push(await connectClient(world, key))
  const texts = await Promise.all(
    clients.map((client, i) => callTool(client, 'sg_echo', { text: `agent ${i}` })),
  )
  expect(texts.map(({ text }) => text)).toEqual([
    '{"text":"agent 0"}',
    '{"text":"agent 1"}',
    '{"text":"agent 2"}',
  ])
  expect(log().match(/"stream-tail-moved"/g)).toHaveLength(1)
  expect(log()).toContain('"StreamsMoved":1')
  expect(log()).not.toContain('store-trouble')
  await Promise.all(clients.map((client) => client.close()))
})
