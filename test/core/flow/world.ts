/**
 * One gateway in memory for the tests of flows and doors: memory adapters, a clock that the test
 * moves, the real crypto and schemas, and the messages and execute doors of the same process. Only
 * what lies outside is a double: the upstream, and the network between our functions where it
 * fails.
 */

import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../../adapters/crypto/node-seals.ts'
import { NO_CHANGES } from '../../../adapters/dynamodb/no-changes.ts'
import { makeSchemasWithPatterns } from '../../../adapters/formats/json-schema.ts'
import { makeOpenApiDocuments } from '../../../adapters/formats/openapi-text.ts'
import { makeSkillMarkdown } from '../../../adapters/formats/skill-markdown.ts'
import { makeHooks } from '../../../adapters/hooks/registry.ts'
import { makeLateTokenVerifier } from '../../../adapters/issuers/late-verifier.ts'
import { makeRawSecretSeals } from '../../../adapters/kms/raw-seals.ts'
import { makeOAuthClient } from '../../../adapters/oauth-client/oauth-client.ts'
import { makeFixedAdminSecrets } from '../../../adapters/secrets/given-admin-secrets.ts'
import type { Resolve } from '../../../adapters/upstream/checked-address.ts'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import { makeUpstreamPreviews } from '../../../adapters/upstream/upstream-previews.ts'
import { runSteps } from '../../../bench/lib/run-steps.ts'
import { Fault } from '../../../core/errors.ts'
import { type ExecuteCaches, makeExecuteCaches } from '../../../core/flow/execute/execute-caches.ts'
import { executeSkill } from '../../../core/flow/execute/execute-skill.ts'
import { voidCall } from '../../../core/flow/execute/void-call.ts'
import { answerJob, lookAfterJob } from '../../../core/flow/jobs/look-after-job.ts'
import { syncSkill } from '../../../core/flow/registry/sync-skill.ts'
import { processMessage } from '../../../core/flow/sse/process-message.ts'
import { makeToolListCache } from '../../../core/flow/tools/tool-list-cache.ts'
import { issueKey } from '../../../core/flow/users/manage-keys.ts'
import { createUser } from '../../../core/flow/users/manage-users.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { Ports } from '../../../core/ports/ports.ts'
import type { ExecuteDoor, MessagesDoor } from '../../../core/ports/sessions.ts'
import type { HandedMessage } from '../../../core/session/session.ts'
import { listDefaults } from '../../../core/settings/read-setting.ts'
import { SETTINGS as ROWS } from '../../../core/settings/table.ts'
import { convertSettings, type Settings } from '../../../core/settings.ts'
import type { SkillSource } from '../../../core/skills/skill.ts'
import { createMcpPorts } from '../../../lambdas/call/mcp-ports.ts'
import { readingsHere } from '../../../lambdas/call/readings-here.ts'
import { dryRunOrSend } from '../../../lambdas/execute/dry-run.ts'
import { listingsHere } from '../../../lambdas/execute/listing.ts'
import { memoryKeptResults } from '../../contracts/memory-kept-results.ts'
import {
  type RecordingLog,
  recordingLog,
  type ScriptedUpstream,
  scriptedUpstream,
} from './doubles.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { memoryPorts } from './memory-ports.ts'

export type World = {
  readonly clock: ManualClock
  readonly log: RecordingLog
  readonly upstream: ScriptedUpstream
  readonly settings: Settings
  /** Tests replace parts of it to make them fail: `world.ports.ledger = …`. */
  readonly ports: Mutable<Ports>
  /** The caches of the execute door. */
  readonly caches: ExecuteCaches
  /** Messages that the sse door handed on. */
  readonly handed: HandedMessage[]
  /** Errors that the messages door threw after its 202. */
  readonly failures: unknown[]
  /** Switches: the doors and steps that fail. */
  readonly down: {
    messages: boolean
    execute: boolean
    voids: boolean
    work: boolean
    settle: boolean
  }
  /** Makes a user with a key; returns the Authorization header. */
  user(uid: string, more?: UserMore): Promise<string>
  skill(id: string, more?: SkillMore): Promise<void>
  profile(uid: string): Promise<Profile>
  /** Decimal credits: free to spend, and on hold. */
  credits(uid: string): Promise<{ free: number; held: number }>
}

export type UserMore = {
  readonly credits?: number
  readonly username?: string
  readonly tier?: string
  readonly groups?: readonly string[]
}

export type SkillMore = {
  readonly groups?: readonly string[]
  readonly price?: number
  readonly source?: SkillSource
  readonly uid?: string
  readonly parameters?: JsonObject
  readonly outputSchema?: JsonObject
  readonly config?: JsonObject
  readonly description?: string
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export const SETTINGS: Settings = {
  ...convertSettings(listDefaults(ROWS)),
  version: '1.2.3',
  tiers: {
    free: { callsPerMinute: 60, holdsMax: 32 },
    small: { callsPerMinute: 3, holdsMax: 2 },
  },
  streams: { perKeyMax: 20, totalMax: 70, anonymousMax: 7 },
  announceToolChanges: true,
  allowedOrigins: ['https://app.example'],
  executeUrl: undefined,
  // Of a stage whose clients see the challenge.
  renamesChallenge: false,
}

/** Shared by all worlds: a value sealed in one opens in another. */
const SECRET_KEY = new Uint8Array(32).fill(7)
export const ADMIN_SECRETS = { internalApiSecrets: ['internal-secret'], adminKeys: ['admin-key'] }

/** Every name has one public address. */
const PUBLIC_NAMES: Resolve = (_host, done) => done(null, [{ address: '93.184.216.34', family: 4 }])

/** The one function of the account of a world; it carries any tag. */
const ORDERS_FUNCTION = {
  arn: 'arn:aws:lambda:eu-central-1:111122223333:function:orders',
  tags: { team: 'shop', 'skillgate:event': 'id:string' },
}

export function makeWorld(settings: Settings = SETTINGS): World {
  const clock = manualClock()
  const log = recordingLog()
  const upstream = scriptedUpstream(clock)
  const handed: HandedMessage[] = []
  const failures: unknown[] = []
  const down = { messages: false, execute: false, voids: false, work: false, settle: false }
  const caches = makeExecuteCaches()
  const digests = nodeDigests()
  const stored = memoryPorts(clock)
  const ports: Mutable<Ports> = {
    ...stored,
    // As deployed: the store reports no changes, and flows look for them by the clock.
    changes: NO_CHANGES,
    adminSecrets: makeFixedAdminSecrets(ADMIN_SECRETS),
    clock,
    log,
    upstream,
    mcpServers: createMcpPorts({ clock, upstream }, settings).mcpServers,
    upstreamPreviews: makeUpstreamPreviews({ ...settings, resolve: PUBLIC_NAMES }),
    dryRuns: { run: () => Promise.reject(new Error('not wired yet')) },
    digests,
    ids: nodeIds(),
    seals: nodeSeals(),
    // An authorization server of a test runs on this machine.
    tokenVerifier: makeLateTokenVerifier({
      clock,
      digests,
      issuers: settings.issuers,
      log,
      readClientSecret: async ({ clientSecret }) => clientSecret,
      stored: stored.issuerKeys,
      upstream: httpUpstream({ outboundAllow: ['127.0.0.1'] }),
    }),
    oauthClient: makeOAuthClient({ clock, outboundAllow: settings.outboundAllow, upstream }),
    secretSeals: makeRawSecretSeals(() => SECRET_KEY),
    schemas: makeSchemasWithPatterns(),
    skillMarkdown: makeSkillMarkdown(),
    openApiDocuments: makeOpenApiDocuments(),
    hooks: makeHooks({ clock, outboundAllow: settings.outboundAllow }),
    alarms: { read: async () => ({ kind: 'none_here' }) },
    taggedFunctions: { find: async () => ({ kind: 'found', functions: [ORDERS_FUNCTION] }) },
    messages: { handOn: () => Promise.reject(new Error('not wired yet')) },
    keptResults: memoryKeptResults(clock),
    jobVisits: { visit: () => Promise.reject(new Error('not wired yet')) },
    mcpListings: { tools: () => Promise.reject(new Error('not wired yet')) },
    mcpReadings: { read: () => Promise.reject(new Error('not wired yet')) },
    execute: {
      execute: () => Promise.reject(new Error('not wired yet')),
      voidCall: () => Promise.reject(new Error('not wired yet')),
    },
  }
  const world: World = {
    clock,
    log,
    upstream,
    settings,
    ports,
    caches,
    handed,
    failures,
    down,
    user: (uid, more) => makeUser(world, uid, more),
    skill: (id, more) => storeSkill(world, id, more),
    profile: (uid) => profileOf(world, uid),
    credits: async (uid) => creditsOf(await profileOf(world, uid)),
  }
  ports.messages = messagesOf(world)
  ports.execute = executeOf(world)
  ports.jobVisits = {
    visit: (errand) => lookAfterJob(world, errand),
    answer: (answers) => answerJob(world, answers),
  }
  ports.dryRuns = {
    run: (order) => dryRunOrSend(world, order),
  }
  ports.mcpListings = { tools: (order) => listingsHere(world).tools(order) }
  ports.mcpReadings = { read: (order) => readingsHere(world).read(order) }
  return world
}

/** Answers 202 before the work is done, as the deployed door does. */
function messagesOf(world: World): MessagesDoor {
  const caches = { lists: makeToolListCache() }
  return {
    handOn: async (message) => {
      if (world.down.messages) throw new Fault('internal', 'the messages door is not reachable')
      world.handed.push(message)
      if (world.down.work) return
      const context = { ports: world.ports, settings: world.settings, caches }
      processMessage(context, message).catch((cause: unknown) => {
        world.failures.push(cause)
      })
    },
  }
}

function executeOf(world: World): ExecuteDoor {
  const departure = new AbortController().signal
  return {
    execute: async ({ body, credential, idempotencyKey, terms }) => {
      if (world.down.execute) throw new Fault('internal', 'the execute door is not reachable')
      const { ports, settings, caches } = world
      const executed = await executeSkill(ports, settings, caches, {
        credential,
        body,
        terms,
        idempotencyKey,
        gone: departure,
      })
      if (!world.down.settle) void runSteps(executed.after)
      const { answer, replayed } = executed
      return replayed === undefined ? answer : { ...answer, replayed }
    },
    voidCall: async (call) => {
      if (world.down.voids) throw new Fault('internal', 'the execute door is not reachable')
      const voided = await voidCall(world.ports, call)
      if (!voided.ok) throw new Fault('internal', voided.error.detail)
      return voided.value.state === 'refunded' ? 'free' : 'charged'
    },
  }
}

async function makeUser(world: World, uid: string, more: UserMore = {}): Promise<string> {
  const { credits = 100, groups = [], username = uid, tier = 'free' } = more
  const created = await createUser(world.ports, { uid, username, tier, credits, groups })
  if (!created.ok) throw new Error(created.error.detail)
  return keyFor(world, uid)
}

/** One more key of a user, as an Authorization header. */
export async function keyFor(world: World, uid: string): Promise<string> {
  const issued = await issueKey(world.ports, uid)
  if (!issued.ok) throw new Error(issued.error.detail)
  return `Bearer ${issued.value.key}`
}

async function storeSkill(world: World, id: string, more: SkillMore = {}): Promise<void> {
  const synced = await syncSkill(world.ports, world.settings, {
    text: JSON.stringify(skillJson(id, more)),
    source: undefined,
    uid: more.uid,
    list: 'now',
  })
  if (!synced.ok) throw new Error(`${synced.error.detail} ${JSON.stringify(synced.error.faults)}`)
}

/** The unified JSON of a small skill. */
export function skillJson(id: string, more: SkillMore = {}): JsonObject {
  const { price = 1, source = 'official', config = {} } = more
  return {
    id,
    source,
    ...(more.groups === undefined ? {} : { groups: more.groups }),
    meta: {
      name: id,
      description: more.description ?? `What ${id} does.`,
      parameters: more.parameters ?? ANY_PARAMETERS,
      ...(more.outputSchema === undefined ? {} : { output_schema: more.outputSchema }),
    },
    // No retries, so that each call uses up one script of the upstream.
    config: {
      endpoint: `https://api.example/${encodeURIComponent(id)}`,
      method: 'GET',
      retries: 0,
      ...config,
    },
    credits_per_call: price,
  }
}

const ANY_PARAMETERS: JsonObject = { type: 'object', properties: {} }

async function profileOf(world: World, uid: string): Promise<Profile> {
  const profile = await world.ports.profiles.read(uid)
  if (profile === undefined) throw new Error(`there is no user ${uid}`)
  return profile
}

function creditsOf(profile: Profile): { free: number; held: number } {
  const held = Object.values(profile.holds).reduce((sum, hold) => sum + hold.amount, 0)
  return { free: profile.credits / 1_000_000, held: held / 1_000_000 }
}

/** The value, or a failed test that says why there is none. */
export function okOf<T>(
  result: { ok: true; value: T } | { ok: false; error: { detail: string } },
): T {
  if (result.ok) return result.value
  throw new Error(`refused: ${result.error.detail}`)
}

/** The refusal, or a failed test. */
export function refusalOf<E>(result: { ok: true; value: unknown } | { ok: false; error: E }): E {
  if (!result.ok) return result.error
  throw new Error(`was not refused: ${JSON.stringify(result.value)}`)
}
