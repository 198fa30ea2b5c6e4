/** Lists all shards of a stream, page after page, up to a limit. */
import { DescribeStreamCommand, type DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { Fault } from '../../../core/errors.ts'
import type { ListedShard } from './shards.ts'

/** Pages of shards: 2,000 shards mean a table with far more streams than this tail serves. */
export const PAGES_MAX = 20
const PAGE_SHARDS = 100

export async function listShards(
  client: DynamoDBStreamsClient,
  streamArn: string,
  abortSignal: AbortSignal,
): Promise<readonly ListedShard[]> {
  const listed: ListedShard[] = []
  let from: string | undefined
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const input = {
      StreamArn: streamArn,
      Limit: PAGE_SHARDS,
      ...(from === undefined ? {} : { ExclusiveStartShardId: from }),
    }
    const { StreamDescription } = await client.send(new DescribeStreamCommand(input), {
      abortSignal,
    })
    for (const { ShardId, ParentShardId, SequenceNumberRange } of StreamDescription?.Shards ?? []) {
      if (ShardId === undefined) continue
      const closed = SequenceNumberRange?.EndingSequenceNumber !== undefined
      listed.push({ id: ShardId, parent: ParentShardId, closed })
    }
    from = StreamDescription?.LastEvaluatedShardId
    if (from === undefined) return listed
  }
  throw new Fault(
    'internal',
    `stream: has over ${PAGES_MAX * PAGE_SHARDS} shards, more than this tail reads; set REPLY_TAIL=partition`,
  )
}
