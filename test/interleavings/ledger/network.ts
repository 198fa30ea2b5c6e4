/**
 * The execute door, and our own network in front of it: a request or its answer may be lost, and a
 * request may arrive twice.
 */
import { runSteps } from '../../../bench/lib/run-steps.ts'
import type { ExecuteAnswer, GivenAnswer } from '../../../core/call/execute.ts'
import { toProblem } from '../../../core/call/problem.ts'
import { Fault } from '../../../core/errors.ts'
import type { ExecuteRequest } from '../../../core/flow/execute/execute-request.ts'
import { executeSkill } from '../../../core/flow/execute/execute-skill.ts'
import { voidCall } from '../../../core/flow/execute/void-call.ts'
import type { ExecuteDoor } from '../../../core/ports/sessions.ts'
import { portsOf } from './processes.ts'
import { UID } from './user.ts'
import { type Call, type Process, REFUSED_TWIN, type World } from './world.ts'

type Reply = (answer: GivenAnswer) => void

/** The answer that the door makes of a Fault. */
const STORE_DOWN: GivenAnswer = {
  kind: 'problem',
  body: toProblem({ code: 'store_unavailable', detail: 'The store does not answer.' }),
}

/** `tail` tells apart the attempts of one call. */
type Delivery = { readonly call: Call; readonly request: ExecuteRequest; readonly tail: string }

/** The execute door: answers, then runs `after`. */
export async function runExecute(
  world: World,
  process: Process,
  { call, request, tail }: Delivery,
  reply: Reply,
): Promise<void> {
  const attempt = { call }
  process.working.add(attempt)
  try {
    const ports = portsOf(world, process, call, tail)
    const executed = await executeSkill(ports, world.settings, process.caches, request)
    const { answer, replayed } = executed
    reply(replayed === undefined ? answer : { ...answer, replayed })
    await runSteps(executed.after)
  } finally {
    process.working.delete(attempt)
  }
}

/** The door as `caller` reaches it for one call. */
export function doorOf(world: World, caller: Process, call: Call): ExecuteDoor {
  const { random, scheduler } = world
  return {
    execute: ({ body, credential, idempotencyKey, terms }) =>
      new Promise((resolve, reject) => {
        const twice = random.chance(world.faults.duplicated)
        const request = {
          credential,
          body,
          terms,
          idempotencyKey,
          gone: call.gone.signal,
        }
        const broken = () => reject(new Fault('internal', 'connection reset'))
        const deliver = (reply: Reply) => () => {
          const process = random.pick(world.processes)
          runExecute(world, process, { call, request, tail: '' }, reply).catch((cause: unknown) =>
            onlyFaults(cause, () => reply(STORE_DOWN)),
          )
        }
        const answered = (answer: GivenAnswer) => {
          if (twice && knowsNothing(call, answer)) call.disturbances.add(REFUSED_TWIN)
          replyOver(world, caller, call, { arrive: () => resolve(answer), broken })
        }
        if (!loses(world)) scheduler.soon(`deliver ${call.name}`, deliver(answered))
        if (!twice) return
        call.disturbances.add('delivered twice')
        scheduler.soon(
          `deliver ${call.name} once more`,
          deliver(() => {}),
        )
      }),
    voidCall: ({ callId }) =>
      new Promise((resolve, reject) => {
        call.takenBack.add(callId)
        const broken = () => reject(new Fault('internal', 'connection reset'))
        scheduler.soon(`deliver void of ${callId}`, () => {
          const process = random.pick(world.processes)
          sendVoid(world, process, call, callId).then(
            (state) =>
              scheduler.soon('void answered', loses(world) ? broken : () => resolve(state), caller),
            () => scheduler.soon('void failed', broken, caller),
          )
        })
      }),
  }
}

export function sendVoid(
  world: World,
  process: Process,
  call: Call,
  callId: string,
): Promise<'free' | 'charged'> {
  call.disturbances.add('void')
  call.takenBack.add(callId)
  return voidCall(portsOf(world, process, call), { uid: UID, callId, reason: 'void' }).then(
    (voided) => {
      if (!voided.ok) throw new Fault('internal', voided.error.detail)
      world.note(`void of ${callId}: ${voided.value.state}`)
      if (voided.value.state === 'settled') return 'charged'
      call.voided.add(callId)
      return 'free'
    },
  )
}

/** A lost answer breaks the connection at once, or leaves it silent until the deadline cuts it. */
function replyOver(
  world: World,
  caller: Process,
  call: Call,
  { arrive, broken }: { arrive(): void; broken(): void },
): void {
  if (!loses(world)) {
    world.scheduler.soon('reply', arrive, caller)
    return
  }
  call.disturbances.add('reply lost')
  if (world.random.chance(0.5)) world.scheduler.soon('connection reset', broken, caller)
}

function loses({ random, faults }: World): boolean {
  return random.chance(faults.answerLost)
}

/** The call was refused before any hold, or its own outcome did not reach the store. */
function knowsNothing(call: Call, answer: ExecuteAnswer): boolean {
  if (answer.kind === 'success') return false
  return answer.body.credits === undefined || call.disturbances.has('fault')
}

/**
 * Failures of the store are simulated; any other exception is a bug of this test or of the product.
 */
export function onlyFaults(cause: unknown, then: () => void): void {
  if (!(cause instanceof Fault)) throw cause
  then()
}
