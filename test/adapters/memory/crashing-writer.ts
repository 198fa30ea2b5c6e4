/** Run as a process of its own by database-file.test.ts: writes into the database file, then kills itself. */
import { openDatabase } from '../../../adapters/memory/database.ts'
import { memoryStorePorts } from '../../../adapters/memory/store-ports.ts'
import { holdOf, profileOf, settledOf } from '../../contracts/fresh.ts'
import { testClock } from '../../contracts/test-clock.ts'

const [, , file = ''] = process.argv
const ports = memoryStorePorts(openDatabase({ file }), testClock())
await ports.profiles.create(profileOf('u-1', { credits: 1_000_000 }))
await ports.ledger.grant({ uid: 'u-1', grantId: 'g1', amount: 500_000, creditsMax: 9e15, nowMs: 1 })
await ports.ledger.hold({
  uid: 'u-1',
  callId: 'c1',
  hold: holdOf(200_000, { writeToken: 'm' }),
  holdsMax: 32,
})
await ports.ledger.decide(settledOf('u-1', 'c1', 200_000))
process.kill(process.pid, 'SIGKILL')
