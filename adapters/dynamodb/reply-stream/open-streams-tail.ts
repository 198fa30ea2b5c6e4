/**
 * The `dynamodb-streams` tail with its client: all that reply-tail.ts loads, behind one import.
 * With several imports a bundle would be cut into more files, and every cold start would open some
 * of them.
 */

import { partitionReads } from '../sessions/replies.ts'
import type { OpenTail, TailNeeds } from './open-reply-tail.ts'
import { AWS_PACE, LOCAL_PACE } from './read-pace.ts'
import { streamsClient } from './streams-client.ts'
import { streamsTail } from './streams-tail.ts'

export function openStreamsTail(streamArn: string, needs: TailNeeds): OpenTail {
  const { leases, log, pace, reach, store } = needs
  const client = streamsClient(reach ?? {})
  const tail = streamsTail({
    client,
    streamArn,
    clock: store.clock,
    random: Math.random,
    pace: pace === 'aws' ? AWS_PACE : LOCAL_PACE,
    reads: (hash) => partitionReads(store, hash),
    leases,
    log,
    onTrouble: (cause) => store.onTrouble(cause),
  })
  return { tail, close: () => client.destroy() }
}
