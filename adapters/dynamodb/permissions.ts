/**
 * What every method of every store port touches, gathered from beside its code. The one file of this
 * room, with table.ts, that deploy time may read; no function imports it.
 */
import type { StorePorts } from '../../core/ports.ts'
import { KEYS_TOUCHES } from './accounts/keys.ts'
import { PROFILES_TOUCHES } from './accounts/profiles.ts'
import { MINUTES_TOUCHES } from './accounts/rate-counters.ts'
import { SECRETS_TOUCHES } from './accounts/secrets.ts'
import { ANSWERS_TOUCHES } from './ledger/idempotency-records.ts'
import { LEDGER_TOUCHES } from './ledger/ledger.ts'
import { SWEEP_MARKS_TOUCHES } from './ledger/sweep-entries.ts'
import { LEGACY_TOUCHES } from './migration/v0.ts'
import type { Touches } from './permission.ts'
import { CALL_RECORDS_TOUCHES } from './registry/call-lookup.ts'
import { SKILLS_TOUCHES } from './registry/skills.ts'
import { BROADCAST_TOUCHES } from './registry/tool-list-version.ts'
import { TOOLS_CACHE_TOUCHES } from './registry/tools-cache.ts'
import { STREAM_TAIL_TOUCHES } from './reply-stream/open-reply-tail.ts'
import { INPUT_ANSWERS_TOUCHES } from './sessions/client-responses.ts'
import { LEASES_TOUCHES } from './sessions/leases.ts'
import { REPLIES_TOUCHES } from './sessions/replies.ts'
import { SESSIONS_TOUCHES } from './sessions/sessions.ts'

export type { Touch, TouchAction } from './permission.ts'

export type StoreTouches = { readonly [port in keyof StorePorts]: Touches<StorePorts[port]> }

/** On the stream of the Sessions table, where a door tails it; records of a stream have no key. */
export const STREAM_ACTIONS: readonly string[] = STREAM_TAIL_TOUCHES.actions

export const STORE_TOUCHES: StoreTouches = {
  answers: ANSWERS_TOUCHES,
  broadcast: BROADCAST_TOUCHES,
  callRecords: CALL_RECORDS_TOUCHES,
  inputAnswers: INPUT_ANSWERS_TOUCHES,
  keys: KEYS_TOUCHES,
  leases: LEASES_TOUCHES,
  ledger: LEDGER_TOUCHES,
  legacy: LEGACY_TOUCHES,
  minutes: MINUTES_TOUCHES,
  profiles: PROFILES_TOUCHES,
  replies: REPLIES_TOUCHES,
  secrets: SECRETS_TOUCHES,
  sessions: SESSIONS_TOUCHES,
  skills: SKILLS_TOUCHES,
  sweepMarks: SWEEP_MARKS_TOUCHES,
  toolsCache: TOOLS_CACHE_TOUCHES,
}
