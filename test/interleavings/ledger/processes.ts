/**
 * The parts of a process beside the store: its clock, its ids, an upstream that works, fails, hangs
 * or is slow, and its death. The other ports are plain functions.
 */

import { NO_CHANGES } from '../../../adapters/dynamodb/no-changes.ts'
import { createSleepingClock } from '../../../bench/lib/sleeping-clock.ts'
import { type Credential, readCredential } from '../../../core/access/credential.ts'
import type { UpstreamAnswer } from '../../../core/call/upstream.ts'
import type { ExecuteNeeds } from '../../../core/flow/execute/execute-request.ts'
import type { Clock, Log, Upstream } from '../../../core/ports/outside.ts'
import type { Ports } from '../../../core/ports/ports.ts'
import type { Profiles } from '../../../core/ports/users.ts'
import { storeOf } from './store.ts'
import { type Call, type Process, startProcess, type World } from './world.ts'

export type ProcessPorts = ExecuteNeeds & Pick<Ports, 'jobVisits'> & { readonly profiles: Profiles }

/** Digests that can be read. */
const DIGESTS: Ports['digests'] = {
  sha256: (text) => `sha256(${text})`,
  mac: (key, text) => `mac(${key}, ${text})`,
  sha256Hex: (bytes) => `hex of ${bytes.length}`,
  equal: (a, b) => a === b,
}

/** The credential of a header, as a door of these processes reads it. */
export function credentialOf(authorization: string | undefined): Credential {
  return readCredential(DIGESTS, authorization)
}

/** `tail` is the end of the ids of all calls that are made with these ports. */
export function portsOf(
  world: World,
  process: Process,
  call: Call | undefined,
  tail = '',
): ProcessPorts {
  const clock = clockOf(world, process)
  return {
    ...storeOf(world, process, call),
    changes: NO_CHANGES,
    // Their settings send no events; test/interleavings draws those.
    events: NO_EVENTS,
    callExcerpts: { put: async () => {}, find: async () => undefined, dropOwned: async () => true },
    clock,
    digests: DIGESTS,
    hooks: NO_HOOKS,
    jobs: NO_JOBS,
    keptResults: { put: NEVER, read: NEVER },
    jobVisits: { visit: async () => ({ kind: 'none' }) },
    secrets: NO_SECRETS,
    logins: { readSecret: NEVER },
    sharedSecrets: { noteUse: NEVER },
    oauthClient: { refresh: NEVER },
    secretSeals: { open: NEVER, seal: NEVER },
    ids: { token: (bytes) => (bytes === 16 ? tail : freshToken(world)) },
    log: SILENT,
    schemas: {
      faults: () => [],
      schemaFaults: () => [],
      notices: () => [],
      open: async () => undefined,
    },
    seals: {
      seal: (_, _purpose, text) => BYTES.encode(text),
      open: (_, _p, sealed) => TEXT.decode(sealed),
    },
    toolsCache: NO_LIST,
    upstream: upstreamOf(world, process, call),
  }
}

/** No skill of these worlds names a hook or a secret. */
const NEVER = () => Promise.reject(new Error('not in these worlds'))
const NO_JOBS: ExecuteNeeds['jobs'] = {
  create: NEVER,
  read: async () => undefined,
  claim: NEVER,
  note: NEVER,
  close: NEVER,
}
const NO_EVENTS: ExecuteNeeds['events'] = {
  record: NEVER,
  rearm: NEVER,
  put: NEVER,
  list: NEVER,
  claim: NEVER,
  end: NEVER,
  noteTry: NEVER,
  find: NEVER,
  readTools: NEVER,
  recordTools: NEVER,
  resend: NEVER,
}
const NO_HOOKS: ExecuteNeeds['hooks'] = {
  optionFaults: () => undefined,
  secretNames: () => [],
  urls: () => [],
  before: NEVER,
  after: NEVER,
}
const NO_SECRETS: ExecuteNeeds['secrets'] = { find: NEVER, put: NEVER, remove: NEVER, list: NEVER }

/** Every skill of these worlds is called by its id, so no list is looked at. */
const NO_LIST: ExecuteNeeds['toolsCache'] = {
  read: NEVER,
  write: NEVER,
  renew: NEVER,
  drop: NEVER,
  stage: NEVER,
  staged: NEVER,
}

/** Kills the process: no answer reaches it any more. Another one takes its place. */
export function crash(world: World, process: Process): void {
  process.alive = false
  if (process.working.size > 0) world.happened.add('killed at work')
  for (const { call } of process.working) call.disturbances.add('crash')
  world.processes.splice(world.processes.indexOf(process), 1)
  startProcess(world)
}

const BYTES = new TextEncoder()
const TEXT = new TextDecoder()

const SILENT: Log = { call: () => {}, note: () => {} }

function freshToken(world: World): string {
  world.serial += 1
  return `writeToken${world.serial}`
}

/** Timers run by the true time; the clock's own time may be wrong, and may jump. */
function clockOf({ scheduler }: World, process: Process): Clock {
  return createSleepingClock({
    nowMs: () => scheduler.nowMs() + process.offsetMs,
    sleep: (ms, signal) => scheduler.sleep(ms, process, signal),
  })
}

function upstreamOf(world: World, process: Process, call: Call | undefined): Upstream {
  return {
    send: (_request, { signal }) => {
      if (call !== undefined) call.executions += 1
      const manner = world.random.pick(MANNERS)
      world.happened.add(`upstream ${manner}`)
      return new Promise((resolve) => {
        if (manner !== 'deaf') signal.addEventListener('abort', () => resolve({ kind: 'cut' }))
        void answerOf(world, process, manner).then(resolve)
      })
    },
  }
}

function answerOf(world: World, process: Process, manner: Manner): Promise<UpstreamAnswer> {
  const { random, scheduler } = world
  if (manner === 'hangs' || manner === 'deaf') return new Promise(() => {})
  const afterMs = manner === 'slow' ? random.below(20_000) : 0
  const answer = manner === 'fails' ? FAILED : WORKED
  return scheduler.sleep(afterMs, process).then(
    () =>
      new Promise((resolve) => {
        scheduler.soon(`${process.name}: upstream ${manner}`, () => resolve(answer), process)
      }),
  )
}

type Manner = (typeof MANNERS)[number]

const MANNERS = [
  'works',
  'works',
  'works',
  'works',
  'works',
  'slow',
  'slow',
  'fails',
  'hangs',
  'deaf',
] as const

const WORKED = answered(200)
const FAILED = answered(500)

function answered(status: number): UpstreamAnswer {
  const body = BYTES.encode('{"done":true}')
  const response = { status, mediaType: 'application/json', charset: 'utf-8', body }
  return { kind: 'answered', response }
}
