/** All store ports over one set of cells. */
import type { Clock, StorePorts } from '../../core/ports.ts'
import { memoryCallRecords } from './call-lookup.ts'
import { memoryInputAnswers } from './client-responses.ts'
import type { Cells } from './database.ts'
import { memoryAnswers } from './idempotency-records.ts'
import { memoryKeys } from './keys.ts'
import { memoryLeases } from './leases.ts'
import { memoryLedger } from './ledger.ts'
import { memoryProfiles } from './profiles.ts'
import { memoryMinutes } from './rate-counters.ts'
import { memoryReplies } from './replies.ts'
import { memorySecrets } from './secrets.ts'
import { memorySessions } from './sessions.ts'
import { memorySkills } from './skills.ts'
import { memorySweepEntries } from './sweep-entries.ts'
import { memoryBroadcast } from './tool-list-version.ts'
import { memoryToolsCache } from './tools-cache.ts'
import { memoryLegacy } from './v0.ts'

export function memoryStorePorts(cells: Cells, clock: Clock): StorePorts {
  return {
    keys: memoryKeys(cells, clock),
    minutes: memoryMinutes(cells, clock),
    skills: memorySkills(cells),
    callRecords: memoryCallRecords(cells),
    toolsCache: memoryToolsCache(cells, clock),
    broadcast: memoryBroadcast(cells),
    profiles: memoryProfiles(cells),
    ledger: memoryLedger(cells),
    legacy: memoryLegacy(cells),
    sweepEntries: memorySweepEntries(cells),
    answers: memoryAnswers(cells, clock),
    sessions: memorySessions(cells, clock),
    replies: memoryReplies(cells, clock),
    leases: memoryLeases(cells, clock),
    inputAnswers: memoryInputAnswers(cells, clock),
    secrets: memorySecrets(cells),
  }
}
