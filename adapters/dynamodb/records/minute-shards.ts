/** Enters a user in a minute, also while the shard that should take the entry is throttled. */
import { isThrottled } from '../client/throttles.ts'
import { type Key, minuteKey } from '../table.ts'

/** `write` gets the key in the own shard, then that in the opposite one: the sweep lists both. */
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
