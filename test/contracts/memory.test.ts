/** The memory adapters keep the contracts, with and without a file behind them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import { openDatabase } from '../../adapters/memory/database.ts'
import { memoryStorePorts } from '../../adapters/memory/store-ports.ts'
import { describeStorePorts } from './store-contract.ts'
import { testClock } from './test-clock.ts'
import { oldServiceInMemory } from './v0-service.ts'

describeStorePorts('memory', async () => {
  const clock = testClock()
  const database = openDatabase()
  return { ...memoryStorePorts(database, clock), clock, old: oldServiceInMemory(database) }
})

describe('kept in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-database-'))
  const database = openDatabase({ file: join(folder, 'database.db') })
  afterAll(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })

  describeStorePorts('memory with a file', async () => {
    const clock = testClock()
    return { ...memoryStorePorts(database, clock), clock, old: oldServiceInMemory(database) }
  })
})
