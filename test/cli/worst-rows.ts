/**
 * A gateway whose lists have a usual row and the worst one: the longest ids and names that are
 * allowed, and texts that would control a terminal.
 */
import { createServer, type Server } from 'node:http'
import { closePort, openPort } from '../../local/http/listen.ts'

/** What the lists are shown as of. */
export const NOW_MS = Date.parse('2026-11-27T12:00:00Z')
const MIN_MS = 60_000
const DAY_MS = 86_400_000

const HOSTILE = '\u001b[2J\u202e"=cmd|calc"'
const UID = 'service-account-of-the-department-for-logistics-in-the-far-north'
const CALL = `1nkkq7v40-${'Pq3_x9hK'.repeat(3).slice(0, 22)}`
const KEY_ID = `sub:${'Pq3_x9hK'.repeat(6).slice(0, 43)}`
const SKILL = 'sg_warehouse_find_the_nearest_free_place_for_a_pallet_of_that_si'
const URL = `https://warehouse.logistics.far-north.example.com/${'path/'.repeat(20)}mcp`
const WORDS = 'Tells where a pallet of that size can stand, and for how long it may. '
const WIDE = '倉庫の空き場所を探す道具'

const WORST_USER = {
  uid: UID,
  username: `${WIDE}${HOSTILE}`,
  tier: 'enterprise-with-a-long-name',
  state: 'disabled',
  createdAtMs: NOW_MS - 400 * DAY_MS,
  credits: 123_456.654321,
  creditsOnHold: 12.5,
  monthlyBudget: { limit: 100_000, spent: 99_999.5, renewsOn: '2026-12-01' },
  chargedPerDay: 12_345.678,
  daysLeft: 10,
  reaches: 'balance',
}

/** A document for an import, with an operation that has long names. */
export const DOCUMENT = {
  openapi: '3.0.0',
  info: { title: 'Pallets', version: '1' },
  servers: [{ url: 'https://warehouse.example.com' }],
  paths: {
    '/pallets': { get: toOperation('listPallets', 'pallets') },
    [`/warehouses/{warehouse}/${'level/'.repeat(12)}pallets`]: {
      post: {
        ...toOperation(SKILL, 'places-of-pallets-in-warehouses'),
        parameters: [{ name: 'warehouse', in: 'path', required: true, schema: { type: 'string' } }],
      },
    },
  },
}

function toOperation(operationId: string, tag: string) {
  const responses = { 200: { description: 'ok' } }
  return { operationId, tags: [tag], summary: WORDS + HOSTILE, responses }
}

const SKILL_ROWS = [
  {
    skillId: 'sg_weather',
    source: 'official',
    toolName: 'sg_weather',
    version: 3,
    updatedAtMs: NOW_MS - 2 * MIN_MS,
    skill: { credits_per_call: 0.5, groups: ['finance'], meta: { name: 'Weather' } },
  },
  {
    skillId: SKILL,
    source: 'private',
    toolName: SKILL,
    version: 123_456,
    updatedAtMs: NOW_MS - 12 * DAY_MS,
    skill: {
      credits_per_call: 123_456.654321,
      groups: ['g'.repeat(64)],
      meta: { name: WIDE + HOSTILE },
    },
  },
]

const CALL_ROWS = [
  {
    callId: '1nkkq7v3v-Zm9vYmFyYmF6cXV4MTIzNA',
    uid: 'ada',
    skillId: 'sg_weather',
    outcome: 'settled',
    state: 'settled',
    amount: 0.5,
    charged: 0.5,
    startedAtMs: NOW_MS - 20_000,
    createdAtMs: NOW_MS - 20_000,
    durationMs: 240,
    upstreamStatus: 200,
  },
  {
    callId: CALL,
    uid: UID,
    skillId: SKILL,
    outcome: 'refunded',
    state: 'refunded',
    reason: 'upstream_failed',
    amount: 123_456.654321,
    charged: 0,
    startedAtMs: NOW_MS - 3 * 60 * MIN_MS,
    createdAtMs: NOW_MS - 3 * 60 * MIN_MS,
    durationMs: 14_999,
    upstreamStatus: 503,
  },
]

/** Answers by path. */
const ANSWERS: { readonly [path: string]: unknown } = {
  '/users': {
    users: [
      {
        uid: 'ada',
        username: 'Ada',
        tier: 'free',
        state: 'active',
        createdAtMs: NOW_MS - DAY_MS,
        credits: 25,
        creditsOnHold: 0,
      },
      WORST_USER,
    ],
  },
  '/users:running-out': {
    users: [
      {
        uid: 'ada',
        username: 'Ada',
        credits: 3,
        chargedPerDay: 1.5,
        daysLeft: 2,
        reaches: 'balance',
      },
      WORST_USER,
    ],
    notCompared: 0,
  },
  '/users:in-debt': { users: [{ ...WORST_USER, credits: -123_456.654321 }] },
  '/users/ada/credits': {
    grants: [
      { grantId: 'november', amount: 10, by: 'ops', createdAtMs: NOW_MS - MIN_MS },
      {
        grantId: 'g'.repeat(64),
        amount: -123_456.654321,
        by: `team-of-${'x'.repeat(56)}`,
        reason: WORDS + HOSTILE,
        createdAtMs: NOW_MS - 40 * DAY_MS,
      },
    ],
  },
  '/calls': { calls: CALL_ROWS },
  '/users/ada/ledger': { entries: CALL_ROWS },
  '/skills': { skills: SKILL_ROWS },
  '/skills/official/sg_weather/versions': {
    versions: [
      { version: 2, madeAtMs: NOW_MS - MIN_MS, by: 'ops', origin: 'push', toolName: 'sg_weather' },
      {
        version: 123_456,
        madeAtMs: NOW_MS - 40 * DAY_MS,
        by: `team-of-${'x'.repeat(56)}`,
        origin: `upstream ${'y'.repeat(40)}`,
        toolName: SKILL,
      },
    ],
  },
  '/guides': {
    guides: [
      { guideId: 'sample-tools', version: 1, files: ['SKILL.md'], updatedAtMs: NOW_MS },
      {
        guideId: 'g'.repeat(64),
        version: 12,
        files: ['a', 'b'],
        groups: ['finance', 'g'.repeat(64)],
        set: 's'.repeat(64),
        updatedAtMs: NOW_MS - 9 * DAY_MS,
        description: WORDS.repeat(8) + HOSTILE,
      },
    ],
  },
  '/guides/sample-tools/versions': {
    versions: [
      {
        version: 12,
        madeAtMs: NOW_MS - 9 * DAY_MS,
        by: HOSTILE + WORDS,
        files: 50,
        bytes: 999_999,
      },
    ],
  },
  '/users/ada/keys': {
    keys: [
      { keyId: KEY_ID.slice(4), keyPrefix: 'sgk_Pq3_', createdAtMs: NOW_MS - DAY_MS },
      {
        keyId: KEY_ID,
        keyPrefix: 'sgk_x9hK',
        invitation: 'pending',
        createdAtMs: NOW_MS - 9 * DAY_MS,
        lastUsedAtMs: NOW_MS - 5_000,
        expiresAtMs: NOW_MS + 3 * 60 * MIN_MS,
        tools: ['sg_*', 't'.repeat(64), 'u'.repeat(64)],
        monthlyBudget: { limit: 100_000, spent: 99_999.5, renewsOn: '2026-12-01' },
        callsPerDay: { limit: 10_000, made: 9_999, renewsOn: '2026-11-28' },
      },
    ],
  },
  '/users/ada/logins': {
    logins: [
      {
        loginId: 'Pq3_x9hKPq3_x9hKPq3_x9',
        createdAtMs: NOW_MS - 9 * DAY_MS,
        lastRefreshAtMs: NOW_MS - 2 * MIN_MS,
        clientName: `Claude ${HOSTILE}${WORDS}`,
        clientHost: `${'client.'.repeat(8)}example.com`,
        redirectHost: '127.0.0.1:4711',
        keyId: KEY_ID,
      },
    ],
  },
  '/users/ada/secrets': {
    secrets: [
      { name: 'API_KEY', origins: [], updatedAtMs: NOW_MS - MIN_MS },
      {
        name: 'N'.repeat(64),
        skillId: SKILL,
        origins: [URL, 'https://api.example.com'],
        updatedAtMs: NOW_MS - 90 * DAY_MS,
        setAnew: true,
      },
    ],
  },
  '/secrets': {
    secrets: [
      { name: 'API_KEY', origins: ['https://api.example.com'], setBy: 'ops', ageDays: 3 },
      {
        name: 'N'.repeat(64),
        skillId: SKILL,
        origins: [URL],
        setBy: `team-of-${'x'.repeat(56)}`,
        ageDays: 12_345,
        lastUsedDayMs: NOW_MS - 2 * DAY_MS,
      },
    ],
  },
  '/upstreams': {
    upstreams: [
      {
        id: 'files',
        state: 'active',
        tools: 4,
        settings: { url: 'https://files.example.com/mcp' },
      },
      {
        id: 'a-server-of-a-team-in-another-department',
        state: 'failing',
        tools: 120,
        counts: { changed: 3, flagged: 12, new: 100 },
        settings: { url: URL },
      },
    ],
  },
  '/statements/2026-10': {
    statements: [
      {
        uid: 'ada',
        username: 'ada',
        state: 'open',
        opening: 0,
        granted: 100,
        corrected: 0,
        calls: 1,
        charged: 0.5,
        closing: 99.5,
      },
      {
        uid: 'u'.repeat(64),
        username: HOSTILE + WORDS,
        state: 'closed',
        opening: -999_999.999999,
        granted: 9_999_999.999999,
        corrected: -9_999_999.999999,
        calls: 9_999_999,
        charged: 9_999_999.999999,
        closing: -9_999_999.999999,
      },
    ],
  },
  '/events': {
    events: [
      {
        eventId: CALL,
        type: 'daily_calls_reached',
        createdAtMs: NOW_MS - 7 * 60 * MIN_MS,
        attempts: 12,
        targets: [
          { target: 'bus:default', takenAtMs: NOW_MS },
          {
            target: `email:${'x'.repeat(40)}@example.com`,
            error: `answered 503${HOSTILE} ${WORDS}`,
          },
        ],
      },
    ],
  },
  '/audit': {
    changes: [
      {
        atMs: NOW_MS - 30 * MIN_MS,
        who: { name: 'ops' },
        operation: 'grantCredits',
        target: 'ada',
        outcome: 'done',
      },
      {
        atMs: NOW_MS - 2 * DAY_MS,
        who: { name: `team-of-${'x'.repeat(56)}` },
        operation: 'replaceSharedSecretOfSkill',
        target: { uid: UID, name: 'N'.repeat(64) },
        outcome: 'refused',
      },
    ],
  },
  '/keys': {
    keys: [
      {
        keyId: KEY_ID.slice(4),
        name: `team-of-${'x'.repeat(56)}`,
        role: 'publisher',
        keyPrefix: 'sga_Pq3_x9hK',
        createdAtMs: NOW_MS - 3 * DAY_MS,
        createdBy: `team-of-${'y'.repeat(56)}`,
        lastUsedAtMs: NOW_MS - DAY_MS,
        expiresAtMs: NOW_MS + 20 * DAY_MS,
      },
    ],
  },
  '/usage': {
    entries: [
      {
        keyId: KEY_ID,
        calls: 1_234_567,
        settled: 1_234_500,
        refunded: 67,
        charged: 617_250.25,
        givenBack: 33.5,
        durationMs: 246_913_400,
        reasons: { upstream_failed: 60, upstream_timeout: 7 },
      },
    ],
  },
}

export type WorstGateway = { readonly origin: string; stop(): Promise<void> }

/** Starts the gateway on a free port. It answers changes of guides and skills, too. */
export async function startWorstGateway(): Promise<WorstGateway> {
  const server: Server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/v1\/admin|\?.*$/g, '')
    response.setHeader('content-type', 'application/json')
    const answer = request.method === 'GET' ? ANSWERS[path] : toChanged(path)
    if (answer === undefined) response.statusCode = 404
    response.end(JSON.stringify(answer ?? { detail: `nothing at ${path}`, code: 'not_found' }))
    request.resume()
  })
  const port = await openPort(server, { host: '127.0.0.1', port: 0 })
  return { origin: `http://127.0.0.1:${port}`, stop: () => closePort(server) }
}

function toChanged(path: string): unknown {
  if (path.startsWith('/guides/')) {
    return { changed: true, guide: { guideId: 'g'.repeat(64), version: 123 } }
  }
  if (path === '/events:test') {
    const target = `email:${'x'.repeat(60)}@example.com`
    return { eventId: CALL, state: 'delivered', targets: [{ target, takenAtMs: NOW_MS }] }
  }
  return path === '/sync_skill'
    ? { created: true, toolName: SKILL, warnings: [WORDS + HOSTILE] }
    : undefined
}
