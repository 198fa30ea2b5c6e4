/** The store of a test, which is gone with it. */
import { openLocalStore } from '../../../adapters/dynamodb/local-store.ts'
import type { Clock, StorePorts } from '../../../core/ports.ts'

export function memoryPorts(clock: Clock): StorePorts {
  return openLocalStore({ clock }).ports
}
