/** Sends one odd request to its door and waits for all of its effects, within a bound. */
import { readContext, readFunctionUrlEvent } from '../../adapters/http/read-event.ts'
import { contextOf, eventOf } from '../lambdas/door-client.ts'
import { CountedAnswer } from './counted-answer.ts'
import type { Gateway } from './fuzzed-gateway.ts'
import type { OddRequest } from './odd-requests.ts'

export type SentRequest = {
  readonly answer: CountedAnswer
  /** The error that the door threw, or its missing answer. */
  readonly failure: string | undefined
}

/** Turns of the event loop before time passes: enough for all work that waits for no clock. */
const TURNS_MAX = 40
/**
 * On the gateway's clock: a call is cut after 15 s, a client has two minutes to answer a question.
 */
const ANSWER_MS_MAX = 160_000
const STEP_MS = 1_000
const RETRIES_MS_MAX = 1_000

export async function send(gateway: Gateway, request: OddRequest): Promise<SentRequest> {
  const answer = new CountedAnswer()
  let failure: string | undefined
  let isOver = false
  gateway.upstream.plan = request.upstream
  gateway.store.isDown = request.isStoreDown
  const door = gateway.doors[request.door]
  door(eventFor(request), answer, readContext(contextOf()))
    .catch((cause: unknown) => {
      failure = `the door threw ${String(cause)}`
    })
    .finally(() => {
      isOver = true
    })
  if (request.leavesAfterTurns !== undefined) {
    for (let turn = 0; turn < request.leavesAfterTurns && !isOver; turn += 1) await nextTurn()
    answer.destroy()
  }
  await until(gateway, () => isOver || staysOpen(request, answer))
  if (!isOver && staysOpen(request, answer)) {
    answer.destroy()
    await until(gateway, () => isOver)
  }
  // A message's effects on the other doors come after its 202.
  if (request.door === 'sse') await gateway.world.clock.advance(waitMs(request))
  gateway.store.isDown = false
  if (!isOver) failure = `the door had not ended after ${ANSWER_MS_MAX} ms`
  return { answer, failure }
}

/** Waits for a stream that ends by itself: its last message is the answer. */
function staysOpen({ door }: OddRequest, answer: CountedAnswer): boolean {
  if (!answer.isStream) return false
  return door !== 'mcp' || answer.text.includes('notifications/subscriptions/acknowledged')
}

function eventFor({ body, headers, iam, isBase64, method, path, query }: OddRequest) {
  const event = eventOf(method, path, { query, iam })
  return readFunctionUrlEvent({
    ...event,
    headers: Object.fromEntries([['host', 'gw.example'], ...headers]),
    body,
    isBase64Encoded: isBase64,
  })
}

async function until({ world }: Gateway, isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < TURNS_MAX && !isDone(); turn += 1) await nextTurn()
  for (let ms = 0; ms < ANSWER_MS_MAX && !isDone(); ms += STEP_MS)
    await world.clock.advance(STEP_MS)
}

/** Time for retries; calls that hang go on beside later requests, which may cancel them. */
function waitMs({ upstream }: OddRequest): number {
  return upstream.kind === 'echo' || upstream.kind === 'hang' ? 0 : RETRIES_MS_MAX
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
