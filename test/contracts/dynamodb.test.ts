/** The store contract over DynamoDB: the embedded one, started here on a free port. */
import { afterAll } from 'vitest'
import { dynamoAnswers } from '../../adapters/dynamodb/answers.ts'
import { dynamoBroadcast } from '../../adapters/dynamodb/broadcast.ts'
import { dynamoCallRecords } from '../../adapters/dynamodb/call-records.ts'
import { dynamoKeys } from '../../adapters/dynamodb/keys.ts'
import { dynamoLeases } from '../../adapters/dynamodb/leases.ts'
import { dynamoLedger } from '../../adapters/dynamodb/ledger.ts'
import { dynamoMinutes } from '../../adapters/dynamodb/minutes.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/profiles.ts'
import { dynamoReplies } from '../../adapters/dynamodb/replies.ts'
import { dynamoSessions } from '../../adapters/dynamodb/sessions.ts'
import { dynamoSkills } from '../../adapters/dynamodb/skills.ts'
import { dynamoSweepMarks } from '../../adapters/dynamodb/sweep-marks.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/tools-cache.ts'
import { embeddedStore } from '../adapters/dynamodb/embedded-store.ts'
import { describeStorePorts } from './store-contract.ts'
import { testClock } from './test-clock.ts'

let stop: (() => Promise<void>) | undefined
afterAll(() => stop?.())

describeStorePorts('dynamodb', async () => {
  const clock = testClock()
  const embedded = await embeddedStore({ clock })
  stop = embedded.stop
  const { store } = embedded
  return {
    clock,
    answers: dynamoAnswers(store),
    broadcast: dynamoBroadcast(store),
    callRecords: dynamoCallRecords(store),
    keys: dynamoKeys(store),
    leases: dynamoLeases(store),
    ledger: dynamoLedger(store),
    minutes: dynamoMinutes(store),
    profiles: dynamoProfiles(store),
    replies: dynamoReplies(store),
    sessions: dynamoSessions(store),
    skills: dynamoSkills(store),
    sweepMarks: dynamoSweepMarks(store),
    toolsCache: dynamoToolsCache(store),
  }
})
