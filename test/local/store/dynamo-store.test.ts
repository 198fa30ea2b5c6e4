import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import type { StorePorts } from '../../../core/ports.ts'
import { openDynamoStore } from '../../../local/store/dynamo-store.ts'
import { startEmbedded } from '../../../local/store/embedded-dynamodb.ts'
import { sessionAt } from '../../adapters/dynamodb/reply-stream/stream-records.ts'
import { skillOf } from '../../contracts/fresh.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { createTable } from './create-table.ts'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function endpoint(): Promise<string> {
  const embedded = await startEmbedded({})
  if ('missing' in embedded) throw new Error(`this test needs it: ${embedded.missing}`)
  stops.push(embedded.stop)
  return embedded.endpoint
}

async function opened(at: string, replyTail: 'partition' | 'dynamodb-streams') {
  const log = { note: () => {} }
  const store = await openDynamoStore({ endpoint: at, replyTail, clock: systemClock(), log })
  stops.push(store.close)
  return store
}

/** The first reply that a tail of a fresh session reports. */
async function firstReply(ports: StorePorts): Promise<unknown> {
  const hash = 'ada'
  const nowMs = Date.now()
  await ports.sessions.create(sessionAt(hash, { aliveUntilMs: nowMs + 75_000 }))
  const stop = new AbortController()
  const request = { id: '1', postedAtMs: nowMs, calls: true }
  for await (const news of ports.replies.tail(hash, stop.signal)) {
    if (news.kind === 'reply') return news
    if (news.session.seq > 0) continue
    await ports.sessions.accept({ hash, nowMs, writeToken: 'm', request })
    await ports.replies.append({ hash, seq: 1, sealed: new Uint8Array([7]) })
  }
  return undefined
}

test.each(['partition', 'dynamodb-streams'] as const)(
  'replies are found by the %s tail that was asked for',
  async (tail) => {
    const { note, ports } = await opened(await endpoint(), tail)
    expect(note).toBe(undefined)
    expect(await firstReply(ports)).toEqual({ kind: 'reply', seq: 1, sealed: new Uint8Array([7]) })
  },
)

test('a table without a stream is tailed by its partitions, and the log says so', async () => {
  const at = await endpoint()
  await createTable(dynamoClient({ endpoint: at }), 'Sessions')
  const { note, ports } = await opened(at, 'dynamodb-streams')
  expect(note).toBe('Replies: by the partition tail, as the table Sessions has no stream.')
  expect(await firstReply(ports)).toMatchObject({ seq: 1 })
})

test('a stream of keys alone serves a tail, which reads the rest from the table', async () => {
  const at = await endpoint()
  const keys = { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } as const
  await createTable(dynamoClient({ endpoint: at }), 'Sessions', keys)
  const { note, ports } = await opened(at, 'dynamodb-streams')
  expect(note).toBe(undefined)
  expect(await firstReply(ports)).toMatchObject({ seq: 1 })
})

test('skills are cached for as long as deployed functions cache them, and no longer than to the next broadcast', async () => {
  const at = await endpoint()
  const clock = testClock()
  const log = { note: () => {} }
  const { close, ports } = await openDynamoStore({
    endpoint: at,
    replyTail: 'partition',
    clock,
    log,
  })
  stops.push(close)
  const query = { uid: 'ada', name: 'sg_x', skillId: 'sg_x', cut: undefined }
  const version = async () => (await ports.callLookup.read(query)).candidates.official?.version
  expect(await version()).toBe(undefined)
  await ports.skills.put(skillOf('sg_x'), 0)
  clock.advance(29_999)
  expect(await version()).toBe(undefined)
  await ports.toolListVersion.write(clock.nowMs())
  expect(await version()).toBe(1)
})
