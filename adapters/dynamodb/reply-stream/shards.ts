/**
 * Bookkeeping of a reader about the shards of a stream: which shards exist, which ones to read now,
 * and where to begin. This file sends no request. Bound by docs/service.md, Reply delivery.
 *
 *   A ───────────┐ closed, drained        A child is read once its parent is drained, from its start:
 *                ├─ B …                   so a session's records keep their order across shards.
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
  /** Where reading starts while no record has been seen. */
  from: 'LATEST' | 'TRIM_HORIZON'
  /** Sequence number of the last record that was read. */
  lastSequenceNumber: string | undefined
  /** Undefined if a new iterator must be requested. */
  iterator: string | undefined
  /** Records may have been skipped before the next iterator. */
  gap: boolean
  /** The reader reached its end. */
  drained: boolean
  drainedAtMs: number
  /** Failures in a row, and the time of the next attempt. */
  failures: number
  retryAtMs: number
  readAtMs: number
}

export type Shards = Map<string, Shard>

/** After a shard is drained, AWS may take this long to list its children. */
export const CHILD_WAIT_MS = 60_000

/**
 * Adds the shards of a listing. At the first listing there was no listener before, so closed shards
 * are skipped and the others are read from their end. A shard that is listed later began later, and
 * is read from its start. If an earlier process has `seen` records, by shard, each shard is read
 * after its record, or from its start.
 *
 * A closed shard is treated as closed only if a child is listed: the embedded store reports an end
 * of the shard that it still writes. A closed shard without a child ends with its first read.
 */
export function addShards(
  shards: Shards,
  listed: readonly ListedShard[],
  nowMs: number,
  seen?: ReadonlyMap<string, string>,
): void {
  const first = shards.size === 0 && seen === undefined
  const ids = new Set(listed.map(({ id }) => id))
  const parents = new Set(listed.map(({ parent }) => parent))
  for (const { id, drained } of shards.values()) if (drained && !ids.has(id)) shards.delete(id)
  for (const { id, parent, closed } of listed) {
    if (shards.has(id)) continue
    shards.set(id, {
      id,
      parent,
      from: first ? 'LATEST' : 'TRIM_HORIZON',
      lastSequenceNumber: seen?.get(id),
      iterator: undefined,
      gap: first,
      drained: first && closed && parents.has(id),
      // So far in the past that no child of the shard is expected.
      drainedAtMs: nowMs - CHILD_WAIT_MS,
      failures: 0,
      retryAtMs: nowMs,
      readAtMs: nowMs,
    })
  }
}

/**
 * Shards to read now: not drained, not in a back-off, and without a parent that must be read first.
 */
export function listReadableShards(shards: Shards, nowMs: number): readonly Shard[] {
  return [...shards.values()].filter(
    (shard) => !shard.drained && shard.retryAtMs <= nowMs && !waitsForParent(shards, shard),
  )
}

function waitsForParent(shards: Shards, { parent }: Shard): boolean {
  const before = parent === undefined ? undefined : shards.get(parent)
  return before !== undefined && !before.drained
}

/** True if a shard was drained within CHILD_WAIT_MS and no child of it is listed yet. */
export function isChildMissing(shards: Shards, nowMs: number): boolean {
  const parents = new Set([...shards.values()].map(({ parent }) => parent))
  return [...shards.values()].some(
    ({ drained, drainedAtMs, id }) =>
      drained && nowMs - drainedAtMs < CHILD_WAIT_MS && !parents.has(id),
  )
}

/** When the longest unread shard was read (epoch ms); undefined if there is no shard to read. */
export function findOldestReadMs(shards: Shards): number | undefined {
  const open = [...shards.values()].filter(
    (shard) => !shard.drained && !waitsForParent(shards, shard),
  )
  if (open.length === 0) return undefined
  return Math.min(...open.map(({ readAtMs }) => readAtMs))
}

/** The start of a shard's next iterator. */
export function makeIteratorStart({ from, lastSequenceNumber }: Shard): {
  readonly ShardIteratorType: 'LATEST' | 'TRIM_HORIZON' | 'AFTER_SEQUENCE_NUMBER'
  readonly SequenceNumber?: string
} {
  if (lastSequenceNumber === undefined) return { ShardIteratorType: from }
  return { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: lastSequenceNumber }
}
