/**
 * One gateway in memory for a run of odd requests: all doors as deployed, four users, skills of
 * every shape, open streams.
 */

import type { StreamingHandler } from '../../adapters/http/events.ts'
import { readContext, readFunctionUrlEvent } from '../../adapters/http/read-event.ts'
import {
  inProcessExecute,
  inProcessMessages,
} from '../../adapters/internal-http/in-process-send.ts'
import { makeJsonLog } from '../../adapters/telemetry/json-log.ts'
import { ok } from '../../core/errors.ts'
import { setSecret } from '../../core/flow/users/manage-secrets.ts'
import type { SecretSeals } from '../../core/ports/secrets.ts'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { createMcpDoorOver } from '../../lambdas/mcp/door.ts'
import { createMessagesDoor } from '../../lambdas/messages/door.ts'
import { createSseDoor } from '../../lambdas/sse/door.ts'
import { makeWorld, okOf, SETTINGS, type World } from '../core/flow/world.ts'
import { contextOf, eventOf } from '../lambdas/door-client.ts'
import { ADA_SECRETS, BOBS, KEYS, SESSIONS } from './canaries.ts'
import { CountedAnswer } from './counted-answer.ts'
import { type FuzzedUpstream, fuzzedUpstream } from './fuzzed-upstream.ts'
import { plannedIds } from './planned-ids.ts'
import { downWhen, type StoreSwitch } from './store-switch.ts'
import { storeSkills } from './stored-skills.ts'

export const GRANTED = { ada: 100, bob: 7, poor: 0.6, slow: 100 } as const
export type Uid = keyof typeof GRANTED
export const UIDS: readonly Uid[] = ['ada', 'bob', 'poor', 'slow']

export type Doors = { readonly [name in 'execute' | 'sse' | 'mcp']: StreamingHandler }

export type Gateway = {
  readonly world: World
  readonly doors: Doors
  readonly upstream: FuzzedUpstream
  readonly store: StoreSwitch
  /** Lines of the log since they were last taken. */
  takeLines(): readonly string[]
  /** Everything sent on the open streams. */
  readonly streams: { readonly [name in keyof typeof SESSIONS]: CountedAnswer }
  close(): Promise<void>
}

const FUZZ_SETTINGS = {
  ...SETTINGS,
  tiers: {
    free: { callsPerMinute: 1_000_000, holdsMax: 32 },
    small: { callsPerMinute: 2, holdsMax: 2 },
  },
}

/** `change` replaces correct doors by wrong ones. */
export async function openGateway(change: (right: Doors, world: World) => Doors): Promise<Gateway> {
  const world = makeWorld(FUZZ_SETTINGS)
  const ids = plannedIds()
  const upstream = fuzzedUpstream(Object.values(ADA_SECRETS))
  let lines: string[] = []
  world.ports.ids = ids
  world.ports.upstream = upstream
  world.ports.secretSeals = quickSeals(world)
  world.ports.log = makeJsonLog({ write: (line) => lines.push(line), clock: world.clock })
  for (const uid of UIDS) {
    ids.plan(KEYS[uid].slice('sgk_'.length))
    const tier = uid === 'slow' ? 'small' : 'free'
    await world.user(uid, { credits: GRANTED[uid], tier })
  }
  for (const [name, value] of Object.entries(ADA_SECRETS)) {
    const place = { uid: 'ada', name, skill: undefined }
    okOf(await setSecret(world.ports, world.settings, place, { value }))
  }
  await storeSkills(world, BOBS)
  const store = downWhen(world.ports)
  world.ports.execute = inProcessExecute(createExecuteDoor(world.ports, world.settings))
  world.ports.messages = inProcessMessages(createMessagesDoor(world.ports, world.settings))
  const right = {
    execute: createExecuteDoor(world.ports, world.settings),
    sse: createSseDoor(world.ports, world.settings),
    mcp: createMcpDoorOver(world.ports, world.settings),
  }
  const doors = change(right, world)
  const streams = {
    ada: await openStream(world, right, ids.plan, 'ada'),
    bob: await openStream(world, right, ids.plan, 'bob'),
    nobody: await openStream(world, right, ids.plan, 'nobody'),
  }
  const takeLines = () => {
    const taken = lines
    lines = []
    return taken
  }
  const close = async () => {
    for (const stream of Object.values(streams)) stream.destroy()
    await world.clock.settle()
  }
  return { world, doors, upstream, store, takeLines, streams, close }
}

async function openStream(
  world: World,
  { sse }: Doors,
  plan: (token: string) => void,
  name: keyof typeof SESSIONS,
): Promise<CountedAnswer> {
  const out = new CountedAnswer()
  plan(SESSIONS[name])
  const headers = name === 'nobody' ? {} : { authorization: `Bearer ${KEYS[name]}` }
  const event = readFunctionUrlEvent(eventOf('GET', '/v1/mcp/sse', { headers }))
  void sse(event, out, readContext(contextOf()))
  await world.clock.settle()
  if (!out.text.includes(SESSIONS[name])) throw new Error(`no stream for ${name}: ${out.text}`)
  return out
}

/** The session seals serve secrets too: the real message format takes a millisecond for each. */
function quickSeals({ ports }: World): SecretSeals {
  return {
    seal: async (context, value) => ok(ports.seals.seal(SESSIONS.nobody, textOf(context), value)),
    open: async (context, sealed) => ok(ports.seals.open(SESSIONS.nobody, textOf(context), sealed)),
  }
}

function textOf({ name, skillId, uid }: Parameters<SecretSeals['seal']>[0]): string {
  return `${uid} ${skillId} ${name}`
}
