/**
 * The shards of a table's stream, as one reader knows them: which there are, which may be read now,
 * and from where. Plain bookkeeping; asks nothing of AWS. Bound by docs/service.md, Reply delivery.
 *
 *   A ───────────┐ closed, drained        A child is read once its parent is drained, from its start:
 *                ├─ B …                   so a session's records keep their order over a roll.
 *                └─ C …
 */

/** A shard as the stream lists it. */
export type ListedShard = {
  readonly id: string
  readonly parent: string | undefined
  readonly closed: boolean
}

export type Shard = {
  readonly id: string
  readonly parent: string | undefined
  /** Where it begins as long as no record of it was seen. */
  from: 'LATEST' | 'TRIM_HORIZON'
  /** Sequence number of the last record that was seen. */
  seen: string | undefined
  /** Undefined: a new one must be asked for. */
  iterator: string | undefined
  /** Records may have been passed over on the way to the next iterator. */
  gap: boolean
  /** Its end was reached. */
  drained: boolean
  drainedAtMs: number
  /** Failures in a row, and when the next try is due. */
  failures: number
  retryAtMs: number
  readAtMs: number
}

export type Shards = Map<string, Shard>

/** Children of a shard that was drained so long ago may still come to be listed. */
export const CHILD_WAIT_MS = 60_000

/**
 * Takes in a listing. At the first one nobody has listened for longer than that: closed shards are
 * history, and others begin at their end. What turns up later began after that and is read whole.
 * A shard counts as closed only with a child beside it: the embedded store shows an end of the shard
 * that it still writes to. One that is closed without a child ends with its first read.
 */
export function learnShards(shards: Shards, listed: readonly ListedShard[], nowMs: number): void {
  const first = shards.size === 0
  const ids = new Set(listed.map(({ id }) => id))
  const parents = new Set(listed.map(({ parent }) => parent))
  for (const { id, drained } of shards.values()) if (drained && !ids.has(id)) shards.delete(id)
  for (const { id, parent, closed } of listed) {
    if (shards.has(id)) continue
    shards.set(id, {
      id,
      parent,
      from: first ? 'LATEST' : 'TRIM_HORIZON',
      seen: undefined,
      iterator: undefined,
      gap: first,
      drained: first && closed && parents.has(id),
      // So long ago that no child of it is waited for.
      drainedAtMs: nowMs - CHILD_WAIT_MS,
      failures: 0,
      retryAtMs: nowMs,
      readAtMs: nowMs,
    })
  }
}

/** Shards to read now: not drained, not backing off, and no parent before them. */
export function readableShards(shards: Shards, nowMs: number): readonly Shard[] {
  return [...shards.values()].filter(
    (shard) => !shard.drained && shard.retryAtMs <= nowMs && !waitsForParent(shards, shard),
  )
}

function waitsForParent(shards: Shards, { parent }: Shard): boolean {
  const before = parent === undefined ? undefined : shards.get(parent)
  return before !== undefined && !before.drained
}

/** True when a shard ended a short while ago and none of its children is listed yet. */
export function childMissing(shards: Shards, nowMs: number): boolean {
  const parents = new Set([...shards.values()].map(({ parent }) => parent))
  return [...shards.values()].some(
    ({ drained, drainedAtMs, id }) =>
      drained && nowMs - drainedAtMs < CHILD_WAIT_MS && !parents.has(id),
  )
}

/** When the shard that was read longest ago was read; undefined when there is none to read. */
export function oldestReadMs(shards: Shards): number | undefined {
  const open = [...shards.values()].filter(
    (shard) => !shard.drained && !waitsForParent(shards, shard),
  )
  if (open.length === 0) return undefined
  return Math.min(...open.map(({ readAtMs }) => readAtMs))
}

/** Where the next iterator of a shard begins. */
export function startOf({ from, seen }: Shard): {
  readonly ShardIteratorType: 'LATEST' | 'TRIM_HORIZON' | 'AFTER_SEQUENCE_NUMBER'
  readonly SequenceNumber?: string
} {
  if (seen === undefined) return { ShardIteratorType: from }
  return { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: seen }
}
