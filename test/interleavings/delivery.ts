/**
 * Between the SDK's client and the model of DynamoDB: each request waits until the scheduler releases
 * it, and its answer waits again. The seed draws what becomes of it: carried out and answered;
 * carried out with its answer lost, so that the SDK sends it again; given up by the SDK and carried
 * out late; refused (throttled, in conflict with a transaction); failed with 500 before or after its
 * effect; for a read that may be eventually consistent, answered from an older state.
 */

import { withUsedBindings } from './change-request.ts'
import type { Model, Reading } from './model/model.ts'
import { answerOf, errorAnswer, type Send, type WireAnswer } from './model/model-client.ts'
import type { WireRequest } from './model/requests.ts'
import type { Plant } from './plant.ts'
import type { Random } from './random.ts'
import { requestLabel } from './request-label.ts'
import type { Scheduler } from './scheduler.ts'

export type RequestFaults = {
  readonly throttled: number
  readonly answerLost: number
  readonly late: number
  readonly stale: number
}

export const NO_FAULTS: RequestFaults = { throttled: 0, answerLost: 0, late: 0, stale: 0 }
/** Every request is refused. */
export const NO_STORE: RequestFaults = { ...NO_FAULTS, throttled: 1 }

/** The parts of a world that requests pass through. */
export type Delivery = {
  readonly random: Random
  readonly scheduler: Scheduler
  readonly model: Model
  readonly plant: Plant
  /** Names of the kinds of events that occurred. */
  readonly happened: Set<string>
  faults(sender?: Sender): RequestFaults
  /** Runs after each request that was carried out. */
  onStep(): void
}

/** A function's process: requests that it sent may be carried out after its death. */
export type Sender = { readonly name: string; readonly alive: boolean }

export function sendFrom(delivery: Delivery, sender: Sender): Send {
  const { plant } = delivery
  const send: Send = (request) => deliver(delivery, sender, changed(plant, request))
  return plant.swap === undefined ? send : swapped(send, plant.swap)
}

function changed({ change }: Plant, request: WireRequest): WireRequest {
  return change === undefined ? request : withUsedBindings(change(request))
}

/** Answers a `first` unsent, and sends it after the next `second`. */
function swapped(send: Send, { first, second }: NonNullable<Plant['swap']>): Send {
  let held: WireRequest[] = []
  return async (request) => {
    if (first(request)) {
      held.push(request)
      return { status: 200, body: {} }
    }
    const answer = await send(request)
    if (!second(request) || answer.status !== 200) return answer
    const late = held
    held = []
    for (const one of late) await send(one)
    return answer
  }
}

function deliver(delivery: Delivery, sender: Sender, request: WireRequest): Promise<WireAnswer> {
  const { happened, random, scheduler } = delivery
  const label = `${sender.name}: ${requestLabel(request)}`
  const perform = () => carryOut(delivery, request)
  if (!sender.alive) return new Promise(() => {})
  return new Promise((resolve, reject) => {
    const answer = (what: WireAnswer, how: string) =>
      scheduler.soon(`${how} ${label}`, () => resolve(what), sender)
    const broken = () => scheduler.soon(`no answer to ${label}`, () => reject(lost()), sender)
    const step = (how: string, run: () => void) =>
      scheduler.store(`${label}${how}`, () => {
        if (sender.alive || random.chance(0.5)) run()
      })
    const fate = fateOf(delivery, sender, request)
    happened.add(fate)
    switch (fate) {
      case 'done':
        return step('', () => answer(perform(), 'answer to'))
      case 'answer lost':
        return step(' (answer lost)', () => {
          perform()
          broken()
        })
      case 'failed after':
        return step(' (then 500)', () => {
          perform()
          answer(SERVER_ERROR, '500 to')
        })
      case 'late':
        scheduler.late(`late ${label}`, perform)
        return broken()
      case 'failed':
        return answer(SERVER_ERROR, '500 to')
      case 'throttled':
        return answer(random.pick(THROTTLED), 'throttled')
      case 'conflict':
        return answer(conflictOf(random, request), 'conflict')
      default:
        return fate satisfies never
    }
  })
}

function carryOut(delivery: Delivery, request: WireRequest): WireAnswer {
  const answer = answerOf(delivery.model, request, readingOf(delivery))
  delivery.onStep()
  return answer
}

function readingOf({ faults, happened, random }: Delivery): Reading {
  const { stale, throttled } = faults()
  return {
    staleness: (count) => {
      if (count === 1 || !random.chance(stale)) return 0
      happened.add('stale')
      return random.below(count)
    },
    pageMax: random.chance(throttled) ? 1 + random.below(3) : Number.MAX_SAFE_INTEGER,
    leavesOut: () => random.chance(throttled),
  }
}

type Fate = 'done' | 'answer lost' | 'late' | 'throttled' | 'conflict' | 'failed' | 'failed after'

const READS = ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems']

function fateOf({ faults, random }: Delivery, sender: Sender, { operation }: WireRequest): Fate {
  const { answerLost, late, throttled } = faults(sender)
  const isRead = READS.includes(operation)
  if (random.chance(throttled)) {
    const isAlone = isRead && operation !== 'TransactGetItems'
    return random.pick(isAlone ? ['throttled', 'failed'] : ['throttled', 'failed', 'conflict'])
  }
  if (random.chance(answerLost)) return random.pick(['answer lost', 'answer lost', 'failed after'])
  return !isRead && random.chance(late) ? 'late' : 'done'
}

const SERVER_ERROR = errorAnswer('InternalServerError', { status: 500 })
const THROTTLED = [
  errorAnswer('ProvisionedThroughputExceededException'),
  errorAnswer('ThrottlingException'),
]

function conflictOf(random: Random, { body, operation }: WireRequest): WireAnswer {
  if (!operation.startsWith('Transact')) return errorAnswer('TransactionConflictException')
  if (operation === 'TransactWriteItems' && random.chance(0.3)) {
    return errorAnswer('TransactionInProgressException')
  }
  const at = random.below(body.TransactItems.length)
  const CancellationReasons = body.TransactItems.map((_, index) => ({
    Code: index === at ? 'TransactionConflict' : 'None',
  }))
  return errorAnswer('TransactionCanceledException', { more: { CancellationReasons } })
}

/** The SDK's retry knows this code as a network that failed. */
function lost(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
}
