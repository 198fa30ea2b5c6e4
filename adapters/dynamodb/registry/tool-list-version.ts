/**
 * mcp_broadcast:tools_changed: the time at which the tools list last changed for everyone. Only
 * grows.
 */
import { Fault } from '../../../core/errors.ts'
import type { ToolListVersion } from '../../../core/ports.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { intAt } from '../client/item.ts'
import type { UpdateAnswer } from '../client/update.ts'
import type { Permissions } from '../permission.ts'
import { BROADCAST_PK, toolListVersionKey } from '../table.ts'

export const TOOL_LIST_VERSION_PERMISSIONS: Permissions<ToolListVersion> = {
  read: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [BROADCAST_PK] }],
  write: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [BROADCAST_PK] }],
}

export function dynamoToolListVersion(store: DynamoStore): ToolListVersion {
  const table = store.tables.gateway
  return {
    // Strongly consistent: the first list after a refresh must see the new version.
    async read() {
      const item = await store.get(table, toolListVersionKey(), 'consistent')
      return item === undefined ? 0 : intAt(item, 'changedAtMs')
    },

    // Two broadcasts at once:  A sets 1000 ── B's `< 1000` is refused ── B adds one: 1001
    // Adding one is atomic, so every loser gets a time of its own. Our own write sent again after a
    // lost answer is refused by itself and adds one: a second, harmless refresh. Dying between the
    // two writes: nothing was written, and the administrator saw an error.
    async write(nowMs) {
      const first = await store.update(table, {
        key: toolListVersionKey(),
        set: 'SET #changedAtMs = :nowMs',
        if: 'attribute_not_exists(#pk) OR #changedAtMs < :nowMs',
        values: { nowMs },
      })
      if (first.kind === 'written') return intAt(first.item, 'changedAtMs')
      return changedAtMs(
        await store.update(table, {
          key: toolListVersionKey(),
          set: 'SET #changedAtMs = #changedAtMs + :one',
          values: { one: 1 },
        }),
      )
    },
  }
}

function changedAtMs(answer: UpdateAnswer): number {
  if (answer.kind === 'refused') throw new Fault('internal', 'store: refused without a condition')
  return intAt(answer.item, 'changedAtMs')
}
