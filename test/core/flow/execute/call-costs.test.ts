/**
 * The cost of each kind of call at the store, in consecutive requests and in capacity units, as the
 * store reports them: the real flow over the DynamoDB adapters. Bound by docs/service.md, Order of
 * a call: at most 3 requests in a row before the upstream (2 with a cached key), none between a
 * success and its answer, at most 5 WRU and 4 RRU.
 */

import { beforeAll, describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../../../adapters/crypto/node-seals.ts'
import type { DynamoStore } from '../../../../adapters/dynamodb/client/document-store.ts'
import { dynamoCallExcerpts } from '../../../../adapters/dynamodb/ledger/call-excerpts.ts'
import { dynamoEvents } from '../../../../adapters/dynamodb/ledger/events.ts'
import { dynamoIdempotencyRecords } from '../../../../adapters/dynamodb/ledger/idempotency-records.ts'
import { dynamoLedger } from '../../../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoSweepEntries } from '../../../../adapters/dynamodb/ledger/sweep-entries.ts'
import { dynamoV0 } from '../../../../adapters/dynamodb/migration/v0.ts'
import { NO_CHANGES } from '../../../../adapters/dynamodb/no-changes.ts'
import { dynamoCallLookup } from '../../../../adapters/dynamodb/registry/call-lookup.ts'
import {
  LIST_VERSION_CACHE_MS,
  listVersionCache,
} from '../../../../adapters/dynamodb/registry/list-version-cache.ts'
import { SETTLED_MS } from '../../../../adapters/dynamodb/registry/shared-skill-cache.ts'
import { dynamoSkillVersions } from '../../../../adapters/dynamodb/registry/skill-versions.ts'
import { dynamoSkills } from '../../../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../../../adapters/dynamodb/registry/tools-cache.ts'
import { dynamoJobs } from '../../../../adapters/dynamodb/sessions/jobs.ts'
import { dynamoKeys } from '../../../../adapters/dynamodb/users/keys.ts'
import { dynamoLogins } from '../../../../adapters/dynamodb/users/logins.ts'
import { dynamoProfiles } from '../../../../adapters/dynamodb/users/profiles.ts'
import { dynamoRateCounters } from '../../../../adapters/dynamodb/users/rate-counters.ts'
import { dynamoSecrets } from '../../../../adapters/dynamodb/users/secrets.ts'
import { dynamoSharedSecrets } from '../../../../adapters/dynamodb/users/shared-secrets.ts'
import { dynamoUserDirectory } from '../../../../adapters/dynamodb/users/user-directory.ts'
import { makeSchemasWithPatterns } from '../../../../adapters/formats/json-schema.ts'
import { makeSkillMarkdown } from '../../../../adapters/formats/skill-markdown.ts'
import { makeHooks } from '../../../../adapters/hooks/registry.ts'
import { makeRawSecretSeals } from '../../../../adapters/kms/raw-seals.ts'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import { makeCallId } from '../../../../core/call/call-id.ts'
import type { ExecuteAnswer } from '../../../../core/call/execute.ts'
import { makeExecuteCaches } from '../../../../core/flow/execute/execute-caches.ts'
import { executeSkill } from '../../../../core/flow/execute/execute-skill.ts'
import { announceChange } from '../../../../core/flow/registry/change-tool-list.ts'
import { syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import { issueKey } from '../../../../core/flow/users/manage-keys.ts'
import { setSecret } from '../../../../core/flow/users/manage-secrets.ts'
import { setSharedSecret } from '../../../../core/flow/users/manage-shared-secrets.ts'
import { createUser } from '../../../../core/flow/users/manage-users.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { useEmbeddedStore } from '../../../adapters/dynamodb/embedded-store.ts'
import { memoryKeptResults } from '../../../contracts/memory-kept-results.ts'
import { recordingLog, type Script, scriptedUpstream } from '../doubles.ts'
import { manualClock } from '../manual-clock.ts'
import { okOf, SETTINGS, type SkillMore, skillJson } from '../world.ts'

const READS: readonly string[] = ['get', 'batchGet', 'query']
const clock = manualClock()
let users = 0
const { store, seen } = await useEmbeddedStore(clock)

beforeAll(async () => {
  const ports = portsOver(store)
  const city: JsonObject = { type: 'object', properties: { city: { type: 'string' } } }
  await sync(ports, 'sg_paid', { price: 0.5, parameters: city })
  await sync(ports, 'sg_free', { price: 0 })
  await sync(ports, 'sg_dear', { price: 1_000 })
  const config: JsonObject = { auth: { type: 'bearer', secret: 'API_KEY' } }
  await sync(ports, 'sg_secret', { price: 0.5, config })
  await sync(ports, 'sg_secret_free', { price: 0, config })
  // The broadcasts of the syncs are old, so that skills are cached.
  clock.jump(SETTLED_MS + 1_000)
})

/** In the order of the table's columns. `written` and `read` are units. */
type Row = readonly [
  what: string,
  asked: CostedCall,
  status: number,
  before: number,
  between: number,
  behind: number,
  written: number,
  read: number,
]

const FAILS: Script = { kind: 'answer', status: 500 }
const STRANGER = `Bearer sgk_${'a'.repeat(43)}`

/** One user's calls in one environment, one after the other: the first finds the caches empty. */
const CALLS: readonly Row[] = [
  // key ─▶ count ∥ records ∥ sweep entry ─▶ hold ─▶ upstream ─▶ answer ─▶ outcome ─▶ release
  ['nothing in memory', { skill: 'sg_paid' }, 200, 3, 0, 2, 4, 3.5],
  // The first read of the list version in a process, and one each 30 s, reads its record beside its copy.
  ['key and skill in memory', { skill: 'sg_paid' }, 200, 2, 0, 2, 4, 2.5],
  ['a free skill, seen first', { skill: 'sg_free' }, 200, 1, 0, 1, 2, 2.5],
  ['a free skill', { skill: 'sg_free' }, 200, 1, 0, 1, 2, 2],
  // The refund comes before the answer, so that the credits it states are true.
  ['the upstream fails', { skill: 'sg_paid', upstream: FAILS }, 502, 2, 2, 1, 5, 2],
  // Looked for in the tool list, which is read once and then cached by its version.
  ['an unknown skill, asked for first', { skill: 'sg_nothing' }, 404, 3, 0, 0, 1, 4.5],
  ['an unknown skill', { skill: 'sg_nothing' }, 404, 2, 0, 0, 1, 3],
  ['arguments that do not fit', { skill: 'sg_paid', args: { city: 1 } }, 422, 1, 0, 0, 1, 2],
  ['too dear, seen first', { skill: 'sg_dear' }, 402, 2, 0, 0, 2, 2.5],
  ['too dear', { skill: 'sg_dear' }, 402, 2, 0, 0, 2, 2],
  ['a malformed header', { skill: 'sg_paid', authorization: 'Basic x' }, 401, 0, 0, 0, 0, 0],
  [
    'another token, seen first',
    { skill: 'sg_paid', authorization: 'Bearer x' },
    401,
    2,
    0,
    0,
    0,
    3,
  ],
  ['another token', { skill: 'sg_paid', authorization: 'Bearer x' }, 401, 0, 0, 0, 0, 0],
  ['an unknown key, seen first', { skill: 'sg_paid', authorization: STRANGER }, 401, 2, 0, 0, 0, 3],
  ['an unknown key', { skill: 'sg_paid', authorization: STRANGER }, 401, 0, 0, 0, 0, 0],
]

/** The claim runs beside the count; the answer is kept and the call settled before it is sent. */
const KEYED_CALLS: readonly Row[] = [
  ['first', { skill: 'sg_paid', idempotencyKey: 'k1' }, 200, 3, 3, 0, 6, 3.5],
  ['repeat: the same answer', { skill: 'sg_paid', idempotencyKey: 'k1' }, 200, 2, 0, 0, 2, 3.5],
  ['other body', { skill: 'sg_free', idempotencyKey: 'k1' }, 409, 2, 0, 0, 2, 3.5],
  ['first, warm', { skill: 'sg_paid', idempotencyKey: 'k2' }, 200, 2, 3, 0, 6, 2],
  ['fails', { skill: 'sg_paid', upstream: FAILS, idempotencyKey: 'k3' }, 502, 2, 3, 1, 7, 2],
  ['its repeat', { skill: 'sg_paid', idempotencyKey: 'k3' }, 502, 2, 0, 0, 2, 3],
  // The claim is dropped again.
  ['refused', { skill: 'sg_dear', idempotencyKey: 'k4' }, 402, 3, 0, 0, 4, 2.5],
  ['of an agent', { skill: 'sg_paid', idempotencyKey: 'k5', door: 'mcp' }, 200, 2, 3, 0, 6, 2],
  // The first repeat makes the charge stay.
  ['its repeat', { skill: 'sg_paid', idempotencyKey: 'k5', door: 'mcp' }, 200, 3, 0, 0, 3, 3],
  ['the next', { skill: 'sg_paid', idempotencyKey: 'k5', door: 'mcp' }, 200, 2, 0, 0, 2, 3],
]

/**
 * The user's record is read beside the hold, and cached; the skill may have a record of its own. The
 * gateway's two are in the same batch for an official skill.
 */
const CALLS_WITH_SECRETS: readonly Row[] = [
  ['secrets, nothing in memory', { skill: 'sg_secret' }, 200, 3, 0, 2, 4, 7.5],
  ['secrets in memory', { skill: 'sg_secret' }, 200, 2, 0, 2, 4, 2.5],
  // Without a hold the call waits for the secrets.
  ['free, secrets seen first', { skill: 'sg_secret_free' }, 200, 2, 0, 1, 2, 6.5],
  ['free, secrets in memory', { skill: 'sg_secret_free' }, 200, 1, 0, 1, 2, 2],
]

/** The day of a shared secret's use is one write after the answer, once. */
const CALLS_WITH_SHARED: readonly Row[] = [
  ['shared, nothing in memory', { skill: 'sg_secret' }, 200, 3, 0, 3, 5, 7.5],
  ['shared, in memory', { skill: 'sg_secret' }, 200, 2, 0, 2, 4, 2.5],
]

describe('the store requests of a call', () => {
  test('are 2 in a row before the upstream when the key is cached, 3 when not, and none before a success', async () => {
    expect(await measured(await caller(), CALLS)).toEqual(CALLS.map(shown))
  })

  test('are no more in a row for a skill that names secrets, unless it is free', async () => {
    const call = await caller('free', { API_KEY: 'the-key' })
    expect(await measured(call, CALLS_WITH_SECRETS)).toEqual(CALLS_WITH_SECRETS.map(shown))
  })

  test('are no more in a row for a shared secret, whose use is noted once, after the answer', async () => {
    const place = { name: 'API_KEY', skill: 'sg_secret', setBy: 'admin' }
    okOf(await setSharedSecret(portsOver(store), SETTINGS, place, { value: 'the-key' }))
    const call = await caller()
    expect(await measured(call, CALLS_WITH_SHARED)).toEqual(CALLS_WITH_SHARED.map(shown))
  })

  test('cost two units more with an Idempotency-Key, and two in all for a repeat', async () => {
    expect(await measured(await caller(), KEYED_CALLS)).toEqual(KEYED_CALLS.map(shown))
  })

  test('are one more in a row for the call that learns of a broadcast, and for no call after it', async () => {
    const call = await caller()
    await call({ skill: 'sg_paid' })
    await call({ skill: 'sg_free' })
    await announceChange(portsOver(store))
    expect(await call({ skill: 'sg_paid' })).toMatchObject({ status: 200, before: 3, read: 3.5 })
    expect(await call({ skill: 'sg_free' })).toMatchObject({ status: 200, before: 1, read: 2.5 })
    expect(await call({ skill: 'sg_paid' })).toMatchObject({ status: 200, before: 2, read: 2.5 })
    clock.jump(SETTLED_MS + 1_000)
    await call({ skill: 'sg_paid' })
    expect(await call({ skill: 'sg_paid' })).toMatchObject({ status: 200, before: 2, read: 2 })
  })

  test('are half a unit less within a second of another call', async () => {
    const call = await caller()
    await call({ skill: 'sg_paid' })
    await call({ skill: 'sg_paid' })
    clock.jump(LIST_VERSION_CACHE_MS - 1)
    expect(await call({ skill: 'sg_paid' })).toMatchObject({ status: 200, before: 2, read: 1.5 })
    clock.jump(1)
    expect(await call({ skill: 'sg_paid' })).toMatchObject({ status: 200, before: 2, read: 2 })
  })

  test('cost one unit and place no hold past the limit of the minute, and then none', async () => {
    const call = await caller('small')
    for (let made = 0; made < 3; made += 1) await call({ skill: 'sg_paid' })
    clock.jump(LIST_VERSION_CACHE_MS)
    const cost = { status: 429, before: 1, between: 0, behind: 0, written: 1, read: 2 }
    expect(await call({ skill: 'sg_paid' })).toEqual(cost)
    clock.jump(LIST_VERSION_CACHE_MS)
    expect(await call({ skill: 'sg_paid' })).toEqual({ ...cost, written: 0 })
  })
})

async function measured(call: (asked: CostedCall) => Promise<Cost>, rows: readonly Row[]) {
  const costs = []
  for (const [name, asked] of rows) {
    // Each call reads the list version again.
    clock.jump(LIST_VERSION_CACHE_MS)
    costs.push({ what: name, ...(await call(asked)) })
  }
  return costs
}

function shown([name, , status, before, between, behind, written, read]: Row) {
  return { what: name, status, before, between, behind, written, read }
}

type CostedCall = {
  readonly skill: string
  readonly args?: JsonObject
  readonly upstream?: Script
  readonly idempotencyKey?: string
  readonly door?: 'mcp'
  readonly authorization?: string
}

/** Consecutive requests before the upstream, `between` its answer and ours, and `behind` ours. */
type Cost = {
  readonly status: number
  readonly before: number
  readonly between: number
  readonly behind: number
  readonly written: number
  readonly read: number
}

/** A new user's calls in one environment, the first of which finds the caches empty. */
async function caller(
  tier = 'free',
  secrets: { readonly [name: string]: string } = {},
): Promise<(asked: CostedCall) => Promise<Cost>> {
  users += 1
  const uid = `user${users}`
  const setUp = portsOver(store)
  okOf(await createUser(setUp, { uid, username: uid, tier, credits: 100 }))
  for (const [name, value] of Object.entries(secrets)) {
    okOf(await setSecret(setUp, SETTINGS, { uid, name, skill: undefined }, { value }))
  }
  const own = `Bearer ${okOf(await issueKey(setUp, uid)).key}`
  const rows = countedRows(store)
  const ports = portsOver(rows.store)
  const caches = makeExecuteCaches()
  let calls = 0
  return async (asked) => {
    const { args = {}, authorization = own, door, idempotencyKey, skill, upstream: script } = asked
    const termsOf = (from: 'mcp') => {
      calls += 1
      const nowMs = clock.nowMs()
      return { callId: makeCallId(nowMs, `call${calls}`), deadlineMs: nowMs + 15_000, door: from }
    }
    const upstream = scriptedUpstream(clock)
    if (script !== undefined) upstream.next(script)
    let atUpstream: number | undefined
    const send: typeof upstream.send = (request, limits) => {
      atUpstream = rows.count()
      return upstream.send(request, limits)
    }
    seen.length = 0
    rows.reset()
    const executed = await executeSkill({ ...ports, upstream: { send } }, SETTINGS, caches, {
      credential: credentialOf(authorization),
      body: { skill, arguments: args },
      terms: door && termsOf(door),
      idempotencyKey,
      gone: new AbortController().signal,
    })
    const atAnswer = rows.count()
    await runSteps(executed.after)
    const before = atUpstream ?? atAnswer
    return {
      status: statusOf(executed.answer),
      before,
      between: atAnswer - before,
      behind: rows.count() - atAnswer,
      // A write that its condition refuses costs a unit, too, which the store does not report.
      written: unitsOf('written') + rows.refused(),
      read: unitsOf('read'),
    }
  }
}

function statusOf(answer: ExecuteAnswer): number {
  return answer.kind === 'problem' ? answer.body.status : 200
}

/** The longest row of requests of which each began after the one before it had ended. */
function countedRows(of: DynamoStore) {
  let rows = { longest: 0, longestEnded: 0, refused: 0 }
  const counted =
    <In extends unknown[], Out>(ask: (...argument: In) => Promise<Out>) =>
    async (...argument: In): Promise<Out> => {
      const own = rows
      const row = own.longestEnded + 1
      own.longest = Math.max(own.longest, row)
      const answer = await ask(...argument).finally(() => {
        own.longestEnded = Math.max(own.longestEnded, row)
      })
      if (isRefused(answer)) own.refused += 1
      return answer
    }
  const counting: DynamoStore = {
    ...of,
    get: counted(of.get),
    batchGet: counted(of.batchGet),
    query: counted(of.query),
    snapshot: counted(of.snapshot),
    put: counted(of.put),
    update: counted(of.update),
    remove: counted(of.remove),
    removeIf: counted(of.removeIf),
    transact: counted(of.transact),
  }
  const reset = () => {
    rows = { longest: 0, longestEnded: 0, refused: 0 }
  }
  return { store: counting, count: () => rows.longest, refused: () => rows.refused, reset }
}

function isRefused(answer: unknown): boolean {
  return (
    typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'refused'
  )
}

function unitsOf(kind: 'read' | 'written'): number {
  return seen
    .filter(({ command }) => READS.includes(command) === (kind === 'read'))
    .reduce((sum, { units }) => sum + units, 0)
}

/** The ports of one environment, with caches of its own. */
function portsOver(over: DynamoStore) {
  const versions = listVersionCache(clock, 0)
  return {
    clock,
    log: recordingLog(),
    ids: nodeIds(),
    digests: nodeDigests(),
    seals: nodeSeals(),
    keptResults: memoryKeptResults(clock),
    schemas: makeSchemasWithPatterns(),
    skillMarkdown: makeSkillMarkdown(),
    hooks: makeHooks({ clock, outboundAllow: SETTINGS.outboundAllow }),
    secrets: dynamoSecrets(over),
    sharedSecrets: dynamoSharedSecrets(over),
    secretSeals: makeRawSecretSeals(() => new Uint8Array(32)),
    callExcerpts: dynamoCallExcerpts(over),
    events: dynamoEvents(over),
    idempotencyRecords: dynamoIdempotencyRecords(over),
    changes: NO_CHANGES,
    toolListVersion: dynamoToolListVersion(over, versions),
    callLookup: dynamoCallLookup(over, versions),
    jobs: dynamoJobs(over),
    keys: dynamoKeys(over),
    logins: dynamoLogins(over),
    oauthClient: { refresh: () => Promise.reject(new Error('no login here')) },
    ledger: dynamoLedger(over),
    v0: dynamoV0(over),
    rateCounters: dynamoRateCounters(over),
    profiles: dynamoProfiles(over),
    userDirectory: dynamoUserDirectory(over),
    skills: dynamoSkills(over),
    skillVersions: dynamoSkillVersions(over),
    sweepEntries: dynamoSweepEntries(over),
    toolsCache: dynamoToolsCache(over),
  }
}

async function sync(ports: ReturnType<typeof portsOver>, id: string, more: SkillMore) {
  const text = JSON.stringify(skillJson(id, more))
  okOf(await syncSkill(ports, SETTINGS, { text, source: undefined, uid: undefined, list: 'now' }))
}
