import { describe, expect, test } from 'vitest'
import {
  addShards,
  findOldestReadMs,
  isChildMissing,
  type ListedShard,
  listReadableShards,
  makeIteratorStart,
  type Shard,
  type Shards,
} from '../../../../adapters/dynamodb/reply-stream/shards.ts'

const NOW = 2_000_000_000_000

function listed(id: string, parent?: string, closed = false): ListedShard {
  return { id, parent, closed }
}

function shardOf(shards: Shards, id: string): Shard {
  const shard = shards.get(id)
  if (shard === undefined) throw new Error(`no shard ${id}`)
  return shard
}

function drain(shards: Shards, id: string, atMs: number): void {
  Object.assign(shardOf(shards, id), { drained: true, drainedAtMs: atMs })
}

function readable(shards: Shards, nowMs = NOW): readonly string[] {
  return listReadableShards(shards, nowMs).map(({ id }) => id)
}

describe('the shards of a stream', () => {
  test('are history where closed, and are read from their end where open, at the first listing', () => {
    const shards: Shards = new Map()
    addShards(shards, [listed('a', undefined, true), listed('b', 'a'), listed('c', 'a')], NOW)
    expect(readable(shards)).toEqual(['b', 'c'])
    expect(makeIteratorStart(shardOf(shards, 'b'))).toEqual({ ShardIteratorType: 'LATEST' })
    expect(shardOf(shards, 'b').gap).toBe(true)
  })

  test('include one that shows an end without a child: the embedded store lists its open shard so', () => {
    const shards: Shards = new Map()
    addShards(shards, [listed('a', undefined, true)], NOW)
    expect(readable(shards)).toEqual(['a'])
  })

  test('include later children, which are read from their start once their parent is drained', () => {
    const shards: Shards = new Map()
    addShards(shards, [listed('a')], NOW)
    addShards(shards, [listed('a', undefined, true), listed('b', 'a')], NOW)
    expect(readable(shards)).toEqual(['a'])
    drain(shards, 'a', NOW)
    expect(readable(shards)).toEqual(['b'])
    expect(makeIteratorStart(shardOf(shards, 'b'))).toEqual({ ShardIteratorType: 'TRIM_HORIZON' })
    expect(shardOf(shards, 'b').gap).toBe(false)
  })

  test('include a child of an unknown parent, which is read at once', () => {
    const shards: Shards = new Map()
    addShards(shards, [listed('a')], NOW)
    addShards(shards, [listed('a'), listed('z', 'y')], NOW)
    expect(readable(shards)).toEqual(['a', 'z'])
  })

  test('include one that opened and closed between two listings, read before its child', () => {
    const shards: Shards = new Map()
    addShards(shards, [listed('a')], NOW)
    drain(shards, 'a', NOW)
    const more = [listed('a', undefined, true), listed('b', 'a', true), listed('c', 'b')]
    addShards(shards, more, NOW)
    expect(readable(shards)).toEqual(['b'])
    drain(shards, 'b', NOW)
    expect(readable(shards)).toEqual(['c'])
  })

  test('continue after the last record that was seen', () => {
    const shards: Shards = new Map()
    addShards(shards, [listed('a')], NOW)
    shardOf(shards, 'a').lastSequenceNumber = '17'
    expect(makeIteratorStart(shardOf(shards, 'a'))).toEqual({
      ShardIteratorType: 'AFTER_SEQUENCE_NUMBER',
      SequenceNumber: '17',
    })
  })

  test('are not read before their back-off has passed', () => {
    const shards: Shards = new Map()
    addShards(shards, [listed('a')], NOW)
    shardOf(shards, 'a').retryAtMs = NOW + 500
    expect(readable(shards, NOW + 499)).toEqual([])
    expect(readable(shards, NOW + 500)).toEqual(['a'])
  })

  test('are forgotten once drained and no longer listed; an open one is not', () => {
    const shards: Shards = new Map()
    addShards(shards, [listed('a'), listed('b')], NOW)
    drain(shards, 'a', NOW)
    addShards(shards, [], NOW)
    expect([...shards.keys()]).toEqual(['b'])
  })

  test('the stream lacks a child for a minute after its parent was drained, or until the child is listed', () => {
    const shards: Shards = new Map()
    addShards(shards, [listed('a')], NOW)
    expect(isChildMissing(shards, NOW)).toBe(false)
    drain(shards, 'a', NOW)
    expect(isChildMissing(shards, NOW + 59_999)).toBe(true)
    expect(isChildMissing(shards, NOW + 60_000)).toBe(false)
    addShards(shards, [listed('a', undefined, true), listed('b', 'a')], NOW)
    expect(isChildMissing(shards, NOW)).toBe(false)
  })

  test('the stream lacks no child of a shard that was history from the start', () => {
    const shards: Shards = new Map()
    addShards(shards, [listed('a', undefined, true), listed('b', 'a')], NOW)
    shards.delete('b')
    expect(isChildMissing(shards, NOW)).toBe(false)
  })

  test('the shard that was read longest ago shows whether the reader keeps up', () => {
    const shards: Shards = new Map()
    addShards(shards, [listed('a'), listed('b'), listed('c', 'b')], NOW)
    shardOf(shards, 'a').readAtMs = NOW + 200
    shardOf(shards, 'b').readAtMs = NOW + 100
    expect(findOldestReadMs(shards)).toBe(NOW + 100)
    drain(shards, 'b', NOW)
    drain(shards, 'a', NOW)
    expect(findOldestReadMs(shards)).toBe(NOW)
    drain(shards, 'c', NOW)
    expect(findOldestReadMs(shards)).toBe(undefined)
  })
})
