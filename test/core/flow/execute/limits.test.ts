/**
 * The limits of a minute, with a key and without: they hold exactly, however many calls run at
 * once.
 */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, describe, expect, test } from 'vitest'
import { dynamoStore } from '../../../../adapters/dynamodb/client/sdk-store.ts'
import { dynamoLedger } from '../../../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoSweepEntries } from '../../../../adapters/dynamodb/ledger/sweep-entries.ts'
import { dynamoCallLookup } from '../../../../adapters/dynamodb/registry/call-lookup.ts'
import { dynamoSkills } from '../../../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolsCache } from '../../../../adapters/dynamodb/registry/tools-cache.ts'
import { dynamoKeys } from '../../../../adapters/dynamodb/users/keys.ts'
import { dynamoProfiles } from '../../../../adapters/dynamodb/users/profiles.ts'
import { dynamoRateCounters } from '../../../../adapters/dynamodb/users/rate-counters.ts'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import { Fault } from '../../../../core/errors.ts'
import type { ExecuteResponse } from '../../../../core/flow/execute/execute-request.ts'
import { openSession } from '../../../../core/flow/sse/open-session.ts'
import { isJsonObject, type JsonObject } from '../../../../core/json/json.ts'
import { embeddedStore, TABLES } from '../../../adapters/dynamodb/embedded-store.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { execute } from '../caller.ts'
import { type AgentStream, call, openStream, request, textOf } from '../client.ts'
import { keyFor, makeWorld, okOf, refusalOf, SETTINGS, type World } from '../world.ts'

/** The clock starts 20 s into a minute. */
const REST_OF_MINUTE_SEC = 40

/** Room for all holds of a minute, so that only the minute's count can refuse. */
const ROOMY = { ...SETTINGS, tiers: { free: { callsPerMinute: 60, holdsMax: 200 } } }

async function ask(world: World, stream: AgentStream, message: JsonObject): Promise<JsonObject> {
  await stream.post(message)
  await world.clock.advance(250)
  const [answer] = stream.withId(message['id'] ?? null)
  if (answer === undefined) throw new Error('no answer')
  return answer
}

function errorOf(message: JsonObject): JsonObject {
  const error = message['error']
  if (!isJsonObject(error)) throw new Error(`no error: ${JSON.stringify(message)}`)
  return error
}

/** Runs `count` calls at once, settles them, and counts their answers by kind. */
async function storm(worlds: readonly World[], authorization: string, count: number) {
  const some = (i: number) => worlds[i % worlds.length] ?? makeWorld()
  const running = Array.from({ length: count }, (_, i) =>
    execute(some(i), authorization, 'sg_weather').then(async (executed) => {
      await runSteps(executed.after)
      return executed
    }),
  )
  const done = await Promise.all(running)
  return { done, counts: countBy(done.map(codeOf)) }
}

function codeOf({ answer }: ExecuteResponse): string {
  return answer.kind === 'problem' ? answer.body.code : answer.kind
}

function countBy(words: readonly string[]): { readonly [word: string]: number } {
  const counts: { [word: string]: number } = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

describe('500 calls of a key at once, with a limit of 60', () => {
  test('500 calls at once are 60 that run and 440 that are refused and hold nothing, on the memory adapters', async () => {
    const world = makeWorld(ROOMY)
    const ada = await world.user('ada')
    await world.skill('sg_weather')
    const { counts, done } = await storm([world], ada, 500)
    expect(counts).toEqual({ success: 60, rate_limited: 440 })
    expect(world.upstream.requests).toHaveLength(60)
    expect(await world.credits('ada')).toEqual({ free: 40, held: 0 })
    const waits = done.filter((one) => codeOf(one) === 'rate_limited')
    expect(countBy(waits.map(({ headers }) => headers['retry-after'] ?? ''))).toEqual({ 40: 440 })
    expect(countBy(done.map(({ headers }) => headers['ratelimit-policy'] ?? ''))).toEqual({
      '"minute";q=60;w=60': 500,
    })
  })

  test('500 calls at once are 60 that run and 440 that are refused, from four environments on the embedded store', async () => {
    const worlds = await sides(4)
    const [first = makeWorld()] = worlds
    const ada = await first.user('ada')
    await first.skill('sg_weather')
    const { counts } = await storm(worlds, ada, 500)
    expect(counts).toEqual({ success: 60, rate_limited: 440 })
    expect(worlds.flatMap(({ upstream }) => upstream.requests)).toHaveLength(60)
    expect(await first.credits('ada')).toEqual({ free: 40, held: 0 })
  })
})

const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
})

/** Worlds over one embedded DynamoDB, each as a function environment of its own. */
async function sides(count: number): Promise<readonly World[]> {
  // The store's clock only spaces its retries; the world's decides about minutes.
  const clock = testClock()
  const { endpoint, stop } = await embeddedStore({ clock })
  const clients = Array.from({ length: count }, () => patientClient(endpoint))
  stops.push(async () => {
    for (const client of clients) client.destroy()
    await stop()
  })
  return clients.map((client) => {
    const store = dynamoStore({ client, tables: TABLES, clock })
    const world = makeWorld(ROOMY)
    Object.assign(world.ports, {
      callLookup: dynamoCallLookup(store),
      keys: dynamoKeys(store),
      ledger: dynamoLedger(store),
      rateCounters: dynamoRateCounters(store),
      profiles: dynamoProfiles(store),
      skills: dynamoSkills(store),
      sweepEntries: dynamoSweepEntries(store),
      toolsCache: dynamoToolsCache(store),
    })
    return world
  })
}

/**
 * This process starts 1,500 requests at once: the client must not take its own queue for an outage.
 */
function patientClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    requestHandler: { connectionTimeout: 30_000, requestTimeout: 30_000 },
  })
}

describe('the minute of a key', () => {
  /** The tier small has 3 calls a minute. */
  async function small() {
    const world = makeWorld()
    const eve = await world.user('eve', { tier: 'small' })
    await world.skill('sg_weather')
    return { world, eve, stream: await openStream(world, eve) }
  }

  // Holds: SAFE-3
  test('counts calls over REST, calls over a stream, lists and built-in tools together', async () => {
    const { world, eve, stream } = await small()
    expect(codeOf(await execute(world, eve, 'sg_weather'))).toBe('success')
    expect((await ask(world, stream, request(1, 'tools/list')))['error']).toBeUndefined()
    expect(textOf(await ask(world, stream, call(2, 'sg_account')))).toContain('"credits"')
    const text = textOf(await ask(world, stream, call(3, 'sg_weather')))
    expect(text).toContain('This key may make 3 calls a minute. Wait 40 s')
    expect(text).toContain('No credits were charged.')
    expect(textOf(await ask(world, stream, call(4, 'sg_usage')))).toContain('Wait 40 s')
    expect(errorOf(await ask(world, stream, request(5, 'tools/list')))).toEqual({
      code: -32004,
      message: 'This key may make 3 calls a minute, lists included. Wait 39 s, then send it again.',
      data: { code: 'rate_limited', retryAfterSec: 39 },
    })
    const refused = await execute(world, eve, 'sg_weather')
    expect([codeOf(refused), refused.headers['retry-after']]).toEqual(['rate_limited', '39'])
    expect(refused.headers['ratelimit']).toBe('"minute";r=0;t=39')
    expect(await world.credits('eve')).toEqual({ free: 99, held: 1 })
  })

  test('ends after exactly the wait that the refusal states', async () => {
    const { world, eve } = await small()
    for (let n = 0; n < 3; n += 1) await execute(world, eve, 'sg_echo')
    world.clock.jump(REST_OF_MINUTE_SEC * 1_000 - 1)
    const early = await execute(world, eve, 'sg_weather')
    expect([codeOf(early), early.headers['retry-after']]).toEqual(['rate_limited', '1'])
    world.clock.jump(1)
    expect(codeOf(await execute(world, eve, 'sg_weather'))).toBe('success')
  })

  test('does not count pings, initialize, notifications and unknown methods', async () => {
    const { world, eve, stream } = await small()
    for (let n = 1; n <= 4; n += 1) {
      await ask(world, stream, request(n, 'ping'))
      await ask(world, stream, request(`i${n}`, 'initialize', { protocolVersion: '2024-11-05' }))
      await ask(world, stream, request(`x${n}`, 'completion/complete'))
      await stream.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    }
    expect((await execute(world, eve, 'sg_weather')).headers['ratelimit']).toBe('"minute";r=2;t=37')
  })

  test("is the key's own: another key of the same user has its own", async () => {
    const { world, eve } = await small()
    for (let n = 0; n < 4; n += 1) await execute(world, eve, 'sg_weather')
    expect(codeOf(await execute(world, await keyFor(world, 'eve'), 'sg_echo'))).toBe(
      'unknown_skill',
    )
  })

  test('counts requests that are refused for another reason, too', async () => {
    const { world, eve } = await small()
    for (let n = 0; n < 3; n += 1) {
      expect(codeOf(await execute(world, eve, 'sg_nothing'))).toBe('unknown_skill')
    }
    expect(codeOf(await execute(world, eve, 'sg_weather'))).toBe('rate_limited')
  })

  test('has the limit of free in a tier that no setting names', async () => {
    const world = makeWorld()
    const ida = await world.user('ida', { tier: 'gold' })
    expect((await execute(world, ida, 'sg_x')).headers['ratelimit-policy']).toBe(
      '"minute";q=60;w=60',
    )
  })
})

describe('lists without a key', () => {
  test('are served 600 times a minute in all, and the 601st is told to wait', async () => {
    const world = makeWorld()
    const [first, second] = [await openStream(world, undefined), await openStream(world, undefined)]
    const list = async (n: number) => {
      await (n % 2 === 0 ? first : second).post(request(n, 'tools/list'))
      if (n % 50 === 0) await world.clock.advance(250)
    }
    for (let n = 1; n <= 600; n += 1) await list(n)
    await world.clock.advance(250)
    const served = [...first.messages(), ...second.messages()]
    expect(served.filter((one) => one['result'] !== undefined)).toHaveLength(600)
    const refused = errorOf(await ask(world, first, request('more', 'tools/list')))
    expect(refused['code']).toBe(-32004)
    expect(refused['message']).toMatch(/^tools\/list without a key is served 600 times a minute/)
    const ada = await openStream(world, await world.user('ada'))
    expect((await ask(world, ada, request(1, 'tools/list')))['result']).toBeDefined()
  })
})

describe('a list whose count fails', () => {
  test('is the built-in list, since a list is never empty', async () => {
    const world = makeWorld()
    const stream = await openStream(world, await world.user('ada'))
    const down = () => Promise.reject(new Fault('store_unavailable', 'down'))
    world.ports.rateCounters = { count: down, read: down }
    world.ports.toolListVersion = { read: down, recent: down, write: down }
    const answer = await ask(world, stream, request(1, 'tools/list'))
    expect(JSON.stringify(answer['result'])).toContain('"sg_account"')
    expect(world.log.events()).toEqual([
      'stream-opened',
      'agent-connected',
      'list-not-counted',
      'tool-list-fallback',
    ])
  })
})

describe('opening streams', () => {
  /** A millisecond after the one before: of streams that opened at once, the older one waits for the younger. */
  const open = (world: World, authorization: string | undefined) => {
    world.clock.jump(1)
    return openSession(world.ports, world.settings, credentialOf(authorization))
  }

  test('is allowed 30 times a minute with a key: the 31st waits for the next minute and leaves nothing behind', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    for (let n = 0; n < 30; n += 1) okOf(await open(world, ada))
    const before = await world.ports.leases.list(world.clock.nowMs())
    expect(refusalOf(await open(world, ada))).toEqual({
      code: 'rate_limited',
      detail: 'This key may open 30 streams a minute. Wait 40 s, then send it again.',
      retryAfterSec: REST_OF_MINUTE_SEC,
    })
    expect(await world.ports.leases.list(world.clock.nowMs())).toEqual(before)
    okOf(await open(world, await keyFor(world, 'ada')))
    world.clock.jump(REST_OF_MINUTE_SEC * 1_000)
    okOf(await open(world, ada))
  })

  test('does not count as a call, nor does a call count as opening', async () => {
    const world = makeWorld()
    const eve = await world.user('eve', { tier: 'small' })
    for (let n = 0; n < 5; n += 1) okOf(await open(world, eve))
    for (let n = 0; n < 5; n += 1) await execute(world, eve, 'sg_x')
    okOf(await open(world, eve))
    const { headers } = await execute(world, await keyFor(world, 'eve'), 'sg_x')
    expect(headers['ratelimit']).toBe('"minute";r=2;t=40')
  })

  test('is allowed 60 times a minute without a key, for all callers together', async () => {
    const streams = { perKeyMax: 20, totalMax: 1_000, anonymousMax: 100 }
    const world = makeWorld({ ...SETTINGS, streams })
    for (let n = 0; n < 60; n += 1) okOf(await open(world, undefined))
    expect(refusalOf(await open(world, undefined))).toMatchObject({
      code: 'rate_limited',
      detail:
        'Without a key, all callers together may open 60 streams a minute. Wait 40 s, then send it again.',
      retryAfterSec: REST_OF_MINUTE_SEC,
    })
    okOf(await open(world, await world.user('ada')))
  })
})
