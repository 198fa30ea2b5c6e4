/** Metrics of a deployed function, in lines of CloudWatch's embedded format. */
import { describe, expect, test } from 'vitest'
import { makeJsonLog } from '../../../adapters/telemetry/json-log.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import type { CallLine, Log, NoteFields } from '../../../core/ports/outside.ts'

const NOON_MS = Date.UTC(2026, 10, 21, 12)
const PAID: CallLine = {
  callId: 'c-1',
  uid: 'u-1',
  username: 'demo',
  skillId: 'sg_weather',
  source: 'official',
  outcome: 'settled',
  code: undefined,
  upstreamStatus: 200,
  upstreamMs: 21,
  durationMs: 38,
  held: 500_000,
  charged: 500_000,
  refunded: 0,
  remaining: 99_500_000,
}
const FAILED: CallLine = { ...PAID, outcome: 'refunded', code: 'timed_out', refunded: 500_000 }

/** The lines after the first one, of the start. */
function linesOf(use: (log: Log) => void): readonly JsonObject[] {
  const lines: string[] = []
  const write = (line: string) => lines.push(line)
  const metrics = { stage: 'prod', door: 'execute' }
  use(makeJsonLog({ write, clock: { nowMs: () => NOON_MS }, metrics }))
  return lines.slice(1).map(parsed)
}

function parsed(text: string): JsonObject {
  const value: Json = JSON.parse(text)
  if (isJsonObject(value)) return value
  throw new Error(`not an object: ${text}`)
}

function lineOf(use: (log: Log) => void): JsonObject {
  return linesOf(use)[0] ?? {}
}

function noteOf(event: string, fields: NoteFields): JsonObject {
  return lineOf((log) => log.note('info', event, fields))
}

/** The line that a call's metrics are in, when it is the first one of a quiet process. */
function metricsOf(call: CallLine): JsonObject {
  return linesOf((log) => log.call(call))[1] ?? {}
}

/** Members that only metrics add. */
function membersOf(line: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(line).filter(([name]) => /^[A-Z]/.test(name)))
}

describe('the line of a call', () => {
  test('has no metrics, and those of a quiet process follow it', () => {
    const lines = linesOf((log) => log.call(PAID))
    expect(lines.map(({ event }) => event)).toEqual(['call', 'metrics'])
    const [call = {}, line = {}] = lines
    expect(membersOf(call)).toEqual({})
    expect(call).not.toHaveProperty('_aws')
    expect(line['_aws']).toEqual({
      Timestamp: 1_795_262_400_000,
      CloudWatchMetrics: [
        {
          Namespace: 'Skillgate',
          Dimensions: [['Stage'], ['Stage', 'Outcome']],
          Metrics: [{ Name: 'Calls' }],
        },
        {
          Namespace: 'Skillgate',
          Dimensions: [['Stage'], ['Stage', 'Door']],
          Metrics: [{ Name: 'GatewayLatencyMs' }],
        },
        {
          Namespace: 'Skillgate',
          Dimensions: [['Stage']],
          Metrics: [
            { Name: 'UpstreamLatencyMs' },
            { Name: 'CreditsHeld' },
            { Name: 'CreditsSettled' },
          ],
        },
      ],
    })
    expect(membersOf(line)).toEqual({
      Stage: 'prod',
      Outcome: 'settled',
      Calls: 1,
      UpstreamLatencyMs: [21],
      Door: 'execute',
      GatewayLatencyMs: [17],
      CreditsHeld: 0.5,
      CreditsSettled: 0.5,
    })
    expect(call).toMatchObject({ outcome: 'settled', charged: 500_000, upstreamMs: 21 })
  })

  test.each<[string, Partial<CallLine>, JsonObject]>([
    [
      'that failed counts its code, and its hold as refunded',
      FAILED,
      {
        Stage: 'prod',
        Outcome: 'refunded',
        Code: 'timed_out',
        Calls: 1,
        Refusals: 1,
        UpstreamLatencyMs: [21],
        Door: 'execute',
        GatewayLatencyMs: [17],
        CreditsHeld: 0.5,
        CreditsRefunded: 0.5,
      },
    ],
    [
      'whose hold the sweep must end leaves its credits to the sweep',
      { ...FAILED, held: 0 },
      {
        Stage: 'prod',
        Outcome: 'refunded',
        Code: 'timed_out',
        Calls: 1,
        Refusals: 1,
        UpstreamLatencyMs: [21],
        Door: 'execute',
        GatewayLatencyMs: [17],
      },
    ],
    [
      'that was refused sent nothing and held nothing',
      { outcome: 'refused', code: 'rate_limited', upstreamMs: undefined, held: 0 },
      { Stage: 'prod', Outcome: 'refused', Code: 'rate_limited', Calls: 1, Refusals: 1 },
    ],
    [
      'for nothing moves no credits',
      { outcome: 'free', held: 0, charged: 0, upstreamMs: 0 },
      {
        Stage: 'prod',
        Outcome: 'free',
        Calls: 1,
        UpstreamLatencyMs: [0],
        Door: 'execute',
        GatewayLatencyMs: [38],
      },
    ],
    [
      'has amounts as decimal credits',
      { held: 1, charged: 1 },
      {
        Stage: 'prod',
        Outcome: 'settled',
        Calls: 1,
        UpstreamLatencyMs: [21],
        Door: 'execute',
        GatewayLatencyMs: [17],
        CreditsHeld: 0.000001,
        CreditsSettled: 0.000001,
      },
    ],
    [
      'with a code that is none of ours counts no series for it',
      { code: 'made-up' },
      {
        Stage: 'prod',
        Outcome: 'settled',
        Calls: 1,
        UpstreamLatencyMs: [21],
        Door: 'execute',
        GatewayLatencyMs: [17],
        CreditsHeld: 0.5,
        CreditsSettled: 0.5,
      },
    ],
  ])('%s', (_what, change, members) => {
    expect(membersOf(metricsOf({ ...PAID, ...change }))).toEqual(members)
  })

  test('of a job that ended long after its call measures no time of the gateway', () => {
    const job = { ...PAID, upstreamMs: undefined, durationMs: 600_000 }
    expect(membersOf(metricsOf(job))).not.toHaveProperty('GatewayLatencyMs')
  })

  test('of a call whose upstream took longer than the call measures no time below 0', () => {
    const late = { ...PAID, upstreamMs: 40 }
    expect(membersOf(metricsOf(late))).toHaveProperty('GatewayLatencyMs', [0])
  })
})

describe('the line of a note', () => {
  test.each<[string, NoteFields, JsonObject]>([
    ['stream-refused', { code: 'too_many_streams' }, { Code: 'too_many_streams', Refusals: 1 }],
    ['door-failed', { code: 'store_unavailable' }, { Code: 'store_unavailable', Refusals: 1 }],
    ['message-failed', { code: 'internal' }, { Code: 'internal', Refusals: 1 }],
    ['execute-unreachable', { callId: 'c-1' }, { Code: 'internal', Refusals: 1 }],
    ['hand-on-failed', { seq: 1 }, { Code: 'internal', Refusals: 1 }],
    ['call-voided', { amount: 1_250_000 }, { CreditsVoided: 1.25 }],
    [
      'hold-healed',
      { amount: 500_000, state: 'refunded', reason: 'crashed' },
      { CreditsHeld: 0.5, CreditsRefunded: 0.5, CallsFreeByCrash: 1 },
    ],
    [
      'hold-healed',
      { amount: 500_000, state: 'refunded', reason: 'timed_out' },
      { CreditsHeld: 0.5, CreditsRefunded: 0.5 },
    ],
    [
      'hold-healed',
      { amount: 500_000, state: 'settled', reason: undefined },
      { CreditsHeld: 0.5, CreditsSettled: 0.5 },
    ],
    ['stream-opened', { count: 3 }, { OpenStreams: 3 }],
    ['streams-full', { count: 70, max: 70 }, { OpenStreams: 70 }],
    ['replies-delivered', { count: 2, delaysMs: [40, 900] }, { ReplyDelayMs: [40, 900] }],
    ['secret-unreadable', { why: 'foreign' }, { Why: 'foreign', SecretsUnreadable: 1 }],
    ['sweep-done', { backlogMinutes: 0 }, { SweepBacklogMinutes: 0 }],
    ['usage-taken', { entries: 3, amount: 1_250_000 }, { CreditsSummed: 1.25 }],
  ])('the line of the note %s %j has its metrics', (event, fields, members) => {
    expect(membersOf(noteOf(event, fields))).toEqual({ Stage: 'prod', ...members })
  })

  test.each<[string, NoteFields]>([
    ['key-renewal-failed', { uid: 'u-1' }],
    ['constructor', {}],
    ['call-refused', { code: 'made-up' }],
    ['call-voided', { uid: 'u-1' }],
    ['replies-delivered', { delaysMs: [] }],
    ['secret-unreadable', { why: 'made-up' }],
    ['usage-taken', { entries: 1, amount: 0 }],
  ])('the note %s %j measures nothing', (event, fields) => {
    const line = noteOf(event, fields)
    expect([line['_aws'], membersOf(line)]).toEqual([undefined, {}])
  })

  test('the line of a refused call has no metrics, and those of a quiet process follow it', () => {
    const lines = linesOf((log) => log.note('info', 'call-refused', { code: 'unauthenticated' }))
    expect(lines.map(membersOf)).toEqual([
      {},
      { Stage: 'prod', Code: 'unauthenticated', Refusals: 1 },
    ])
  })

  test('does not repeat the value of its metric', () => {
    const line = noteOf('replies-delivered', { count: 2, delaysMs: [40, 900] })
    expect(line).not.toHaveProperty('delaysMs')
    expect(line).toHaveProperty('count', 2)
  })
})

test('the first line of a function is its cold start', () => {
  const lines: string[] = []
  const metrics = { stage: 'dev', door: 'sse' }
  makeJsonLog({ write: (line) => lines.push(line), clock: { nowMs: () => NOON_MS }, metrics })
  expect(lines).toHaveLength(1)
  expect(parsed(lines[0] ?? '')).toMatchObject({
    event: 'cold-start',
    door: 'sse',
    ColdStarts: 1,
    Stage: 'dev',
    Door: 'sse',
  })
})

test('a function without a stage measures nothing, not even its start', () => {
  const lines: string[] = []
  const log = makeJsonLog({ write: (line) => lines.push(line), clock: { nowMs: () => NOON_MS } })
  log.call(PAID)
  log.note('info', 'stream-opened', { count: 1 })
  expect(lines).toHaveLength(2)
  expect(lines.join('')).not.toContain('_aws')
})
