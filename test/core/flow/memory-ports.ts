/** The store of a test, which is gone with it. */
import { openLocalStore } from '../../../adapters/dynamodb/local-store.ts'
import type { Clock } from '../../../core/ports/outside.ts'
import type { StorePorts } from '../../../core/ports/ports.ts'

export function memoryPorts(clock: Clock): StorePorts {
  return openLocalStore({ clock }).ports
}
