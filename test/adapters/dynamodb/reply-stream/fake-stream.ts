/**
 * The streams API as AWS describes it, with a clock that the test moves: shards with parents,
 * sequence numbers, iterators that expire after 15 minutes, trimming, pages, throttling. Answers
 * through aws-sdk-client-mock, so the real client's commands and errors pass through the code under
 * test.
 */
import {
  DescribeStreamCommand,
  type DescribeStreamInput,
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type GetShardIteratorInput,
  ResourceNotFoundException,
  type _Record as StreamRecord,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams'
import { mockClient } from 'aws-sdk-client-mock'
import type { Clock } from '../../../../core/ports/outside.ts'

export const STREAM_ARN = 'arn:aws:dynamodb:eu-central-1:1:table/Sessions/stream/1'
const ITERATOR_MS = 15 * 60_000
const RECORDS_MAX = 1_000

type FakeShard = {
  readonly id: string
  readonly parent: string | undefined
  readonly records: StreamRecord[]
  /** Records before this place are trimmed. */
  trimmed: number
  closed: boolean
}

export type StreamRequest = {
  readonly command: string
  readonly shard: string
  readonly atMs: number
}

export type FakeStream = ReturnType<typeof fakeStream>

export function fakeStream(clock: Pick<Clock, 'nowMs'>) {
  const shards = new Map<string, FakeShard>()
  const asked: StreamRequest[] = []
  const startMs = clock.nowMs()
  /** Queued errors, by command; each is thrown once. */
  const failures: { readonly command: string; readonly cause: Error }[] = []
  const stream = { pageShards: 100, recordsMax: RECORDS_MAX, hidden: new Set<string>() }
  let sequence = 0
  let made = 0

  const add = (parent?: string): FakeShard => {
    made += 1
    const shard = { id: `shard-${made}`, parent, records: [], trimmed: 0, closed: false }
    shards.set(shard.id, shard)
    return shard
  }
  const shardOf = (id: string): FakeShard => {
    const shard = shards.get(id)
    if (shard === undefined) throw new ResourceNotFoundException({ message: id, $metadata: {} })
    return shard
  }
  const note = (command: string, shard: string) => {
    asked.push({ command, shard, atMs: clock.nowMs() - startMs })
    const at = failures.findIndex((one) => one.command === command)
    const [failure] = at < 0 ? [] : failures.splice(at, 1)
    if (failure !== undefined) throw failure.cause
  }

  const describe = ({ ExclusiveStartShardId, Limit }: DescribeStreamInput) => {
    note('DescribeStream', '')
    const listed = [...shards.values()].filter(({ id }) => !stream.hidden.has(id))
    const from = listed.findIndex(({ id }) => id === ExclusiveStartShardId) + 1
    const page = listed.slice(from, from + Math.min(stream.pageShards, Limit ?? 100))
    const last = page.at(-1)?.id
    return {
      StreamDescription: {
        Shards: page.map(({ id, parent, closed }) => ({
          ShardId: id,
          ...(parent === undefined ? {} : { ParentShardId: parent }),
          SequenceNumberRange: closed
            ? { StartingSequenceNumber: '1', EndingSequenceNumber: '9' }
            : { StartingSequenceNumber: '1' },
        })),
        ...(from + page.length < listed.length && last !== undefined
          ? { LastEvaluatedShardId: last }
          : {}),
      },
    }
  }

  const iterator = (shard: FakeShard, at: number) => `${shard.id}/${at}/${clock.nowMs()}`
  const getIterator = ({ SequenceNumber, ShardId, ShardIteratorType }: GetShardIteratorInput) => {
    note('GetShardIterator', ShardId ?? '')
    const shard = shardOf(ShardId ?? '')
    if (ShardIteratorType === 'LATEST') {
      return { ShardIterator: iterator(shard, shard.records.length) }
    }
    if (ShardIteratorType === 'TRIM_HORIZON') {
      return { ShardIterator: iterator(shard, shard.trimmed) }
    }
    const at = shard.records.findIndex((one) => one.dynamodb?.SequenceNumber === SequenceNumber)
    if (at < shard.trimmed) throw new TrimmedDataAccessException({ message: '', $metadata: {} })
    return { ShardIterator: iterator(shard, at + 1) }
  }

  const getRecords = ({ ShardIterator = '' }: { ShardIterator?: string | undefined }) => {
    const [id = '', at = '', madeAt = ''] = ShardIterator.split('/')
    note('GetRecords', id)
    const shard = shardOf(id)
    if (clock.nowMs() - Number(madeAt) >= ITERATOR_MS) {
      throw new ExpiredIteratorException({ message: '', $metadata: {} })
    }
    if (Number(at) < shard.trimmed) {
      throw new TrimmedDataAccessException({ message: '', $metadata: {} })
    }
    const Records = shard.records.slice(Number(at), Number(at) + stream.recordsMax)
    const next = Number(at) + Records.length
    if (shard.closed && next >= shard.records.length) return { Records }
    return { Records, NextShardIterator: iterator(shard, next) }
  }

  const client = new DynamoDBStreamsClient({ region: 'eu-central-1' })
  const mock = mockClient(client)
  mock.on(DescribeStreamCommand).callsFake(describe)
  mock.on(GetShardIteratorCommand).callsFake(getIterator)
  mock.on(GetRecordsCommand).callsFake(getRecords)

  return {
    client,
    asked,
    settings: stream,
    add,
    /** Puts a record at the end of a shard; answers its sequence number. */
    write: (shard: FakeShard, record: Omit<StreamRecord, 'eventID'>) => {
      sequence += 1
      const SequenceNumber = String(sequence)
      shard.records.push({ ...record, dynamodb: { ...record.dynamodb, SequenceNumber } })
      return SequenceNumber
    },
    /** Closes a shard; later records go to its children. */
    split: (shard: FakeShard, children: number): readonly FakeShard[] => {
      shard.closed = true
      return Array.from({ length: children }, () => add(shard.id))
    },
    trim: (shard: FakeShard) => {
      shard.trimmed = shard.records.length
    },
    forget: (shard: FakeShard) => shards.delete(shard.id),
    fail: (command: string, cause: Error, times = 1) => {
      for (let time = 0; time < times; time += 1) failures.push({ command, cause })
    },
    /** Ends all failures. */
    heal: () => {
      failures.length = 0
    },
    /** Requests of one kind since the last call. */
    take: (command?: string): readonly StreamRequest[] => {
      const all = asked.splice(0)
      return command === undefined ? all : all.filter((one) => one.command === command)
    },
  }
}

export type Shard = FakeShard
