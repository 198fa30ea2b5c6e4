/**
 * Invokes a Lambda function as the upstream of a skill and waits for its answer. The event is the
 * body of the request; nothing else of the request is sent. A function that streams is answered as
 * a whole, since Invoke buffers it. Nothing is sent twice, because a function may have run whose
 * answer was lost. A cut ends the connection, and the function runs on. Bound by docs/skills.md,
 * Lambda functions.
 */
import type { UpstreamAnswer, UpstreamRequest, UpstreamResponse } from '../../core/call/upstream.ts'
import type { Upstream, UpstreamLimits } from '../../core/ports/outside.ts'
import { AnswerTooLarge, BrokenAnswer, type HttpAnswer, TimeoutError } from '../aws/exchange.ts'
import type { LambdaCalls } from './lambda-calls.ts'
import { describeFunctionError, describeRefusal } from './lambda-failures.ts'
import { readProxyAnswer } from './proxy-answer.ts'
import { type ResponseHead, toAnswered } from './read-response.ts'

export function lambdaUpstream(calls: Pick<LambdaCalls, 'invoke'>): Upstream {
  return {
    send: async (request, limits) => {
      const { lambda: target } = request
      if (target === undefined) return NO_TARGET
      if (limits.signal.aborted) return { kind: 'cut' }
      const invocation = {
        target,
        kind: 'RequestResponse',
        event: request.body,
        signal: limits.signal,
        answerBytesMax: limits.responseBytesMax,
      } as const
      // The client tells nothing of its connections, so the time to open one counts as waiting.
      limits.onStep?.('connected')
      try {
        return readAnswer(await calls.invoke(invocation), request, limits)
      } catch (cause) {
        return describeBroken(cause, limits)
      }
    },
  }
}

const NO_TARGET: UpstreamAnswer = { kind: 'refused_target', detail: 'it names no function' }

function readAnswer(
  answer: HttpAnswer,
  { lambda }: UpstreamRequest,
  { onHeaders, onStep, showHeaders }: UpstreamLimits,
): UpstreamAnswer {
  onStep?.('first-byte')
  const head = toHead(answer)
  onHeaders?.(head.headers)
  if (answer.status !== 200) return withFailure(head, answer.body, describeRefusal(answer))
  if (answer.headers['x-amz-function-error'] !== undefined) {
    return withFailure(head, answer.body, describeFunctionError(answer.body))
  }
  if (lambda?.isProxy === true) return readProxyAnswer(answer.body, showHeaders)
  return toAnswered(withoutType(head), answer.body, showHeaders)
}

/**
 * The type of Invoke's answer says nothing about what the function returned: hosts differ in it.
 * Without a type, an answer is JSON if it can be read so, and text otherwise.
 */
function withoutType({ headers, status }: ResponseHead): ResponseHead {
  const at = headers.findIndex((one, index) => index % 2 === 0 && one === 'content-type')
  return { status, headers: at < 0 ? headers : headers.toSpliced(at, 2) }
}

function toHead({ headers, status }: HttpAnswer): ResponseHead {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().flatMap((one) => [name, one]),
  )
  return { status, headers: pairs }
}

function withFailure(
  head: ResponseHead,
  body: Uint8Array,
  failure: NonNullable<UpstreamResponse['failure']>,
): UpstreamAnswer {
  const answered = toAnswered(head, body)
  return answered.kind === 'answered'
    ? { ...answered, response: { ...answered.response, failure } }
    : answered
}

const NEVER_CONNECTED: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
])

function describeBroken(cause: unknown, limits: UpstreamLimits): UpstreamAnswer {
  if (limits.signal.aborted) return { kind: 'cut' }
  if (cause instanceof AnswerTooLarge) {
    return { kind: 'too_large', bytesMax: limits.responseBytesMax }
  }
  if (cause instanceof BrokenAnswer) {
    return { kind: 'unreadable', detail: 'has other bytes than its checksum says' }
  }
  const isLate = cause instanceof TimeoutError
  if (isLate || NEVER_CONNECTED.has(Reflect.get(Object(cause), 'code'))) {
    return { kind: 'unreachable', detail: 'did not accept a connection', neverConnected: true }
  }
  if (!(cause instanceof Error) || !('code' in cause)) throw cause
  return {
    kind: 'unreachable',
    detail: 'ended the connection before its whole answer',
    // The function may have run, so no setting of the skill makes it run again.
    hasPartialAnswer: true,
  }
}
