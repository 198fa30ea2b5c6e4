/** The memory adapters keep the contracts, with and without a file behind them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import { openCells } from '../../adapters/memory/database.ts'
import { memoryStorePorts } from '../../adapters/memory/store-ports.ts'
import { describeStorePorts } from './store-contract.ts'
import { testClock } from './test-clock.ts'
import { oldServiceInMemory } from './v0-service.ts'

describeStorePorts('memory', async () => {
  const clock = testClock()
  const cells = openCells()
  return { ...memoryStorePorts(cells, clock), clock, old: oldServiceInMemory(cells) }
})

describe('kept in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-cells-'))
  const cells = openCells({ file: join(folder, 'cells.db') })
  afterAll(() => {
    cells.close()
    rmSync(folder, { recursive: true })
  })

  describeStorePorts('memory with a file', async () => {
    const clock = testClock()
    return { ...memoryStorePorts(cells, clock), clock, old: oldServiceInMemory(cells) }
  })
})
