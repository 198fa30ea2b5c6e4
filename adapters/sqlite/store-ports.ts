/** All store ports over one database. */
import type { Clock, StorePorts } from '../../core/ports.ts'
import { sqliteKeys } from './accounts/keys.ts'
import { sqliteProfiles } from './accounts/profiles.ts'
import { sqliteMinutes } from './accounts/rate-counters.ts'
import { sqliteSecrets } from './accounts/secrets.ts'
import type { Database } from './database/database.ts'
import { sqliteAnswers } from './ledger/idempotency-records.ts'
import { sqliteLedger } from './ledger/ledger.ts'
import { sqliteSweepMarks } from './ledger/sweep-entries.ts'
import { sqliteLegacy } from './migration/v0.ts'
import { sqliteCallRecords } from './registry/call-lookup.ts'
import { sqliteSkills } from './registry/skills.ts'
import { sqliteBroadcast } from './registry/tool-list-version.ts'
import { sqliteToolsCache } from './registry/tools-cache.ts'
import { openBells } from './reply-stream/bells.ts'
import { sqliteReplies } from './reply-stream/replies.ts'
import { sqliteInputAnswers } from './sessions/client-responses.ts'
import { sqliteLeases } from './sessions/leases.ts'
import { sqliteSessions } from './sessions/sessions.ts'

export function sqliteStorePorts(
  database: Database,
  clock: Clock,
  /** Told of trouble that a stream waits out. */
  onTrouble: (cause: unknown) => void,
): StorePorts {
  const bells = openBells(database.isShared ? database.hasChanged : undefined)
  return {
    answers: sqliteAnswers(database, clock),
    broadcast: sqliteBroadcast(database),
    callRecords: sqliteCallRecords(database),
    inputAnswers: sqliteInputAnswers(database, clock),
    keys: sqliteKeys(database, clock),
    leases: sqliteLeases(database, clock),
    ledger: sqliteLedger(database),
    legacy: sqliteLegacy(database),
    minutes: sqliteMinutes(database, clock),
    profiles: sqliteProfiles(database),
    replies: sqliteReplies(database, clock, bells, onTrouble),
    secrets: sqliteSecrets(database),
    sessions: sqliteSessions(database, clock, bells),
    skills: sqliteSkills(database),
    sweepMarks: sqliteSweepMarks(database),
    toolsCache: sqliteToolsCache(database, clock),
  }
}
