import {
  ExpiredIteratorException,
  InternalServerError,
  LimitExceededException,
} from '@aws-sdk/client-dynamodb-streams'
import { describe, expect, test } from 'vitest'
import { runWithTrace } from '../../../../adapters/config/trace.ts'
import { STREAM_TAIL_PERMISSIONS } from '../../../../adapters/dynamodb/reply-stream/open-reply-tail.ts'
import { AWS_PACE } from '../../../../adapters/dynamodb/reply-stream/read-pace.ts'
import { answerKey, leaseKey, sessionKey } from '../../../../adapters/dynamodb/table.ts'
import { putRecord } from './stream-records.ts'
import { type StreamWorld, streamWorld } from './stream-world.ts'

function throttle(): Error {
  return new LimitExceededException({ message: 'slow down', $metadata: {} })
}

/** A world with one followed session, of a request with a trace, and its reader in place. */
async function followed(world: StreamWorld = streamWorld()) {
  world.change('ada', {})
  const tail = runWithTrace(undefined, () => world.follow('ada'))
  await world.clock.settle()
  return { ...world, tail }
}

describe('the stream tail', () => {
  test('reports records from before the reader came to its shard, and later ones', async () => {
    const { accept, answer, change, clock, follow } = streamWorld()
    change('ada', {})
    answer('ada', accept('ada'))
    const tail = follow('ada')
    await clock.settle()
    expect(tail.seqs()).toEqual([1])
    answer('ada', accept('ada'))
    await clock.advance(20)
    expect(tail.news.map(({ kind }) => kind)).toEqual(['session', 'reply', 'session', 'reply'])
    tail.stop()
  })

  test('reports a reply that is written while the reader takes its place', async () => {
    const { accept, answer, change, clock, follow, stream } = streamWorld()
    change('ada', {})
    const tail = follow('ada')
    // The iterator is requested in the next turn: the write may come before or after it.
    answer('ada', accept('ada'))
    await clock.settle()
    expect(stream.take('GetShardIterator')).toHaveLength(1)
    await clock.advance(20)
    expect(tail.seqs()).toEqual([1])
    tail.stop()
  })

  test('reads nothing from the table while records come', async () => {
    const { accept, answer, clock, tail, world } = await followed()
    world.looks = 0
    for (let call = 0; call < 5; call += 1) {
      answer('ada', accept('ada'))
      await clock.advance(1_000)
    }
    expect(tail.seqs()).toEqual([1, 2, 3, 4, 5])
    expect(world.looks).toBe(0)
    tail.stop()
  })

  test('serves all sessions by one reader, each with its own records', async () => {
    const { accept, answer, change, clock, follow, stream } = streamWorld()
    const names = ['ada', 'bob', 'eve']
    for (const name of names) change(name, {})
    const tails = names.map(follow)
    await clock.settle()
    stream.take()
    for (const name of names) answer(name, accept(name))
    answer('bob', accept('bob'))
    await clock.advance(20)
    expect(tails.map((tail) => tail.seqs())).toEqual([[1], [1, 2], [1]])
    expect(stream.take().map(({ command }) => command)).toEqual(['GetRecords'])
    for (const tail of tails) tail.stop()
  })

  test('reports everything to both of two tails of one session', async () => {
    const { accept, answer, clock, follow, tail } = await followed()
    const second = follow('ada')
    answer('ada', accept('ada'))
    await clock.advance(20)
    expect([tail.seqs(), second.seqs()]).toEqual([[1], [1]])
    second.stop()
    answer('ada', accept('ada'))
    await clock.advance(20)
    expect([tail.seqs(), second.seqs()]).toEqual([[1, 2], [1]])
    tail.stop()
  })

  test('looks at the partition of a later session at once, since the reader is in place', async () => {
    const { accept, answer, change, clock, follow, stream, tail } = await followed()
    change('bob', {})
    answer('bob', accept('bob'))
    await clock.advance(5_000)
    stream.take()
    const later = follow('bob')
    await clock.settle()
    expect(later.seqs()).toEqual([1])
    expect(stream.take('GetShardIterator')).toEqual([])
    tail.stop()
    later.stop()
  })

  test('skips leases and stored answers of the same table', async () => {
    const { clock, stream, tail, troubles, world } = await followed()
    stream.write(world.shard, putRecord(leaseKey('k', 'ada'), { keyHash: 'k' }))
    stream.write(world.shard, putRecord(answerKey('ada'), { id: 'ada' }))
    await clock.advance(20)
    expect([tail.news.length, troubles]).toEqual([1, []])
    tail.stop()
  })

  test('reads a reply in parts from the table when its head comes', async () => {
    const { accept, answer, clock, tail } = await followed()
    answer('ada', accept('ada'), 3)
    await clock.advance(20)
    expect(tail.news.at(-1)).toEqual({ kind: 'reply', seq: 1, sealed: new Uint8Array([1]) })
    tail.stop()
  })

  test('reports a malformed record, and finds the reply behind it by a look at the partition', async () => {
    const { accept, clock, stream, tail, troubles, world } = await followed()
    world.looks = 0
    stream.write(world.shard, putRecord(sessionKey('ada'), { hash: 5 }))
    await clock.advance(20)
    expect([world.looks, troubles]).toMatchObject([1, [{ code: 'internal' }]])
    accept('ada')
    await clock.advance(20)
    expect(tail.news.at(-1)).toMatchObject({ session: { seq: 1 } })
    tail.stop()
  })

  test('ends when its session was removed', async () => {
    const { clock, remove, tail } = await followed()
    remove('ada')
    await clock.advance(20)
    expect(tail.ended()).toBe(true)
    await clock.settle()
    expect(clock.sleepers()).toBe(0)
  })

  test('needs no more of the stream than it declares', async () => {
    const { accept, answer, clock, stream, tail, world } = await followed()
    const [child] = stream.split(world.shard, 1)
    world.shard = child ?? world.shard
    answer('ada', accept('ada'))
    await clock.advance(60_000)
    tail.stop()
    const asked = new Set(stream.take().map(({ command }) => command))
    expect([...asked].sort()).toEqual([...STREAM_TAIL_PERMISSIONS.actions].sort())
  })
})

describe('the one reader of a host', () => {
  test('sends no request before the first stream and after the last', async () => {
    const { clock, follow, stream, tail } = await followed()
    const second = follow('ada')
    tail.stop()
    await clock.advance(1_000)
    stream.take()
    await clock.advance(1_000)
    expect(stream.take().length).toBeGreaterThan(0)
    second.stop()
    await clock.settle()
    stream.take()
    await clock.advance(120_000)
    expect([stream.take(), clock.sleepers()]).toEqual([[], 0])
  })

  test('reports trouble in the trace of no session, since it reads for all of them', async () => {
    const { clock, stream, tail, traces } = await followed()
    stream.fail('GetRecords', new InternalServerError({ message: '', $metadata: {} }))
    await clock.advance(1_000)
    expect(traces).toEqual([undefined])
    tail.stop()
  })

  test('sends no request for a stream that was closed before it began', async () => {
    const { clock, followClosed, stream } = streamWorld()
    const tail = followClosed('ada')
    await clock.settle()
    expect([tail.ended(), stream.take()]).toEqual([true, []])
  })

  test('begins anew with the next stream, and misses no record from the time between', async () => {
    const { accept, answer, clock, follow, stream, tail } = await followed()
    tail.stop()
    await clock.advance(1_000)
    answer('ada', accept('ada'))
    const second = follow('ada')
    await clock.settle()
    answer('ada', accept('ada'))
    await clock.advance(20)
    expect(second.seqs()).toEqual([1, 2])
    expect(stream.take('DescribeStream')).toHaveLength(2)
    second.stop()
  })

  test('reads every 20 ms for two seconds after a request, then 50, after a quiet minute 200', async () => {
    const { clock, stream, tail } = await followed()
    stream.take()
    await clock.advance(1_980)
    expect(stream.take('GetRecords')).toHaveLength(99)
    await clock.advance(20)
    stream.take()
    await clock.advance(1_000)
    expect(stream.take('GetRecords')).toHaveLength(20)
    await clock.advance(60_000)
    stream.take()
    await clock.advance(10_000)
    expect(stream.take('GetRecords')).toHaveLength(50)
    tail.stop()
  })

  test('returns to its fastest pace with the request that it sees', async () => {
    const { accept, clock, stream, tail } = await followed()
    await clock.advance(90_000)
    accept('ada')
    await clock.advance(200)
    stream.take()
    await clock.advance(200)
    expect(stream.take('GetRecords')).toHaveLength(10)
    tail.stop()
  })

  test('returns to its fastest pace when a stream opens', async () => {
    const { change, clock, follow, stream, tail } = await followed()
    change('bob', {})
    await clock.advance(90_010)
    const later = follow('bob')
    await clock.settle()
    stream.take()
    await clock.advance(100)
    expect(stream.take('GetRecords')).toHaveLength(5)
    tail.stop()
    later.stop()
  })

  test('asks a shard every 400 ms at the pace of AWS, and every second after a quiet minute', async () => {
    const { clock, stream, tail } = await followed(streamWorld(AWS_PACE))
    stream.take()
    await clock.advance(40_000)
    expect(stream.take('GetRecords')).toHaveLength(100)
    await clock.advance(60_000)
    stream.take()
    await clock.advance(40_000)
    expect(stream.take('GetRecords')).toHaveLength(40)
    tail.stop()
  })

  test("does not stay fast for sessions' renewals and answered pings", async () => {
    const { change, clock, stream, tail } = await followed()
    for (let minute = 1; minute <= 3; minute += 1) {
      await clock.advance(60_000)
      change('ada', { lastPostAtMs: clock.nowMs(), aliveUntilMs: clock.nowMs() + 75_000 })
    }
    stream.take()
    await clock.advance(10_000)
    expect(stream.take('GetRecords')).toHaveLength(50)
    tail.stop()
  })
})

describe('a stream that fails', () => {
  test('replies of a failed stream are found in the table within a second, and by the stream again afterwards', async () => {
    const { accept, answer, clock, stream, tail, troubles, world } = await followed()
    stream.fail('GetRecords', new InternalServerError({ message: '', $metadata: {} }), 6)
    await clock.advance(4_000)
    const wait = accept('ada')
    answer('ada', wait)
    await clock.advance(1_000)
    expect(tail.seqs()).toEqual([1])
    await clock.advance(20_000)
    world.looks = 0
    answer('ada', accept('ada'))
    await clock.advance(50)
    expect([tail.seqs(), world.looks]).toEqual([[1, 2], 0])
    expect(troubles).toHaveLength(6)
    tail.stop()
  })

  test('a stream that never comes leaves a tail that looks every second', async () => {
    const world = streamWorld()
    world.stream.fail('DescribeStream', new Error('no such stream'), 100)
    const { accept, answer, clock, tail } = await followed(world)
    for (let call = 1; call <= 5; call += 1) {
      answer('ada', accept('ada'))
      await clock.advance(1_000)
      expect(tail.seqs()).toHaveLength(call)
    }
    tail.stop()
  })

  test('an iterator that expires over a gap makes every tail look', async () => {
    const { accept, answer, change, clock, follow, stream } = streamWorld()
    for (const name of ['ada', 'bob']) change(name, {})
    // No record of the shard is ever read, so there is no position to continue after.
    const tails = ['ada', 'bob'].map(follow)
    await clock.settle()
    stream.fail('GetRecords', new ExpiredIteratorException({ message: '', $metadata: {} }))
    await clock.advance(20)
    for (const name of ['ada', 'bob']) answer(name, accept(name))
    await clock.advance(60)
    expect(tails.map((tail) => tail.seqs())).toEqual([[1], [1]])
    for (const tail of tails) tail.stop()
  })

  test('a client that reads slowly keeps at most 32 notes in memory and loses none', async () => {
    const { accept, answer, clock, tail } = await followed()
    for (let call = 1; call <= 100; call += 1) answer('ada', accept('ada'))
    await clock.advance(20)
    expect([...tail.seqs()].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 1),
    )
    tail.stop()
  })
})

describe('the readers of one stream', () => {
  const REMEDY = 'stream: at most 2 hosts can read it at once; set REPLY_TAIL=partition'
  const MOVED = { event: 'stream-tail-moved', fields: { count: 1, max: 2 } }

  test('take a place with the first session and give it up with the last', async () => {
    const world = streamWorld(AWS_PACE)
    for (const name of ['ada', 'bob']) world.change(name, {})
    const tails = ['ada', 'bob'].map(world.follow)
    await world.clock.settle()
    expect([world.world.taken, world.world.released, world.notes]).toEqual([1, 0, []])
    tails[0]?.stop()
    await world.clock.settle()
    expect(world.world.released).toBe(0)
    tails[1]?.stop()
    await world.clock.settle()
    expect([world.world.taken, world.world.released]).toEqual([1, 1])
    expect(world.clock.sleepers()).toBe(0)
  })

  test('are not asked without a place: the session reads its partition, and that is counted', async () => {
    const world = streamWorld(AWS_PACE)
    world.world.place = false
    const { accept, answer, clock, notes, stream, tail } = await followed(world)
    answer('ada', accept('ada'))
    await clock.advance(600)
    expect([tail.seqs(), stream.take('DescribeStream'), stream.take('GetRecords')]).toEqual([
      [1],
      [],
      [],
    ])
    expect(notes).toMatchObject([MOVED])
    tail.stop()
    await clock.settle()
    expect([world.world.released, clock.sleepers()]).toEqual([0, 0])
  })

  test('are asked for a place by each session anew', async () => {
    const world = streamWorld(AWS_PACE)
    for (const name of ['ada', 'bob']) world.change(name, {})
    world.world.place = false
    const ada = world.follow('ada')
    await world.clock.settle()
    world.world.place = true
    const bob = world.follow('bob')
    await world.clock.settle()
    expect([world.notes.length, world.world.taken]).toEqual([1, 2])
    expect(world.stream.take('GetShardIterator')).toHaveLength(1)
    for (const tail of [ada, bob]) tail.stop()
  })

  test('renew their place every 25 s, and read their partitions while another has it', async () => {
    const world = streamWorld(AWS_PACE)
    const { accept, answer, clock, stream, tail } = await followed(world)
    await clock.advance(24_999)
    expect(world.world.taken).toBe(1)
    world.world.place = false
    await clock.advance(1)
    expect(world.world.taken).toBe(2)
    stream.take('GetRecords')
    answer('ada', accept('ada'))
    await clock.advance(1_100)
    expect([tail.seqs(), stream.take('GetRecords')]).toEqual([[1], []])
    world.world.place = true
    await clock.advance(25_000)
    expect(stream.take('GetRecords').length).toBeGreaterThan(0)
    answer('ada', accept('ada'))
    await clock.advance(1_100)
    expect(tail.seqs()).toEqual([1, 2])
    tail.stop()
  })

  test('keep their place while the store is down, until its 75 s are over', async () => {
    const world = streamWorld(AWS_PACE)
    const { clock, stream, tail } = await followed(world)
    world.world.down = true
    await clock.advance(70_000)
    stream.take('GetRecords')
    await clock.advance(4_900)
    expect(stream.take('GetRecords').length).toBeGreaterThan(0)
    await clock.advance(101)
    stream.take('GetRecords')
    await clock.advance(2_000)
    expect(stream.take('GetRecords')).toEqual([])
    tail.stop()
  })

  test('report a renewal that fails in the trace of no session', async () => {
    const world = streamWorld(AWS_PACE)
    const { clock, tail, traces } = await followed(world)
    world.world.down = true
    await clock.advance(25_000)
    // The session's own looks at its partition have its trace.
    expect(traces).toContain(undefined)
    tail.stop()
  })

  test('have no place when the store does not answer at the start', async () => {
    const world = streamWorld(AWS_PACE)
    world.change('ada', {})
    world.world.down = true
    const tail = world.follow('ada')
    await world.clock.settle()
    expect(world.notes).toMatchObject([MOVED])
    expect(world.troubles.length).toBeGreaterThan(0)
    world.world.down = false
    await world.clock.advance(5_000)
    expect(tail.news.map(({ kind }) => kind)).toEqual(['session'])
    tail.stop()
  })

  test('report once a minute that AWS throttles: something reads that has no place', async () => {
    const world = streamWorld(AWS_PACE)
    const { clock, notes, stream, tail } = await followed(world)
    stream.fail('GetRecords', throttle(), 16)
    await clock.advance(59_000)
    expect(notes).toMatchObject([
      { event: 'stream-tail-crowded', fields: { max: 2 }, cause: { message: REMEDY } },
    ])
    await clock.advance(20_000)
    expect(notes).toHaveLength(2)
    tail.stop()
  })

  test('need no place where the store has no such limit', async () => {
    const world = streamWorld()
    world.world.place = false
    const { notes, stream, tail } = await followed(world)
    expect([notes, world.world.taken]).toEqual([[], 0])
    expect(stream.take('GetShardIterator')).toHaveLength(1)
    tail.stop()
  })
})
