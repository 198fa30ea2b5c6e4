/** All store ports over one store: for hosts of every door at once; a deployed door takes its own. */
import type { ReplyStream, StorePorts } from '../../core/ports.ts'
import { dynamoAnswers } from './answers.ts'
import { dynamoBroadcast } from './broadcast.ts'
import { dynamoCallRecords } from './call-records.ts'
import { dynamoInputAnswers } from './input-answers.ts'
import { dynamoKeys } from './keys.ts'
import { dynamoLeases } from './leases.ts'
import { dynamoLedger } from './ledger.ts'
import { dynamoLegacy } from './legacy.ts'
import { dynamoMinutes } from './minutes.ts'
import { dynamoProfiles } from './profiles.ts'
import { dynamoReplies } from './replies.ts'
import { dynamoSecrets } from './secrets.ts'
import { dynamoSessions } from './sessions.ts'
import { dynamoSkills } from './skills.ts'
import type { DynamoStore } from './store.ts'
import { dynamoSweepMarks } from './sweep-marks.ts'
import { dynamoToolsCache } from './tools-cache.ts'

export function dynamoStorePorts(
  store: DynamoStore,
  options: { readonly sharedCacheMs?: number; readonly tail?: ReplyStream['tail'] } = {},
): StorePorts {
  return {
    answers: dynamoAnswers(store),
    broadcast: dynamoBroadcast(store),
    callRecords: dynamoCallRecords(store, options),
    inputAnswers: dynamoInputAnswers(store),
    keys: dynamoKeys(store),
    leases: dynamoLeases(store),
    ledger: dynamoLedger(store),
    legacy: dynamoLegacy(store),
    minutes: dynamoMinutes(store),
    profiles: dynamoProfiles(store),
    replies: dynamoReplies(store, options.tail),
    secrets: dynamoSecrets(store),
    sessions: dynamoSessions(store),
    skills: dynamoSkills(store),
    sweepMarks: dynamoSweepMarks(store),
    toolsCache: dynamoToolsCache(store),
  }
}
