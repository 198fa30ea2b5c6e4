/** The flows over a store in a file, as `npm start` has it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { openDatabase } from '../../adapters/sqlite/database/open-database.ts'
import { sqliteStorePorts } from '../../adapters/sqlite/store-ports.ts'
import { type FlowPorts, flowPorts } from '../lib/gateway.ts'

export type FileWorld = { readonly ports: FlowPorts; stop(): Promise<void> }

export function fileWorld(): FileWorld {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-bench-'))
  const database = openDatabase(join(folder, 'store.sqlite'))
  const clock = systemClock()
  const onTrouble = (cause: unknown) => console.error(cause)
  return {
    ports: flowPorts(sqliteStorePorts(database, clock, onTrouble), clock),
    stop: async () => {
      await database.close()
      rmSync(folder, { recursive: true })
    },
  }
}
