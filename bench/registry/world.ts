/** Runs the flows over a store in a file, as `npm start` does. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { openLocalStore } from '../../adapters/dynamodb/local-store.ts'
import { createFlowPorts, type FlowPorts } from '../lib/gateway.ts'

export type FileWorld = { readonly ports: FlowPorts; stop(): Promise<void> }

export function openFileWorld(): FileWorld {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-bench-'))
  const clock = systemClock()
  const onTrouble = (cause: unknown) => console.error(cause)
  const store = openLocalStore({ file: join(folder, 'items.sqlite'), clock, onTrouble })
  return {
    ports: createFlowPorts(store.ports, clock),
    stop: async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}
