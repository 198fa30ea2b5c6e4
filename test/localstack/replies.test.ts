/**
 * Both tails with the deployed code of sse: `dynamodb-streams` as the stage sets it, and `partition` as
 * `replyTail` partition would. Replies are on the Sessions table's DynamoDB Stream, sealed.
 */
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import {
  type _Record,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { STAGE_FIELDS, type Stage } from '../../lib/stage.ts'
import { freshName } from '../contracts/fresh.ts'
import { createUser, syncSkill } from '../e2e/admin.ts'
import { type Agent, connectAgent } from '../e2e/agent.ts'
import { until } from '../e2e/wait.ts'
import { deployedFunction } from './deployed-functions.ts'
import { type DeployedWorld, startDeployedWorld } from './deployed-world.ts'
import { deploymentOfProcess } from './deployment.ts'

const SAID = 'on the stream'
const PAGES_MAX = 50
const APPEARS_MS_MAX = 100_000
const TRIES_MAX = 3

const streams = new DynamoDBStreamsClient({})
let worlds: { readonly [tail in Stage['replyTail']]: DeployedWorld }
let streamArn: string
let key: string
const echo = `sg_${freshName('echo')}`

beforeAll(async () => {
  const deployed = await deploymentOfProcess()
  const { internalApiSecret, outputs } = deployed
  streamArn = await streamOf(outputs.sessionsTable)
  const { env } = await deployedFunction(deployed.emulator.endpoint, 'sse')
  expect(env['REPLY_TAIL']).toBe('dynamodb-streams')
  const [byStream, byPartition] = await Promise.all([
    startDeployedWorld(deployed),
    startDeployedWorld(deployed, { REPLY_TAIL: 'partition' }),
  ])
  worlds = { 'dynamodb-streams': byStream, partition: byPartition }
  const { url } = byStream.upstream
  const admin = { admin: deployed.admin, internalApiSecret, url }
  key = (await createUser(admin, { username: freshName('gil'), credits: 10 })).key
  await syncSkill(admin, { id: echo, at: `${url}/echo`, price: 0.5 })
})
afterAll(async () => {
  streams.destroy()
  await Promise.all(Object.values(worlds).map((world) => world.stop()))
})

test('a reply appears in the stream of the table, under its session and sealed', async () => {
  const agent = await connect('dynamodb-streams')
  expect(await agent.call(echo, { text: SAID })).toMatchObject({ isError: false })
  const sessionId = new URL(agent.endpoint() ?? '').searchParams.get('session_id') ?? ''
  const session = `session:${nodeDigests().sha256(sessionId)}`
  const replies = await until(async () => {
    const found = (await recordsOfStream()).filter((one) => isReplyOf(session, one))
    return found.length >= 2 ? found : undefined
  }, APPEARS_MS_MAX)
  expect(replies.map((one) => one.dynamodb?.Keys?.['sk']?.S)).toEqual([
    // initialize and the call.
    'reply#000000000001',
    'reply#000000000002',
  ])
  for (const { dynamodb } of replies) {
    const bytes = Object.values(dynamodb?.NewImage ?? {}).flatMap(({ B }) => (B ? [B] : []))
    expect(bytes).toHaveLength(1)
    expect(Buffer.concat(bytes).includes(SAID)).toBe(false)
  }
  await agent.close()
})

test.each(STAGE_FIELDS.replyTail.choices)(
  'three agents at once get their own replies by the tail %s',
  async (tail) => {
    const agents = [await connect(tail), await connect(tail), await connect(tail)]
    const calls = agents.map((agent, i) => callUntilTaken(agent, `to agent ${i}`))
    const texts = (await Promise.all(calls)).map(({ text }) => text)
    expect(texts).toEqual([0, 1, 2].map((i) => `{"text":"to agent ${i}"}`))
    await Promise.all(agents.map((agent) => agent.close()))
    const log = worlds[tail].sse.log()
    // The stream has two readers; other files of this suite may have their places.
    expect(log.includes('"stream-tail-moved"')).toBe(tail === 'dynamodb-streams')
    // A tail that cannot read the stream reads the table instead, and says so.
    expect(log).not.toContain('store-trouble')
  },
)

/** A busy emulator may answer later than the store's client waits; the refusal names the remedy. */
async function callUntilTaken(agent: Agent, text: string): Promise<{ readonly text: string }> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await agent.call(echo, { text })
    } catch (cause) {
      if (tries === TRIES_MAX || !String(cause).includes('Send it again')) throw cause
    }
  }
}

function connect(tail: Stage['replyTail']): Promise<Agent> {
  return connectAgent(`${worlds[tail].sseUrl.url}/v1/mcp/sse`, key)
}

async function streamOf(table: string): Promise<string> {
  const client = dynamoClient({})
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }))
  client.destroy()
  expect(Table?.StreamSpecification).toMatchObject({ StreamViewType: 'NEW_IMAGE' })
  return Table?.LatestStreamArn ?? ''
}

async function recordsOfStream(): Promise<readonly _Record[]> {
  const { StreamDescription } = await streams.send(
    new DescribeStreamCommand({ StreamArn: streamArn }),
  )
  const ids = (StreamDescription?.Shards ?? []).map((shard) => shard.ShardId)
  return (await Promise.all(ids.map((id) => recordsOfShard(id ?? '')))).flat()
}

async function recordsOfShard(ShardId: string): Promise<readonly _Record[]> {
  const from = { StreamArn: streamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const
  let { ShardIterator } = await streams.send(new GetShardIteratorCommand(from))
  const records: _Record[] = []
  for (let page = 0; page < PAGES_MAX && ShardIterator !== undefined; page += 1) {
    const answer = await streams.send(new GetRecordsCommand({ ShardIterator }))
    if (answer.Records === undefined || answer.Records.length === 0) break
    records.push(...answer.Records)
    ShardIterator = answer.NextShardIterator
  }
  return records
}

function isReplyOf(session: string, { dynamodb }: _Record): boolean {
  const { pk, sk } = dynamodb?.Keys ?? {}
  return pk?.S === session && sk?.S?.startsWith('reply#') === true
}
