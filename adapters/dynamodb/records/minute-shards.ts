/** Writes a user's entry of a minute, even while its own shard is throttled. */
import { isThrottled } from '../client/retry-conflicts.ts'
import { type Key, minuteKey } from '../table.ts'

/** `write` gets the key in the own shard, and after a throttle the one in the opposite shard. */
export async function enterInMinute<T>(
  minute: number,
  sk: string,
  write: (key: Key) => Promise<T>,
): Promise<T> {
  try {
    return await write(minuteKey(minute, sk))
  } catch (cause) {
    if (!isThrottled(cause)) throw cause
    return await write(minuteKey(minute, sk, 'opposite'))
  }
}
