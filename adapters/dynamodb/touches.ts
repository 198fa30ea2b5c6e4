/**
 * What every method of every store port touches, gathered from beside its code. The one file of this
 * room, with table.ts, that deploy time may read; no function imports it.
 */
import type { StorePorts } from '../../core/ports.ts'
import { ANSWERS_TOUCHES } from './answers.ts'
import { BROADCAST_TOUCHES } from './broadcast.ts'
import { CALL_RECORDS_TOUCHES } from './call-records.ts'
import { INPUT_ANSWERS_TOUCHES } from './input-answers.ts'
import { KEYS_TOUCHES } from './keys.ts'
import { LEASES_TOUCHES } from './leases.ts'
import { LEDGER_TOUCHES } from './ledger.ts'
import { LEGACY_TOUCHES } from './legacy.ts'
import { MINUTES_TOUCHES } from './minutes.ts'
import { PROFILES_TOUCHES } from './profiles.ts'
import { REPLIES_TOUCHES } from './replies.ts'
import { STREAM_TAIL_TOUCHES } from './reply-tail.ts'
import { SECRETS_TOUCHES } from './secrets.ts'
import { SESSIONS_TOUCHES } from './sessions.ts'
import { SKILLS_TOUCHES } from './skills.ts'
import { SWEEP_MARKS_TOUCHES } from './sweep-marks.ts'
import { TOOLS_CACHE_TOUCHES } from './tools-cache.ts'
import type { Touches } from './touch.ts'

export type { Touch, TouchAction } from './touch.ts'

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
