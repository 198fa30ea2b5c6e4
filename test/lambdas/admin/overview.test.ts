/** GET overview and GET health, over calls that really ran, and statements as tables and as CSV. */
import { beforeEach, describe, expect, test } from 'vitest'
import { makeCallId } from '../../../core/call/call-id.ts'
import { Fault } from '../../../core/errors.ts'
import { SWEEP_LATE_MINUTES } from '../../../core/flow/overview/read-health.ts'
import { recordCalls } from '../../../core/flow/usage/record-calls.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import type { Outcome } from '../../../core/ledger/ledger.ts'
import type { Alarm, Alarms } from '../../../core/ports/alarms.ts'
import type { Settings } from '../../../core/settings.ts'
import { DEFAULT_OPTIONS } from '../../../local/settings/option-table.ts'
import { toTwinSettings } from '../../../local/settings/twin-settings.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
import { type AdminWorld, askAdmin } from './admin-client.ts'

const DAY_MS = 86_400_000
let world: World

beforeEach(() => {
  world = makeWorld()
})

/** A call of half a credit that has just ended, as the usage function records it. */
async function record(
  tail: string,
  ended: Pick<Outcome, 'durationMs' | 'reason' | 'state'>,
): Promise<void> {
  const nowMs = world.clock.nowMs()
  const call: Outcome = {
    ...ended,
    uid: 'ada',
    callId: makeCallId(nowMs, `call${tail}`),
    skillId: 'sg_weather',
    source: 'official',
    skillVersion: 1,
    amount: 500_000,
    placement: 1,
    createdAtMs: nowMs,
    endedAtMs: nowMs + ended.durationMs,
    upstreamStatus: 200,
  }
  await recordCalls(world.ports, [call])
}

async function overview(query: string, of: AdminWorld = world): Promise<JsonObject> {
  const { json, status } = await askAdmin(of, 'GET', '/overview', { query })
  expect(status).toBe(200)
  return json
}

describe('GET overview', () => {
  test('has every hour of the last 24 and every day, with calls or without', async () => {
    await record('a', { state: 'settled', reason: undefined, durationMs: 200 })
    await world.clock.advance(2 * DAY_MS)
    await record('b', { state: 'refunded', reason: 'upstream_failed', durationMs: 900 })
    await record('c', { state: 'refunded', reason: 'cancelled', durationMs: 900 })
    await record('d', { state: 'settled', reason: undefined, durationMs: 200 })
    const day = await overview('days=1')
    expect([day['step'], Reflect.get(Object(day['entries']), 'length')]).toEqual(['hour', 24])
    expect(day['total']).toEqual({
      calls: 3,
      failed: 1,
      refunded: 2,
      charged: 0.5,
      givenBack: 1,
    })
    // From a bucket: 200 ms within ten percent.
    expect(day['durations']).toEqual({ calls: 1, p50Ms: 189, p95Ms: 189 })
    const week = await overview('')
    const entries = Array.isArray(week['entries']) ? week['entries'].map(Object) : []
    expect([week['step'], entries.length, week['days']]).toEqual(['day', 7, 7])
    expect(entries.map(({ calls }) => calls)).toEqual([0, 0, 0, 0, 1, 0, 3])
    expect(week['total']).toMatchObject({ calls: 4, failed: 1, charged: 1 })
    expect(Reflect.get(Object((await overview('days=30'))['entries']), 'length')).toBe(30)
  })

  test('refuses days that are not offered', async () => {
    const { json, status } = await askAdmin(world, 'GET', '/overview', { query: 'days=2' })
    expect([status, json['detail']]).toEqual([400, expect.stringContaining('1, 7, 30')])
  })

  test('estimates the month on AWS, behind an edge too, and says nothing of it in the twin', async () => {
    const estimate = async (settings: Settings) =>
      Object((await overview('', { ...world, settings }))['month']).aws
    expect(await estimate(SETTINGS)).toMatchObject({ callsUsd: 0 })
    const adminUrl = 'https://tools.example.com/v1/admin'
    expect(await estimate({ ...SETTINGS, adminUrl })).toMatchObject({ callsUsd: 0 })
    const twin = toTwinSettings(DEFAULT_OPTIONS, 'http://127.0.0.1:8787')
    expect(await estimate(twin)).toBeUndefined()
  })

  test('has what GET health would say is wrong', async () => {
    const { attention } = await overview('')
    expect(attention).toEqual([
      { check: 'sweep', ok: false, finding: 'has not run yet; it runs each minute.' },
    ])
  })
})

async function findingOf(check: string): Promise<unknown> {
  const { json } = await askAdmin(world, 'GET', '/health')
  const findings = Array.isArray(json['findings']) ? json['findings'].map(Object) : []
  return findings.find((one) => one.check === check)
}

describe('GET health', () => {
  test('tells a sweep that is late from one that runs', async () => {
    const minute = Math.floor(world.clock.nowMs() / 60_000)
    await world.ports.sweepEntries.writeCursor({ minute: minute - SWEEP_LATE_MINUTES, after: '' })
    expect(await findingOf('sweep')).toMatchObject({ ok: true })
    await world.clock.advance(60_000)
    expect(await findingOf('sweep')).toMatchObject({
      ok: false,
      finding: expect.stringContaining(`is ${SWEEP_LATE_MINUTES + 1} minutes behind`),
    })
  })

  test('names the alarms that are on, and lists them all', async () => {
    const alarms: readonly Alarm[] = [
      { name: 'Skillgate-dev-A', state: 'off', reason: 'fine' },
      { name: 'Skillgate-dev-B', state: 'on', reason: 'too many', sinceMs: 5 },
    ]
    const port: Alarms = { read: async () => ({ kind: 'found', alarms }) }
    const ports = { ...world.ports, alarms: port }
    const { json } = await askAdmin({ ...world, ports }, 'GET', '/health')
    expect(json['alarms']).toEqual(alarms)
    expect(json['findings']).toContainEqual({
      check: 'alarms',
      ok: false,
      finding: 'Skillgate-dev-B: on',
    })
  })

  test('answers while a part of the store does not', async () => {
    const list = () => Promise.reject(new Fault('store_unavailable', 'down'))
    const ports = { ...world.ports, mcpUpstreams: { ...world.ports.mcpUpstreams, list } }
    const { json, status } = await askAdmin({ ...world, ports }, 'GET', '/health')
    expect(status).toBe(200)
    expect(json['findings']).toContainEqual({
      check: 'upstreams',
      ok: false,
      finding: 'not known: the store did not answer. Try again.',
    })
  })
})

describe('GET users/{uid}/statements/{month}', () => {
  test('has the texts of the printed statement as tables, and the file as CSV', async () => {
    await world.user('ada')
    const path = `/users/ada/statements/${new Date(world.clock.nowMs()).toISOString().slice(0, 7)}`
    const tables = await askAdmin(world, 'GET', path, { query: 'format=tables' })
    expect(tables.json['facts']).toContainEqual(['User', 'ada (ada)'])
    expect(tables.json['tables']).toMatchObject([{ title: 'Account' }, { title: 'Grants' }])
    const csv = await askAdmin(world, 'GET', path, { query: 'format=csv' })
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(csv.text).toMatch(/^uid,month,kind,time,id,by,reason,calls,credits\r\n/)
  })
})
