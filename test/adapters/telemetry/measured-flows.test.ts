/**
 * The flows themselves with the log of a deployed function: every line is a document of the
 * embedded metric format or carries no metrics, and together the lines measure every metric of
 * `names.ts`.
 */

import { beforeAll, describe, expect, test } from 'vitest'
import { toOutcomeItem } from '../../../adapters/dynamodb/records/outcome-item.ts'
import { AWS_PACE } from '../../../adapters/dynamodb/reply-stream/read-pace.ts'
import { makeSchemasWithPatterns } from '../../../adapters/formats/json-schema.ts'
import { makeJsonLog } from '../../../adapters/telemetry/json-log.ts'
import { METRICS } from '../../../adapters/telemetry/names.ts'
import { credentialOf } from '../../../bench/lib/credential.ts'
import { makeCallId } from '../../../core/call/call-id.ts'
import { ERRORS, Fault, ok } from '../../../core/errors.ts'
import { loadSecrets } from '../../../core/flow/execute/load-secrets.ts'
import { sweepHolds } from '../../../core/flow/execute/sweep-holds.ts'
import { voidCall } from '../../../core/flow/execute/void-call.ts'
import { openSession } from '../../../core/flow/sse/open-session.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import type { CallLine } from '../../../core/ports/outside.ts'
import { createUsageDoor } from '../../../lambdas/usage/door.ts'
import { DOORS, type Door } from '../../../lib/doors.ts'
import { settledOf } from '../../contracts/fresh.ts'
import { memoryArchive } from '../../contracts/memory-archive.ts'
import { execute, mortal, run } from '../../core/flow/caller.ts'
import { call, openStream } from '../../core/flow/client.ts'
import { START_MS } from '../../core/flow/manual-clock.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { askAdmin } from '../../lambdas/admin/admin-client.ts'
import { streamWorld } from '../dynamodb/reply-stream/stream-world.ts'
import { danglingReferences, EMF_SCHEMA, metricsIn } from './emf-schema.ts'

const UID = 'ada-lovelace'
const SKILL = 'sg_weather'
const VOIDED = { callId: 'c'.repeat(43), deadlineMs: START_MS + 15_000 }

let lines: readonly JsonObject[] = []
beforeAll(async () => {
  lines = await linesOfADay()
})

/**
 * Calls of every outcome, a stream with a reply, one without a place among the readers of the table's
 * stream, a void, a crash, a sweep, a call without a user, an unreadable secret, and a charge that
 * the usage function takes.
 */
async function linesOfADay(): Promise<readonly JsonObject[]> {
  const written: string[] = []
  const world = makeWorld()
  const metrics = { stage: 'prod', door: 'execute' }
  world.ports.log = makeJsonLog({
    write: (line) => written.push(line),
    clock: world.clock,
    metrics,
  })
  const ada = await world.user(UID)
  await world.skill(SKILL, { price: 0.25 })
  await calls(world, ada)
  const stream = await openStream(world, ada)
  await stream.post(call(1, SKILL))
  await world.clock.advance(1_000)
  stream.close()
  await stream.ended
  await openSession(world.ports, world.settings, credentialOf('Bearer nobody'))
  await movedStream(world)
  await askAdmin(world, 'GET', '/skills', { headers: {} })
  await sweepHolds(world.ports)
  await changedTools(world)
  await unreadableSecret(world)
  await summedCharge(world)
  return written.map(parsed)
}

/** The store fails when a call asks for its secrets. */
async function unreadableSecret({ ports }: World): Promise<void> {
  const find = () => Promise.reject(new Fault('store_unavailable', 'no answer'))
  const wanted = { uid: UID, skillId: SKILL, origins: [], names: ['KEY'] }
  const failing = { ...ports, secrets: { ...ports.secrets, find } }
  await loadSecrets(failing, { ...wanted, source: 'official' })
}

/** The usage function takes a charge from the table's stream. */
async function summedCharge({ ports }: World): Promise<void> {
  const outcome = settledOf(UID, makeCallId(START_MS, 'd'.repeat(22)), 250_000)
  const item = { ...toOutcomeItem(outcome), amount: 0.25 }
  const NewImage = Object.fromEntries(
    Object.entries(item)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name,
        typeof value === 'number' ? { N: String(value) } : { S: String(value) },
      ]),
  )
  const take = createUsageDoor({
    ...ports,
    archive: memoryArchive(),
    openArchive: async () => memoryArchive(),
    callAsCanary: async () => ok(undefined),
  })
  await take({ Records: [{ eventName: 'INSERT', dynamodb: { SequenceNumber: '1', NewImage } }] })
}

/** An MCP server changes a tool after its registration. */
async function changedTools(world: World): Promise<void> {
  const listing = (description: string) => {
    const entries = [{ name: 'read', description, inputSchema: { type: 'object' } }]
    world.ports.mcpListings = { tools: async () => ok({ entries, version: '2025-11-25' }) }
  }
  listing('Reads.')
  const body = { url: 'https://mcp.example/mcp', prefix: 'files' }
  const plan = await askAdmin(world, 'POST', '/upstreams/files:plan', { body })
  const digest = plan.json['digest'] ?? ''
  await askAdmin(world, 'PUT', '/upstreams/files', { body: { ...body, digest } })
  listing('Reads and mails.')
  await askAdmin(world, 'POST', '/upstreams/files:refresh')
}

async function movedStream(world: World): Promise<void> {
  const crowded = streamWorld(AWS_PACE, world.ports.log)
  crowded.world.place = false
  crowded.change('ada', {})
  const tail = crowded.follow('ada')
  await crowded.clock.settle()
  tail.stop()
}

async function calls(world: World, ada: string): Promise<void> {
  const ledger = mortal(world.ports.ledger, { at: 1, when: 'after' })
  await execute(world, ada, SKILL, { ledger }).catch(() => {})
  await world.clock.advance(61_000)
  await run(world, ada, SKILL, { terms: { ...VOIDED, deadlineMs: world.clock.nowMs() + 15_000 } })
  await voidCall(world.ports, { uid: UID, callId: VOIDED.callId, reason: 'void' })
  world.upstream.next({ kind: 'answer', status: 500 })
  await run(world, ada, SKILL)
  await run(world, ada, 'sg_nothing')
  await run(world, undefined, SKILL)
}

function parsed(text: string): JsonObject {
  const value: Json = JSON.parse(text)
  if (isJsonObject(value)) return value
  throw new Error(`not an object: ${text}`)
}

function sumOf(metric: string): number {
  return lines.reduce((sum, line) => sum + Number(line[metric] ?? 0), 0)
}

describe('every line with metrics', () => {
  test('is a document of the embedded metric format, and each of its references resolves', () => {
    const { faults } = makeSchemasWithPatterns()
    const measured = lines.filter((line) => line['_aws'] !== undefined)
    expect(measured.length).toBeGreaterThanOrEqual(10)
    for (const line of measured) {
      expect(faults(EMF_SCHEMA, line)).toEqual([])
      expect(danglingReferences(line)).toEqual([])
    }
  })

  test('names metrics only by the stage and their own dimension', () => {
    const sets: { readonly [metric: string]: readonly (readonly string[])[] } = {
      Calls: [['Stage'], ['Stage', 'Outcome']],
      Refusals: [['Stage'], ['Stage', 'Code']],
      ColdStarts: [['Stage'], ['Stage', 'Door']],
      GatewayLatencyMs: [['Stage'], ['Stage', 'Door']],
      SecretsUnreadable: [['Stage'], ['Stage', 'Why']],
    }
    for (const { name, dimensions } of lines.flatMap(metricsIn)) {
      expect([name, dimensions]).toEqual([name, sets[name] ?? [['Stage']]])
    }
  })

  test('has nothing of a user or a skill in its metrics', () => {
    for (const line of lines) {
      const members = Object.entries(line).filter(([name]) => /^([A-Z]|_aws)/.test(name))
      expect(JSON.stringify(members)).not.toMatch(/\bada|weather|nothing/)
    }
  })
})

test('a stage has at most 71 series, as names.ts computes their bill', () => {
  const outcomes: readonly CallLine['outcome'][] = ['settled', 'refunded', 'free', 'refused']
  const callDoors: readonly Door[] = ['messages', 'mcp', 'execute']
  const secretFaults = ['denied', 'foreign', 'unavailable', 'store', 'code']
  const series = [
    Object.values(METRICS),
    outcomes,
    Object.keys(ERRORS),
    DOORS,
    callDoors,
    secretFaults,
  ]
  expect(series.map((one) => one.length)).toEqual([18, 4, 34, 7, 3, 5])
})

test('the flows together measure every listed metric', () => {
  const measured = new Set(lines.flatMap(metricsIn).map(({ name }) => name))
  expect([...measured].sort()).toEqual(Object.values(METRICS).sort())
})

test('held credits equal settled and refunded ones, and a void refunds later', () => {
  expect({
    held: sumOf('CreditsHeld'),
    settled: sumOf('CreditsSettled'),
    refunded: sumOf('CreditsRefunded'),
    voided: sumOf('CreditsVoided'),
  }).toEqual({ held: 1, settled: 0.5, refunded: 0.5, voided: 0.25 })
  expect([sumOf('CallsFreeByCrash'), sumOf('Calls')]).toEqual([1, 4])
})

describe('the schema', () => {
  const good: JsonObject = {
    _aws: {
      Timestamp: 1,
      CloudWatchMetrics: [
        { Namespace: 'n', Dimensions: [['Stage']], Metrics: [{ Name: 'Calls' }] },
      ],
    },
    Stage: 'prod',
    Calls: 1,
  }
  const withDirective = (directive: JsonObject) => ({
    ...good,
    _aws: { Timestamp: 1, CloudWatchMetrics: [directive] },
  })

  test('of a metrics line refuses everything but a valid document', () => {
    const { faults } = makeSchemasWithPatterns()
    expect(faults(EMF_SCHEMA, good)).toEqual([])
    expect(faults(EMF_SCHEMA, { Stage: 'prod' })).not.toEqual([])
    expect(faults(EMF_SCHEMA, withDirective({ Namespace: 'n', Dimensions: [[]] }))).not.toEqual([])
    const names = (count: number) => Array.from({ length: count }, () => ({ Name: 'Calls' }))
    const many = (count: number) =>
      withDirective({ Namespace: 'n', Dimensions: [['Stage']], Metrics: names(count) })
    expect(faults(EMF_SCHEMA, many(100))).toEqual([])
    expect(faults(EMF_SCHEMA, many(101))).not.toEqual([])
  })

  test('of a metrics line leaves dangling references to a second check, which finds them', () => {
    expect(danglingReferences(good)).toEqual([])
    expect(danglingReferences({ ...good, Calls: 'one' })).toEqual(['metric Calls'])
    expect(danglingReferences({ ...good, Calls: Array(101).fill(1) })).toEqual(['metric Calls'])
    expect(danglingReferences({ ...good, Stage: 1 })).toEqual(['dimension Stage'])
  })
})
