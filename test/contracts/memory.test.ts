/** The memory adapters, which tests run on, keep the contracts. */
import { openDatabase } from '../../adapters/memory/database.ts'
import { memoryStorePorts } from '../../adapters/memory/store-ports.ts'
import { describeChanges } from './changes-contract.ts'
import { describeStorePorts } from './store-contract.ts'
import { testClock } from './test-clock.ts'
import { oldServiceInMemory } from './v0-service.ts'

const makePorts = async () => {
  const clock = testClock()
  const database = openDatabase()
  return { ...memoryStorePorts(database, clock), clock, old: oldServiceInMemory(database) }
}

describeStorePorts('memory', makePorts)
describeChanges('memory', makePorts)
