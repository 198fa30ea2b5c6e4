/**
 * The callers of a simulation: REST clients with and without an Idempotency-Key, agents through
 * tools/call (with its deadline, over a network that loses and repeats), administrators, and
 * sweeps.
 * Each records the answers it got; none of them knows what the ledger holds.
 */

import { openLocalStore } from '../../../adapters/dynamodb/local-store.ts'
import { makeCallId } from '../../../core/call/call-id.ts'
import type { ExecuteAnswer } from '../../../core/call/execute.ts'
import { CALL_TIMEOUT_MS } from '../../../core/call/limits.ts'
import type { ExecuteRequest } from '../../../core/flow/execute/execute-request.ts'
import { sweepHolds } from '../../../core/flow/execute/sweep-holds.ts'
import { callTool } from '../../../core/flow/tools/call-tool.ts'
import { makeToolListCache } from '../../../core/flow/tools/tool-list-cache.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { CREDITS_MAX } from '../../../core/ledger/amount.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { doorOf, onlyFaults, runExecute } from './network.ts'
import { credentialOf, portsOf } from './processes.ts'
import { API_KEY, DEBT_MICRO, PRICE_MICRO, SKILL, START_MS, UID } from './user.ts'
import type { Call, Meaning, World } from './world.ts'

/** The price of one call, and a little that buys nothing. */
const GRANT_MICRO = PRICE_MICRO + 7

/** No caller lists tools here, but a call may run the built-in search. */
const LISTS = openLocalStore({ clock: testClock() }).ports

const AUTHORIZATION = `Bearer ${API_KEY}`

export function newCall(world: World, kind: Call['kind']): Call {
  const name = `c${world.calls.length}`
  const call: Call = {
    name,
    kind,
    heard: [],
    agentIds: [],
    takenBack: new Set(),
    voided: new Set(),
    disturbances: new Set(),
    executions: 0,
    conflicts: 0,
    gone: new AbortController(),
  }
  world.calls.push(call)
  return call
}

/** POST /v1/execute by a REST client; a keyed call may be sent again, also while it runs. */
export function sendRest(world: World, call: Call): void {
  const process = world.random.pick(world.processes)
  world.serial += 1
  const tail = `${call.name}_${world.serial}`
  const request: ExecuteRequest = {
    credential: credentialOf(AUTHORIZATION),
    body: { skill: SKILL, arguments: argumentsOf(world, call) },
    terms: undefined,
    idempotencyKey: call.kind === 'keyed' ? call.name : undefined,
    gone: call.gone.signal,
  }
  const hear = (what: Meaning, id: string, more: { readonly replayed?: true } = {}) => {
    call.heard.push({ what, id, ...more })
    world.note(`${call.name} hears ${what} of ${id}`)
  }
  runExecute(world, process, { call, request, tail }, (answer) => {
    noteConflict(call, JSON.stringify(answer.body))
    hear(meaning(answer), idIn(answer, tail), answer.replayed ? { replayed: true } : {})
  })
    // The door answers 503, which tells nothing about other attempts with the same key.
    .catch((cause: unknown) => onlyFaults(cause, () => hear('failure', tail)))
}

/** The same arguments in one order of their members or the other. */
function argumentsOf({ random }: World, { name: call }: Call): JsonObject {
  return random.chance(0.5) ? { call, by: 'a caller' } : { by: 'a caller', call }
}

/** All sendings of a call are alike, so that no conflict may say otherwise. */
function noteConflict(call: Call, text: string): void {
  if (text.includes('other arguments')) call.conflicts += 1
}

/** tools/call through a messages process, with the deadline of the real flow. */
export function sendAgent(world: World, call: Call): void {
  const callId = makeCallId(START_MS, `${call.name}_a${call.agentIds.length}`)
  call.agentIds.push(callId)
  const process = world.random.pick(world.processes)
  const ports = portsOf(world, process, call)
  const asked = {
    name: SKILL,
    arguments: argumentsOf(world, call),
    idempotencyKey: call.kind === 'keyed' ? call.name : undefined,
    credential: credentialOf(AUTHORIZATION),
    ownerOf: async () => UID,
    lists: makeToolListCache(),
    callId,
    door: 'mcp' as const,
    deadlineMs: ports.clock.nowMs() + CALL_TIMEOUT_MS,
    scope: { alarm: ports.clock.alarm, follow: () => {} },
  }
  const { toolListVersion, skills, toolsCache, tasks } = LISTS
  const needs = {
    ...ports,
    toolListVersion,
    skills,
    toolsCache,
    tasks,
    execute: doorOf(world, process, call),
  }
  callTool(needs, world.settings, asked)
    .then((result) => {
      const text = JSON.stringify(result)
      const failed = result.kind !== 'result' || result.result.isError
      // A conflict is voided too, but the agent's text promises nothing.
      const open = ['not certain', 'call id: ', 'still running'].some((one) => text.includes(one))
      const meaning = open ? 'open' : failed ? 'failure' : 'success'
      const { call: about, replayed } = result.kind === 'result' ? result.result : {}
      const marked = replayed === undefined ? {} : { replayed }
      noteConflict(call, text)
      call.heard.push({ what: meaning, id: about?.callId ?? callId, ...marked })
      world.note(`${call.name} hears ${meaning}: ${text}`)
    })
    .catch((cause: unknown) => onlyFaults(cause, () => {}))
}

/** Grants and corrections by id. */
const GRANTS = {
  g0: { amount: GRANT_MICRO, creditsMin: 0 },
  g1: { amount: GRANT_MICRO, creditsMin: 0 },
  k0: { amount: -250_000, creditsMin: 0 },
  debt: { amount: DEBT_MICRO, creditsMin: DEBT_MICRO },
} as const

/** An administrator's grant or correction; the same id again must not count twice. */
export function sendGrant(world: World, grantId: keyof typeof GRANTS): void {
  const process = world.random.pick(world.processes)
  const { ledger, clock } = portsOf(world, process, undefined)
  const grant = { uid: UID, grantId, ...GRANTS[grantId], creditsMax: CREDITS_MAX }
  ledger
    .grant({ ...grant, nowMs: clock.nowMs() })
    .catch((cause: unknown) => onlyFaults(cause, () => {}))
}

export function sendSweep(world: World): Promise<void> {
  const process = world.random.pick(world.processes)
  return sweepHolds(portsOf(world, process, undefined)).then(
    () => {},
    (cause: unknown) => onlyFaults(cause, () => {}),
  )
}

function meaning(answer: ExecuteAnswer): Meaning {
  if (answer.kind !== 'problem') return 'success'
  // A `conflict` that asks for a repeat: the first attempt still runs, and its end is open.
  return answer.body.code === 'conflict' && answer.body.retryAfterSec !== undefined
    ? 'open'
    : 'failure'
}

function idIn(answer: ExecuteAnswer, tail: string): string {
  return answer.body.callId ?? tail
}
