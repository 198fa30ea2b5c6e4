/**
 * Every route of the served OpenAPI document, called with requests that are generated from it,
 * valid and invalid ones: the gateway never fails, every answer is documented, and a request that
 * fits the schemas is refused only for reasons that no schema can express.
 *
 *   FUZZ_RUNS=100000 npx vitest run --project fuzz test/lambdas/admin/generated.test.ts
 *   FUZZ_SEED=1234 …                                        where a failure names another seed
 */
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { dynamoStorePorts } from '../../../adapters/dynamodb/store-ports.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { embeddedStore } from '../../adapters/dynamodb/embedded-store.ts'
import type { World } from '../../core/flow/world.ts'
import { type AdminReply, type AdminWorld, askAdmin } from './admin-client.ts'
import { answerJudge } from './answer-judge.ts'
import { type GeneratedRequest, requestOf, requestsOf } from './generated-requests.ts'
import { operationsOf } from './openapi-document.ts'
import { knownOf, seededWorld } from './seeded-registry.ts'

const SEED = Number(process.env['FUZZ_SEED'] ?? 1)
/** Requests of all tests together; .ci/run sends 2,000. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 500)
/** Requests that meet one gateway, at most. */
const REQUESTS_MAX = 20
/** Gateways that one round of requests is sent to. */
const GATEWAYS = 3
/** Requests to one route, which must have been answered and refused within the second number. */
const ALONE = { min: Math.max(30, RUNS * 0.02), max: 500 }
const MS_PER_REQUEST_MAX = 25

const seeded = await seededWorld()
const { json: document } = await askAdmin(seeded, 'GET', '/openapi.json')
const making = { document, known: await knownOf(seeded) }
const faultsOf = answerJudge(document)

/** By operation: with what a request that fits its schemas may be refused all the same, and why. */
const BEYOND_SCHEMAS: { readonly [operationId: string]: readonly string[] } = {
  // A cursor of another list; a tier that needs ?uid=.
  listSkills: ['malformed'],
  showSkill: ['malformed'],
  deleteSkill: ['malformed'],
  listKeys: ['malformed'],
  listLogins: ['malformed'],
  listSecrets: ['malformed'],
  showLedger: ['malformed'],
  // A cursor of another list, no user, a day that does not exist, a span that ends before it starts.
  listCalls: ['malformed'],
  // A time that is no full hour, a day that does not exist, a span that ends before it starts.
  showUsage: ['malformed'],
  // A month that has not begun, or is over before the user exists.
  showStatement: ['malformed'],
  listStatements: ['malformed'],
  listUsers: ['malformed'],
  // A cursor of another list.
  listDebts: ['malformed'],
  // A cursor of another list.
  listEvents: ['malformed'],
  // A cursor of another list.
  listTasks: ['malformed'],
  // A reason goes with the state disabled, and that state with a reason.
  patchUser: ['invalid_arguments'],
  // A body that changes nothing.
  patchKey: ['malformed'],
  // Members that go together, and an issuer of the setting.
  addIdentity: ['malformed', 'invalid_arguments'],
  // Any text: lines are judged one by one.
  createUsers: ['malformed'],
  grantManyCredits: ['malformed'],
  listGrants: ['malformed'],
  // Documents and overlays are judged by their own readers.
  planImport: ['malformed', 'invalid_arguments', 'too_large'],
  checkImport: ['malformed', 'invalid_arguments', 'too_large'],
  applyImport: ['malformed', 'invalid_arguments', 'too_large'],
  // A private skill needs its owner, and serves nobody else. Skills are judged by their own reader.
  dryRunSkill: ['malformed', 'invalid_skill'],
  dryRunSentSkill: ['malformed', 'invalid_skill', 'invalid_arguments'],
  // A private skill needs its owner, and takes no groups; prices have six decimals.
  changeSkill: ['malformed', 'invalid_arguments'],
  // Any text: skills are judged one by one.
  planSkills: ['malformed', 'invalid_skill', 'too_large'],
  applySkills: ['malformed', 'invalid_skill', 'too_large'],
  // A cursor of another list; an id in the body that no guide has; front matter of another guide.
  listGuides: ['malformed'],
  pushGuide: ['invalid_arguments'],
  planGuides: ['invalid_arguments'],
  applyGuides: ['invalid_arguments'],
  // Settings are judged as those of a skill, by the skill's own reader.
  planUpstream: ['invalid_arguments'],
  putUpstream: ['invalid_arguments'],
  // A private skill needs its owner. A version may not be judged well any more.
  listSkillVersions: ['malformed'],
  showSkillVersion: ['malformed'],
  diffSkillVersions: ['malformed'],
  rollbackSkill: ['malformed', 'invalid_skill'],
  // Ids of skills and origins have rules of their own; market skills exist and go with origins.
  setSecret: ['malformed', 'invalid_arguments'],
  deleteSecret: ['malformed'],
  listSharedSecrets: ['malformed'],
  setSharedSecret: ['malformed', 'invalid_arguments'],
  deleteSharedSecret: ['malformed'],
  // Amounts that are 0, more than one user may have in all, or more than can be taken; no reason.
  grantCredits: ['invalid_arguments'],
  // A cursor of another list; to close on a dry run.
  migrate: ['invalid_arguments'],
  // A day that no calendar has, or a time that is over.
  createAdminKey: ['invalid_arguments'],
  listAudit: ['malformed'],
  verifyAudit: ['malformed'],
  // `tools` goes with replace alone, and a tool must not break clients. No text may hold U+0000.
  syncCache: ['invalid_arguments', 'malformed'],
  // Skills are judged by their own reader.
  syncSkill: ['malformed', 'invalid_skill', 'invalid_arguments', 'too_large'],
}
const ID_BY_PLACE = new Map(
  operationsOf(document).map(({ method, operation, path }) => [
    `${method} ${path}`,
    String(operation['operationId']),
  ]),
)

type StatusesByOperation = Map<string, Set<number>>

async function check(
  world: AdminWorld,
  one: GeneratedRequest,
  statuses: StatusesByOperation,
): Promise<void> {
  const path = one.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => one.segments[name] ?? '')
  const sent = one.body === undefined ? {} : { body: one.body }
  const answered = await askAdmin(world, one.method, path, { query: one.query, ...sent })
  const place = `${one.method} ${one.path}`
  const id = ID_BY_PLACE.get(place) ?? ''
  statuses.set(id, (statuses.get(id) ?? new Set()).add(answered.status))
  const faults = [...faultsOf(one.method, one.path, answered), ...rightFaults(id, one, answered)]
  if (faults.length === 0) return
  throw new Error(`${faults.join('; ')}\n${JSON.stringify({ ...one, path }).slice(0, 2_000)}`)
}

function rightFaults(id: string, one: GeneratedRequest, answered: AdminReply): readonly string[] {
  const { code } = answered.json
  const isRefusedByForm = answered.status === 400 || answered.status === 422
  if (!one.isRight || !isRefusedByForm || BEYOND_SCHEMAS[id]?.includes(String(code))) return []
  return [`fits its schemas and is refused: ${answered.text}`]
}

async function drive(
  requests: fc.Arbitrary<GeneratedRequest>,
  isEnough: (asked: number) => boolean,
  open: () => Promise<World>,
  statuses: StatusesByOperation,
): Promise<void> {
  let asked = 0
  for (let seed = SEED; !isEnough(asked); seed += 1) {
    const batch = fc.array(requests, { minLength: 1, maxLength: REQUESTS_MAX, size: 'max' })
    const property = fc.asyncProperty(batch, async (all) => {
      const world = await open()
      asked += all.length
      for (const one of all) await check(world, one, statuses)
    })
    await fc.assert(property, { seed, numRuns: GATEWAYS, includeErrorInReport: true })
  }
}

function atLeast(requests: number): (asked: number) => boolean {
  return (asked) => asked >= requests
}

/** Ends a test that hangs. */
const TIME_MS = 300_000 + RUNS * MS_PER_REQUEST_MAX

test(
  'all routes together never fail, and give documented answers only',
  async () => {
    const statuses: StatusesByOperation = new Map()
    const sawAll = () => statuses.size === ID_BY_PLACE.size
    // Requests are drawn from all routes, so a rare seed leaves one out for a while.
    const isEnough = (asked: number) => asked >= RUNS * 2 || (asked >= RUNS * 0.5 && sawAll())
    await drive(requestsOf(making), isEnough, () => seededWorld(), statuses)
    expect([...statuses.keys()].sort()).toEqual([...ID_BY_PLACE.values()].sort())
  },
  TIME_MS,
)

describe('all routes over the embedded store', () => {
  const stops: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const stop of stops) await stop()
  })

  test(
    'give the same answers',
    async () => {
      const { clock } = await seededWorld()
      // A store for each gateway: a user that an earlier one deleted cannot be made again.
      const open = async () => {
        const embedded = await embeddedStore({ clock })
        stops.push(embedded.stop)
        return seededWorld(dynamoStorePorts(embedded.store))
      }
      await drive(requestsOf(making), atLeast(Math.max(60, RUNS * 0.03)), open, new Map())
    },
    TIME_MS,
  )
})

describe('each route alone', () => {
  test.each(operationsOf(document))(
    'the route $method $path succeeds at least once, and is refused at least once',
    async (operation) => {
      const seen: StatusesByOperation = new Map()
      const statuses = () => [...(seen.get(String(operation.operation['operationId'])) ?? [])]
      const succeeded = () => statuses().some((status) => status < 300)
      const refused = () => statuses().some((status) => status >= 400)
      const isEnough = (asked: number) =>
        asked >= ALONE.max || (asked >= ALONE.min && succeeded() && refused())
      await drive(requestOf(making, operation), isEnough, () => seededWorld(), seen)
      expect(succeeded()).toBe(true)
      expect(refused()).toBe(true)
    },
    TIME_MS,
  )
})

describe('a wrong implementation', () => {
  type Wrong = {
    readonly name: string
    change(answered: AdminReply): AdminReply
    readonly found: RegExp
  }
  const withJson = (answered: AdminReply, json: JsonObject): AdminReply => ({
    ...answered,
    json,
    text: JSON.stringify(json),
  })
  const WRONG: readonly Wrong[] = [
    { name: 'a failure', change: (one) => ({ ...one, status: 500 }), found: /is 500/ },
    { name: 'a status of no route', change: (one) => ({ ...one, status: 418 }), found: /no 418/ },
    {
      name: 'a field of another type',
      change: (one) => withJson(one, { ...one.json, credits: '1' }),
      found: /does not fit at \/credits/,
    },
    {
      name: 'a field that is null',
      change: (one) => withJson(one, { ...one.json, uid: null }),
      found: /does not fit at \/uid/,
    },
    {
      name: 'a field left out',
      change: (one) => withJson(one, { credits: 1 }),
      found: /does not fit at \/username: is missing/,
    },
    {
      name: 'a field that nobody told of',
      change: (one) => withJson(one, { ...one.json, holds: {} }),
      found: /does not fit at \/holds/,
    },
    {
      name: 'a problem that is called JSON',
      change: (one) => ({ ...one, headers: { 'content-type': 'application/problem+json' } }),
      found: /where the document says/,
    },
  ]
  test.each(WRONG)('an answer with $name is detected', async ({ change, found }) => {
    const answered = await askAdmin(seeded, 'GET', '/users/ada')
    expect(faultsOf('GET', '/users/{uid}', answered)).toEqual([])
    expect(faultsOf('GET', '/users/{uid}', change(answered)).join()).toMatch(found)
  })
})
