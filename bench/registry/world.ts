/** Runs the flows over a store in a file, as `npm start` does. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { openLocalStore } from '../../adapters/dynamodb/local-store.ts'
import { createFlowPorts, type FlowPorts } from '../lib/gateway.ts'

export type FileWorld = { readonly ports: FlowPorts; stop(): Promise<void> }

/** Opens a store in a folder of its own, which `stop` removes. */
export function openFileWorld(): FileWorld {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-bench-'))
  const { ports, stop } = openWorldIn(join(folder, 'items.sqlite'))
  return { ports, stop: () => stop().then(() => rmSync(folder, { recursive: true })) }
}

/** Opens the store of a file, which `stop` leaves. */
export function openWorldIn(file: string): FileWorld {
  const clock = systemClock()
  const onTrouble = (cause: unknown) => console.error(cause)
  const store = openLocalStore({ file, clock, onTrouble })
  return { ports: createFlowPorts(store.ports, clock), stop: () => store.close() }
}
