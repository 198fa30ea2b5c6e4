/** The routes of the users' API about calls: those that were made, their sums, and one that tries a tool. */
import { makeProblemHeaders } from '../../../adapters/http/problem.ts'
import { findHeader, REQUEST_BODY_BYTES_MAX } from '../../../adapters/http/request.ts'
import { IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER } from '../../../core/call/idempotency.ts'
import { readIdempotencyKey } from '../../../core/call/read-execute.ts'
import { ok } from '../../../core/errors.ts'
import { listOwnCalls, showOwnCall } from '../../../core/flow/account/show-own-call.ts'
import { TRIED_ANSWER_BYTES_MAX, tryCall } from '../../../core/flow/account/try-call.ts'
import { computeKeptSince } from '../../../core/usage/time-span.ts'
import { withKeptSince } from '../kept-calls.ts'
import { type RouteAnswer, type Schema, toAnswer } from '../route.ts'
import { CALL_ROUTES } from '../routes/call-routes.ts'
import { TEXT, toAnsweredObject } from '../schemas/field-schemas.ts'
import { omitShown, shareForm, type UserRequest, type UserRoute } from './user-route.ts'

/** Members of a call that only operators see. */
const OF_OPERATORS = ['excerpt', 'traceId', 'upstreamHost', 'username']

const CALL_BODY: Schema = {
  title: 'SentCall',
  type: 'object',
  required: ['skill'],
  additionalProperties: false,
  properties: {
    skill: {
      ...TEXT,
      minLength: 1,
      maxLength: 256,
      description: 'Name of a tool, or id of a skill.',
    },
    arguments: { type: 'object', description: '{} without it.' },
    input: {
      type: 'object',
      description: 'Answers to what the upstream asked; see docs/execute.md.',
    },
  },
}

const CALL_ANSWER = toAnsweredObject(
  'CallAnswer',
  {
    callId: TEXT,
    skillId: TEXT,
    source: TEXT,
    content: { type: 'array', items: { type: 'object' } },
    structuredContent: { description: 'The answer as JSON, if it is JSON.' },
    isError: {
      type: 'boolean',
      description: 'The upstream answered, but not what the tool promises.',
    },
    credits: toAnsweredObject('CallCredits', {
      charged: { type: 'number' },
      refunded: { type: 'number' },
      remaining: { type: 'number' },
    }),
    durationMs: { type: 'number' },
    resultType: {
      ...TEXT,
      description: 'input_required: the upstream asks something first, for free.',
    },
    inputRequests: { type: 'object' },
    requestState: TEXT,
  },
  ['content', 'structuredContent', 'isError', 'resultType', 'inputRequests', 'requestState'],
)

const CALL_EXAMPLE = {
  callId: '1q6a0k000-c1',
  skillId: 'sg_weather',
  source: 'official',
  content: [{ type: 'text', text: '{"celsius":21}' }],
  structuredContent: { celsius: 21 },
  isError: false,
  credits: { charged: 0.5, refunded: 0, remaining: 24 },
  durationMs: 412,
}

export const OWN_CALL_ROUTES: readonly UserRoute[] = [
  {
    ...shareForm(CALL_ROUTES, 'listCalls'),
    method: 'GET',
    path: '/me/calls',
    operationId: 'listMyCalls',
    tag: 'Calls',
    summary: 'List your ended calls, newest first',
    description:
      'Calls of the last day, or of the span between since and until, 31 days at most. A credential that may not manage the account sees the calls of its own key.',
    needs: 'any',
    run: async (ports, settings, { caller, query }) =>
      toAnswer(200, withKeptSince(ports, settings, await listOwnCalls(ports, caller, query))),
  },
  {
    ...omitShown(shareForm(CALL_ROUTES, 'showCall'), 'MyCallDetail', OF_OPERATORS),
    method: 'GET',
    path: '/me/calls/{callId}',
    operationId: 'showMyCall',
    tag: 'Calls',
    summary: 'Show everything about one of your calls',
    description: 'What it cost, why it ended so, and how long each phase took.',
    needs: 'any',
    run: async (ports, settings, { caller, params }) => {
      const keptSinceMs = computeKeptSince(ports.clock.nowMs(), settings)
      const call = { callId: params['callId'] ?? '', keptSinceMs }
      return toAnswer(200, await showOwnCall(ports, caller, call))
    },
  },
  {
    method: 'POST',
    path: '/me/calls',
    operationId: 'tryTool',
    tag: 'Calls',
    summary: 'Call a tool',
    description: `As POST /v1/execute, with the same body, answer, limits and charge, for pages that may ask this origin alone. Takes Idempotency-Key. An answer has ${TRIED_ANSWER_BYTES_MAX} bytes at most.`,
    needs: 'any',
    isCall: true,
    // Nothing of the account changes but its calls, which the ledger has.
    reads: () => true,
    body: {
      kind: 'text',
      content: {
        'application/json': {
          schema: CALL_BODY,
          example: { skill: 'sg_weather', arguments: { city: 'Graz' } },
        },
      },
      bytesMax: REQUEST_BODY_BYTES_MAX,
    },
    answers: {
      200: {
        description: 'The answer of the call.',
        shown: { schema: CALL_ANSWER, example: CALL_EXAMPLE },
      },
    },
    refuses: [
      'budget_reached',
      'cancelled',
      'client_capability_missing',
      'conflict',
      'daily_calls_reached',
      'input_state_invalid',
      'insufficient_credits',
      'invalid_arguments',
      'invalid_skill',
      'secret_missing',
      'secret_refused',
      'secret_unreadable',
      'too_many_holds',
      'unknown_skill',
      'upstream_failed',
    ],
    run: async (ports, _settings, request) => {
      const idempotencyKey = readIdempotencyKey(
        findHeader(request.received, IDEMPOTENCY_KEY_HEADER),
      )
      if (!idempotencyKey.ok) return idempotencyKey
      const tried = await tryCall(ports, toTriedCall(request, idempotencyKey.value))
      return tried.ok ? toCallAnswer(tried.value) : tried
    },
  },
]

type Tried = Parameters<typeof tryCall>[1]
type Given = Extract<Awaited<ReturnType<typeof tryCall>>, { readonly ok: true }>['value']

function toTriedCall(
  { caller, received, text }: UserRequest,
  idempotencyKey: string | undefined,
): Tried {
  const client = findHeader(received, 'user-agent')
  return { credential: caller.credential, text, idempotencyKey, client }
}

function toCallAnswer({ body, kind, replayed }: Given): RouteAnswer {
  const headers = replayed === true ? { [REPLAYED_HEADER]: 'true' } : {}
  if (kind !== 'problem') return ok({ status: 200, body, headers })
  return ok({ status: body.status, body, headers: { ...headers, ...makeProblemHeaders(body) } })
}
