/**
 * mcp_broadcast:tools_changed: the time of the last change of the tool list for all users. It only
 * grows. Readers use copies, since one partition key could not serve all streams (docs/design/store.md#the-broadcast).
 */
import { Fault } from '../../../core/errors.ts'
import type { ToolListVersion } from '../../../core/ports/registry.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { intAt } from '../client/item.ts'
import type { UpdateAnswer } from '../client/update.ts'
import type { Permissions } from '../permission.ts'
import {
  BROADCAST_COPIES_PK,
  BROADCAST_PK,
  toolListVersionCopyKey,
  toolListVersionKey,
} from '../table.ts'
import {
  LIST_VERSION_COPIES,
  type ListVersionCache,
  listVersionCache,
  type VersionRead,
} from './list-version-cache.ts'

const KEY_PREFIXES = [BROADCAST_PK, BROADCAST_COPIES_PK]

export const TOOL_LIST_VERSION_PERMISSIONS: Permissions<ToolListVersion> = {
  read: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: KEY_PREFIXES }],
  recent: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: KEY_PREFIXES }],
  write: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: KEY_PREFIXES }],
}

export function dynamoToolListVersion(
  store: DynamoStore,
  versions: ListVersionCache = listVersionCache(store.clock),
): ToolListVersion {
  const table = store.tables.gateway
  const read = ({ keep, keys }: VersionRead, how: 'consistent' | 'eventual') => {
    const found = Promise.all(keys.map((key) => store.get(table, key, how)))
    return keep(
      found.then((items) =>
        Math.max(...items.map((item) => (item === undefined ? 0 : intAt(item, 'changedAtMs')))),
      ),
    )
  }
  return {
    // Strongly consistent: the first list after a refresh must see the new version.
    read: () => read(versions.begin(), 'consistent'),

    recent: (ageMsMax) => versions.recent(ageMsMax) ?? read(versions.begin(), 'eventual'),

    // Two broadcasts at once:  A sets 1000 ── B's `< 1000` is refused ── B adds one: 1001
    // The addition is atomic, so every loser gets a time of its own. A write that is repeated after
    // a lost answer is refused by itself and adds one: a second, harmless refresh. Dying between
    // the two writes: nothing was written, and the administrator gets an error.
    //   the record ── all copies at once ── answered
    // Copies only grow. So each copy ends with the later of two broadcasts in any order, and a late
    // copy of a request changes nothing. Dying between the copies: the administrator gets an error,
    // and processes read the record within LIST_VERSION_HEAD_MS.
    async write(nowMs) {
      const version = await drawVersion(store, nowMs)
      await Promise.all(
        Array.from({ length: LIST_VERSION_COPIES }, (_, copy) =>
          store.change(table, {
            key: toolListVersionCopyKey(copy),
            set: 'SET #changedAtMs = :version',
            if: 'attribute_not_exists(#pk) OR #changedAtMs < :version',
            values: { version },
          }),
        ),
      )
      versions.noteWritten(version)
      return version
    },
  }
}

/** Draws a version that no other broadcast has. */
async function drawVersion(store: DynamoStore, nowMs: number): Promise<number> {
  const table = store.tables.gateway
  const first = await store.update(table, {
    key: toolListVersionKey(),
    set: 'SET #changedAtMs = :nowMs',
    if: 'attribute_not_exists(#pk) OR #changedAtMs < :nowMs',
    values: { nowMs },
  })
  if (first.kind === 'written') return intAt(first.item, 'changedAtMs')
  return readChangedAt(
    await store.update(table, {
      key: toolListVersionKey(),
      set: 'SET #changedAtMs = #changedAtMs + :one',
      values: { one: 1 },
    }),
  )
}

function readChangedAt(answer: UpdateAnswer): number {
  if (answer.kind === 'refused') throw new Fault('internal', 'store: refused without a condition')
  return intAt(answer.item, 'changedAtMs')
}
