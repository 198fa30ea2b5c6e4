/**
 * One run: a fresh gateway, some odd requests one after the other, and every rule checked after
 * each.
 */
import { isJsonObject } from '../../core/json/json.ts'
import type { World } from '../core/flow/world.ts'
import { answerFaults, parsed, type Troubles } from './answer-faults.ts'
import { ARGUMENT } from './canaries.ts'
import type { CountedAnswer } from './counted-answer.ts'
import { type Doors, openGateway } from './fuzzed-gateway.ts'
import { isNamed, logFaults, moneyFaults } from './gateway-faults.ts'
import { mcpFaults } from './mcp-faults.ts'
import type { OddRequest } from './odd-requests.ts'
import { send } from './sent-request.ts'
import { type AcceptedPost, streamFaults } from './stream-faults.ts'

/** How often each status, and each code of a JSON-RPC error over the door mcp, was answered. */
export type SeenStatuses = Map<number, number>

export type Change = (right: Doors, world: World) => Doors

/** Throws with the request after which a rule was broken. */
export async function runRequests(
  requests: readonly OddRequest[],
  statuses: SeenStatuses,
  change: Change = (right) => right,
): Promise<void> {
  const gateway = await openGateway(change)
  const troubles = { hasUpstreamFailed: false }
  const accepted = { requests: 0, cancels: 0 }
  for (const [nth, request] of requests.entries()) {
    troubles.hasUpstreamFailed ||= request.upstream.kind !== 'echo'
    const { answer, failure } = await send(gateway, request)
    const hasLeft = request.leavesAfterTurns !== undefined
    if (!hasLeft) note(statuses, answer.status)
    if (answer.status === 202 && request.door === 'sse') count(request, accepted)
    report(nth, request, [
      ...(failure === undefined ? [] : [failure]),
      ...(hasLeft ? [] : faultsOf(request, answer, troubles, statuses)),
      ...gateway.upstream.faults,
      ...logFaults(gateway.takeLines(), request),
      ...(await moneyFaults(gateway)),
    ])
  }
  await gateway.world.clock.advance(UNANSWERED_MS)
  const last = requests.at(-1)
  if (last !== undefined) {
    report(requests.length - 1, last, [
      ...streamFaults(gateway, accepted),
      ...logFaults(gateway.takeLines(), last),
      ...(await moneyFaults(gateway)),
    ])
  }
  await gateway.close()
}

function note(statuses: SeenStatuses, status: number): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
}

function faultsOf(
  request: OddRequest,
  answer: CountedAnswer,
  troubles: Troubles,
  statuses: SeenStatuses,
) {
  return [
    ...answerFaults(request, answer, troubles),
    ...argumentFaults(request, answer.status, answer.text),
    ...(request.door === 'mcp' ? mcpFaults(request, answer, (code) => note(statuses, code)) : []),
  ]
}

/** After this time the stream itself has answered every open request. */
const UNANSWERED_MS = 20_000

function count(
  { body = '', isBase64 }: OddRequest,
  accepted: { -readonly [name in keyof AcceptedPost]: number },
) {
  const text = isBase64 ? Buffer.from(body, 'base64').toString() : body
  const message = parsed(text.replace(/^\ufeff/, ''))
  if (!isJsonObject(message) || message['method'] === undefined) return
  if (message['id'] !== undefined) accepted.requests += 1
  else if (message['method'] === 'notifications/cancelled') accepted.cancels += 1
}

/** Refusals repeat no argument; an upstream's own words (502) may. */
function argumentFaults(request: OddRequest, status: number, text: string): readonly string[] {
  const isTold = status >= 400 && status < 500 && text.includes(ARGUMENT)
  return isTold && !isNamed(request) ? ['a refusal repeats an argument'] : []
}

const SHOWN_CHARS_MAX = 2_000

function report(nth: number, request: OddRequest, faults: readonly string[]): void {
  if (faults.length === 0) return
  const shown = JSON.stringify(request).slice(0, SHOWN_CHARS_MAX)
  throw new Error(`request ${nth}: ${faults.join('; ')}\n${shown}`)
}
