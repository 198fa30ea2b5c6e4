/**
 * The schedule as deployed: only the rule invokes sweep here, so a sweep shows that the rule fires.
 * The test writes the records of a dead call into the store, as execute would have left them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { dynamoStore } from '../../adapters/dynamodb/client/sdk-store.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { freshName, holdOf } from '../contracts/fresh.ts'
import { balanceOf, createUser } from '../e2e/admin.ts'
import { untilTrue } from '../e2e/wait.ts'
import { type Deployment, deploymentOfProcess } from './deployment.ts'

/** The rule fires each minute; at the second time the hold is certainly stale. */
const RULE_MS_MAX = 150_000

let deployed: Deployment
let ports: ReturnType<typeof dynamoStorePorts>
const client = dynamoClient({})
beforeAll(async () => {
  deployed = await deploymentOfProcess()
  const { gatewayTable: gateway, sessionsTable: sessions } = deployed.outputs
  const tables = { gateway, sessions }
  ports = dynamoStorePorts(dynamoStore({ client, tables, clock: systemClock() }))
})
afterAll(() => client.destroy())

test('the rule fires each minute and has a stale hold refunded', {
  timeout: 2 * RULE_MS_MAX + 30_000,
}, async () => {
  const { uid } = await createUser(deployed, { username: freshName('zoe'), credits: 10 })
  const threeMinutesAgoMs = Date.now() - 180_000
  // The sweep never returns to a minute, and visits the last one that is over first: the second of these comes next.
  const minute = Math.floor(threeMinutesAgoMs / 60_000)
  await ports.sweepEntries.put({ uid, minute })
  await ports.sweepEntries.put({ uid, minute: minute + 2 })
  await ports.ledger.hold({
    uid,
    callId: 'call-of-the-dead-01',
    holdsMax: 32,
    hold: holdOf(1_000_000, { heldAtMs: threeMinutesAgoMs }),
  })
  expect(await balanceOf(deployed, uid)).toEqual({ credits: 9, onHold: 1 })
  await untilTrue(async () => (await balanceOf(deployed, uid)).onHold === 0, RULE_MS_MAX)
  expect(await balanceOf(deployed, uid)).toEqual({ credits: 10, onHold: 0 })
  // Written at the end of each run of sweep, which visits the minutes of a whole day first, and by no other function.
  await untilTrue(async () => (await ports.sweepEntries.readCursor()) !== undefined, RULE_MS_MAX)
})
