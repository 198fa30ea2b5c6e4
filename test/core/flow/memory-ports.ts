/**
 * The store of a test, which is gone with it. Calls leave no holds behind: a test looks at the balance right behind the
 * last of several calls.
 */
import { openLocalStore } from '../../../adapters/dynamodb/local-store.ts'
import type { Clock, StorePorts } from '../../../core/ports.ts'

export function memoryPorts(clock: Clock): StorePorts {
  const { ports } = openLocalStore({ clock })
  const { callLookup } = ports
  return {
    ...ports,
    callLookup: {
      read: async (query) => {
        const { recentCalls: _left, ...records } = await callLookup.read(query)
        return records
      },
    },
  }
}
