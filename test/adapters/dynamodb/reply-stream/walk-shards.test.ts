import {
  InternalServerError,
  LimitExceededException,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  runWalkRound,
  startWalk,
  type Walk,
} from '../../../../adapters/dynamodb/reply-stream/walk-shards.ts'
import { type ManualClock, manualClock, START_MS } from '../../../core/flow/manual-clock.ts'
import { type FakeStream, fakeStream, STREAM_ARN } from './fake-stream.ts'

let clock: ManualClock
let stream: FakeStream
let walk: Walk
let sequenceNumbers: (string | undefined)[]
let reports: { readonly throttled: unknown[]; readonly troubles: unknown[] }
const stop = new AbortController()

beforeEach(() => {
  clock = manualClock()
  stream = fakeStream(clock)
  walk = startWalk(clock.nowMs())
  sequenceNumbers = []
  reports = { throttled: [], troubles: [] }
})

function round() {
  const onRecords = (records: readonly StreamRecord[]) => {
    sequenceNumbers.push(...records.map(({ dynamodb }) => dynamodb?.SequenceNumber))
  }
  const needs = {
    client: stream.client,
    streamArn: STREAM_ARN,
    clock,
    random: () => 0,
    onRecords,
    onThrottled: (cause: unknown) => reports.throttled.push(cause),
    onTrouble: (cause: unknown) => reports.troubles.push(cause),
  }
  return runWalkRound(needs, walk, stop.signal)
}

/** Runs rounds until no shard appears or ends; answers whether any of them had a gap. */
async function settle(): Promise<boolean> {
  let gap = false
  for (let rounds = 0; rounds < 20; rounds += 1) {
    const one = await round()
    gap ||= one.gap
    if (!one.moved) return gap
  }
  throw new Error('the walk does not come to rest')
}

function asked(command: string): readonly string[] {
  return stream.take(command).map(({ shard }) => shard)
}

function unavailable(): Error {
  return new InternalServerError({ message: 'down', $metadata: {} })
}

function throttle(): Error {
  return new LimitExceededException({ message: 'slow down', $metadata: {} })
}

describe('a walk', () => {
  test('begins at the end of existing shards, and reports a gap before it', async () => {
    const shard = stream.add()
    stream.write(shard, {})
    expect(await settle()).toBe(true)
    stream.write(shard, {})
    expect(await settle()).toBe(false)
    expect(sequenceNumbers).toEqual(['2'])
  })

  test('asks each shard once a round, with the iterator of the round before', async () => {
    stream.add()
    stream.add()
    await settle()
    stream.take()
    await round()
    await round()
    const all = stream.take()
    expect(all.map(({ command }) => command)).toEqual(Array(4).fill('GetRecords'))
    expect(all.map(({ shard }) => shard)).toEqual(['shard-1', 'shard-2', 'shard-1', 'shard-2'])
  })

  test('reads all pages of the list', async () => {
    stream.settings.pageShards = 2
    for (let shard = 0; shard < 5; shard += 1) stream.add()
    await settle()
    expect([...walk.shards.keys()]).toEqual(['shard-1', 'shard-2', 'shard-3', 'shard-4', 'shard-5'])
    expect(asked('DescribeStream')).toHaveLength(3)
  })

  test('reads a list of 20 pages and refuses a longer one with the remedy', async () => {
    stream.settings.pageShards = 1
    for (let shard = 0; shard < 20; shard += 1) stream.add()
    await settle()
    expect([walk.shards.size, reports.troubles]).toEqual([20, []])
    stream.add()
    await clock.advance(30_000)
    await settle()
    expect(walk.shards.size).toBe(20)
    expect(reports.troubles).toMatchObject([
      {
        message:
          'stream: has over 2000 shards, more than this tail reads; set REPLY_TAIL=partition',
      },
    ])
  })

  test('lists the shards again every 30 s, and reads a new one from its start', async () => {
    stream.add()
    await settle()
    stream.take()
    stream.write(stream.add(), {})
    await clock.advance(29_999)
    await settle()
    expect(asked('DescribeStream')).toHaveLength(0)
    await clock.advance(1)
    expect(await settle()).toBe(false)
    expect(sequenceNumbers).toEqual(['1'])
  })
})

describe('a shard that closes', () => {
  test("a closed shard's children are found at once and read from their start, after its own last record", async () => {
    const parent = stream.add()
    await settle()
    stream.write(parent, {})
    const [left, right] = stream.split(parent, 2)
    if (left === undefined || right === undefined) throw new Error('no children')
    stream.write(right, {})
    stream.write(left, {})
    expect(await settle()).toBe(false)
    expect([sequenceNumbers[0], [...sequenceNumbers.slice(1)].sort()]).toEqual(['1', ['2', '3']])
  })

  test('each of several generations of shards is read to its end before its child', async () => {
    let shard = stream.add()
    stream.settings.recordsMax = 1
    await settle()
    for (let generation = 0; generation < 4; generation += 1) {
      stream.write(shard, {})
      stream.write(shard, {})
      const [child] = stream.split(shard, 1)
      if (child === undefined) throw new Error('no child')
      shard = child
    }
    for (let rounds = 0; rounds < 12; rounds += 1) await settle()
    expect(sequenceNumbers).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'])
  })

  test('a child that is not listed yet is looked for every second', async () => {
    const parent = stream.add()
    await settle()
    const [child] = stream.split(parent, 1)
    if (child === undefined) throw new Error('no child')
    stream.settings.hidden.add(child.id)
    stream.write(child, {})
    await settle()
    stream.take()
    for (let half = 0; half < 6; half += 1) {
      await clock.advance(500)
      await settle()
    }
    expect(stream.take('DescribeStream').map(({ atMs }) => atMs)).toEqual([1_000, 2_000, 3_000])
    stream.settings.hidden.clear()
    await clock.advance(1_000)
    expect(await settle()).toBe(false)
    expect(sequenceNumbers).toEqual(['1'])
  })

  test('a child that never comes is looked for no longer than a minute', async () => {
    stream.split(stream.add(), 0)
    await settle()
    await clock.advance(61_000)
    await settle()
    stream.take()
    await clock.advance(29_999)
    await settle()
    expect(asked('DescribeStream')).toHaveLength(0)
  })
})

describe('an iterator', () => {
  test('that expired is replaced by one after the last record that was seen', async () => {
    const shard = stream.add()
    await settle()
    stream.write(shard, {})
    await round()
    await clock.advance(15 * 60_000)
    stream.write(shard, {})
    await settle()
    expect(await settle()).toBe(false)
    expect([sequenceNumbers, reports.troubles]).toEqual([['1', '2'], []])
  })

  test('that expired before any record is a gap', async () => {
    const shard = stream.add()
    await settle()
    await clock.advance(15 * 60_000)
    stream.write(shard, {})
    await settle()
    expect(await settle()).toBe(true)
    expect(sequenceNumbers).toEqual([])
  })

  test('of a child that expired before any record begins at the start again', async () => {
    const parent = stream.add()
    await settle()
    const [child] = stream.split(parent, 1)
    if (child === undefined) throw new Error('no child')
    await settle()
    await clock.advance(15 * 60_000)
    stream.write(child, {})
    await settle()
    expect(await settle()).toBe(false)
    expect(sequenceNumbers).toEqual(['1'])
  })

  test('at trimmed records is replaced by one at the oldest record left, with a gap', async () => {
    const shard = stream.add()
    await settle()
    stream.write(shard, {})
    await round()
    stream.write(shard, {})
    stream.write(shard, {})
    stream.trim(shard)
    stream.write(shard, {})
    await settle()
    expect(await settle()).toBe(true)
    expect([sequenceNumbers, reports.troubles]).toEqual([['1', '4'], []])
  })

  test('that expired over records trimmed meanwhile is replaced in the same way', async () => {
    const shard = stream.add()
    await settle()
    stream.write(shard, {})
    await round()
    stream.write(shard, {})
    stream.trim(shard)
    stream.write(shard, {})
    await clock.advance(15 * 60_000)
    await settle()
    await settle()
    expect(await settle()).toBe(true)
    expect(sequenceNumbers).toEqual(['1', '3'])
  })

  test('of a deleted shard is given up together with the shard, with a gap', async () => {
    const [old, next] = [stream.add(), stream.add()]
    await settle()
    stream.forget(old)
    expect(await settle()).toBe(true)
    stream.take()
    stream.write(next, {})
    await clock.advance(1_000)
    await settle()
    expect(asked('GetRecords')).toEqual(['shard-2'])
    expect([sequenceNumbers, reports.troubles]).toEqual([['1'], []])
  })
})

describe('throttling', () => {
  test('is reported as such, and waited out for 0.5, 1, 2, 4, 5, 5 s with the same iterator', async () => {
    const shard = stream.add()
    await settle()
    stream.take()
    stream.fail('GetRecords', throttle(), 6)
    stream.write(shard, {})
    for (let time = 0; time < 200; time += 1) {
      await round()
      await clock.advance(100)
    }
    const reads = stream.take('GetRecords').map(({ atMs }) => atMs)
    expect(reads.slice(0, 7)).toEqual([0, 500, 1_500, 3_500, 7_500, 12_500, 17_500])
    expect([reports.throttled.length, reports.troubles, sequenceNumbers]).toEqual([6, [], ['1']])
    expect(asked('GetShardIterator')).toEqual([])
  })

  test('of one shard does not delay another', async () => {
    const [slow, fast] = [stream.add(), stream.add()]
    await settle()
    stream.fail('GetRecords', throttle())
    await round()
    stream.write(slow, {})
    stream.write(fast, {})
    await round()
    expect(sequenceNumbers).toEqual(['2'])
    await clock.advance(500)
    await round()
    expect(sequenceNumbers).toEqual(['2', '1'])
  })

  test('of the list is waited out too', async () => {
    stream.add()
    stream.fail('DescribeStream', throttle(), 2)
    await settle()
    await clock.advance(499)
    await settle()
    expect(stream.take('DescribeStream')).toHaveLength(1)
    await clock.advance(1)
    await settle()
    await clock.advance(1_000)
    await settle()
    expect(stream.take('DescribeStream').map(({ atMs }) => atMs)).toEqual([500, 1_500])
    expect([reports.throttled.length, walk.shards.size]).toEqual([2, 1])
  })
})

describe('any other error', () => {
  test('is reported, backed off from, and over with the first answer', async () => {
    const shard = stream.add()
    await settle()
    stream.write(shard, {})
    await round()
    stream.fail('GetRecords', unavailable())
    await round()
    stream.write(shard, {})
    await clock.advance(499)
    await round()
    expect(sequenceNumbers).toEqual(['1'])
    await clock.advance(1)
    await round()
    expect(sequenceNumbers).toEqual(['1', '2'])
    expect(reports.troubles).toMatchObject([{ code: 'store_unavailable' }])
  })

  test('before any record of a shard was seen, is a gap', async () => {
    stream.add()
    await settle()
    stream.fail('GetRecords', unavailable())
    await round()
    await clock.advance(500)
    expect(await settle()).toBe(true)
  })

  test('during a request for an iterator leaves the gap to the iterator that comes', async () => {
    stream.add()
    stream.fail('GetShardIterator', unavailable())
    expect(await settle()).toBe(false)
    await clock.advance(500)
    expect(await settle()).toBe(true)
  })

  test('is ignored when the walk was stopped meanwhile', async () => {
    stream.add()
    await settle()
    const over = new AbortController()
    over.abort()
    stream.fail('GetRecords', unavailable())
    stream.fail('DescribeStream', unavailable())
    await clock.advance(30_000)
    const needs = {
      client: stream.client,
      streamArn: STREAM_ARN,
      clock,
      random: () => 0,
      onRecords: () => {},
      onThrottled: (cause: unknown) => reports.throttled.push(cause),
      onTrouble: (cause: unknown) => reports.troubles.push(cause),
    }
    await runWalkRound(needs, walk, over.signal)
    expect(reports).toEqual({ throttled: [], troubles: [] })
  })
})

test('a back-off is reduced by up to half at random, so that two readers do not stay in step', async () => {
  stream.add()
  await settle()
  stream.fail('GetRecords', throttle())
  const needs = {
    client: stream.client,
    streamArn: STREAM_ARN,
    clock,
    random: () => 1,
    onRecords: () => {},
    onThrottled: () => {},
    onTrouble: () => {},
  }
  await runWalkRound(needs, walk, stop.signal)
  expect(walk.shards.get('shard-1')?.retryAtMs).toBe(START_MS + 250)
})
