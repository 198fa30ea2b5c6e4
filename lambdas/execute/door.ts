/**
 * POST /v1/execute: runs a skill for a user and answers; a success is settled after its response.
 * There are two URLs. The public one takes the user's Authorization. The internal one is guarded by
 * IAM: sse voids calls, admin makes dry runs, makes calls that users try and lists tools, and the sweep
 * looks after jobs and lists tools. For one release messages of the version before this one may make
 * calls there, with a call id and a deadline, and read (ADR 0135). Bound by docs/service.md, Doors,
 * Execute and Void.
 */

import { currentTraceId } from '../../adapters/config/trace.ts'
import {
  type AgentRequest,
  makeAgentDoor,
  makeGoneSignal,
  refuseWith,
} from '../../adapters/http/agent-door.ts'
import { answerJson } from '../../adapters/http/answer.ts'
import type { FunctionUrlEvent, IamCaller, StreamingHandler } from '../../adapters/http/events.ts'
import type { ResponseHeaders } from '../../adapters/http/lambda-stream.ts'
import {
  checkJsonType,
  findHeader,
  REQUEST_BODY_BYTES_MAX,
  readBodyBytes,
} from '../../adapters/http/request.ts'
import {
  CREDENTIAL_HEADER,
  readSentCredential,
} from '../../adapters/internal-http/credential-header.ts'
import type { Credential } from '../../core/access/credential.ts'
import { loadOnce } from '../../core/cache/load-once.ts'
import { makeCallId } from '../../core/call/call-id.ts'
import { checkNumbers } from '../../core/call/check-numbers.ts'
import type { CallTerms } from '../../core/call/execute.ts'
import { IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER } from '../../core/call/idempotency.ts'
import { toProblem } from '../../core/call/problem.ts'
import {
  readExecuteBody,
  readIdempotencyKey,
  readJobErrand,
  readTerms,
  readVoid,
} from '../../core/call/read-execute.ts'
import { ok, type Refusal, type Result, refuse } from '../../core/errors.ts'
import {
  type AdmitCallerNeeds,
  admitCaller,
  readCallerToken,
} from '../../core/flow/access/admit-caller.ts'
import { openCallScope } from '../../core/flow/access/call-scope.ts'
import { proveCredential } from '../../core/flow/access/prove-credential.ts'
import type { DryRunNeeds } from '../../core/flow/dry-run/dry-run.ts'
import { type ExecuteCaches, makeExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import type { ExecuteResponse } from '../../core/flow/execute/execute-request.ts'
import { voidCall } from '../../core/flow/execute/void-call.ts'
import { makeToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import type { Json } from '../../core/json/json.ts'
import { parseText } from '../../core/json/parse-json.ts'
import { readText } from '../../core/json/read-text.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Settings } from '../../core/settings.ts'
import { answerCall, type ExecuteHost, type ExecutePorts, visitsHere } from '../call/answer-call.ts'
import type { ReadingNeeds } from './reading.ts'

const EXECUTE_PATH = '/v1/execute'
const VOID_PATH = '/v1/execute/void'
const JOB_PATH = '/v1/execute/job'
const LISTING_PATH = '/v1/execute/listing'
const READING_PATH = '/v1/execute/reading'
/** The paths of the sweep, which gets nothing else. */
const SWEEP_PATHS = [JOB_PATH, LISTING_PATH]

/**
 * Builds the door. `caches` is shared by hosts that also run the flow directly. `roles` names the
 * roles of functions: without that of admin the door refuses all dry runs.
 */
export function createExecuteDoor(
  ports: DoorPorts,
  settings: Settings,
  caches: ExecuteCaches = makeExecuteCaches(),
  roles: CallerRoles = {},
): StreamingHandler {
  const door = { ports, settings, caches, lists: makeToolListCache(), roles }
  return makeAgentDoor({ log: ports.log, settings }, (request) => route(door, request))
}

export type CallerRoles = {
  /** The only role that gets dry runs. */
  readonly admin?: string | undefined
  /** A role that has jobs looked after and servers listed, and gets nothing else. */
  readonly sweep?: string | undefined
}

type DoorPorts = ExecutePorts &
  DryRunNeeds &
  AdmitCallerNeeds &
  ReadingNeeds &
  Pick<Ports, 'mcpServers'>

type Door = ExecuteHost & {
  readonly ports: DoorPorts
  readonly roles: CallerRoles
}

function route(door: Door, request: AgentRequest): Promise<void> {
  const { event, method } = request
  const caller = event.requestContext.authorizer?.iam
  if (caller !== undefined) {
    const answered = routeInternal(door, request, caller)
    if (answered !== undefined) return answered
  }
  if (event.rawPath !== EXECUTE_PATH) {
    const detail = `path: there is nothing here. Calls go to POST ${EXECUTE_PATH}.`
    return refuseWith(request, { code: 'not_found', detail })
  }
  if (method !== 'POST') {
    const detail = 'This path takes POST only, with {"skill": "…", "arguments": {…}}.'
    return refuseWith(request, { code: 'method_not_allowed', detail }, { allow: 'POST' })
  }
  return execute(door, request, caller !== undefined)
}

/** Paths of functions of the gateway. Undefined if this caller has none there. */
function routeInternal(
  door: Door,
  request: AgentRequest,
  caller: IamCaller,
): Promise<void> | undefined {
  const { event, method } = request
  const { rawPath } = event
  const isSweep = isCallerRole(caller, door.roles.sweep)
  if (isSweep && !SWEEP_PATHS.includes(rawPath)) {
    const detail = `path: the sweep may only POST ${SWEEP_PATHS.join(' and ')}.`
    return refuseWith(request, { code: 'forbidden', detail })
  }
  const isAdmin = isCallerRole(caller, door.roles.admin)
  if (rawPath === LISTING_PATH && (isSweep || isAdmin)) return sendListingLate(door, request)
  if (rawPath === DRY_RUN_PATH && isAdmin) return answerDryRunLate(door, request)
  if (method !== 'POST') return undefined
  if (rawPath === VOID_PATH) return voidRequest(door, request)
  if (rawPath === READING_PATH) return sendReadingLate(door, request)
  return rawPath === JOB_PATH ? visitJob(door, request) : undefined
}

const loadDryRun = loadOnce(() => import('./dry-run.ts'))

async function answerDryRunLate(door: Door, request: AgentRequest): Promise<void> {
  const { answerDryRun } = await loadDryRun()
  return answerDryRun(door, request)
}

const loadListing = loadOnce(() => import('./listing.ts'))

async function sendListingLate(door: Door, request: AgentRequest): Promise<void> {
  const { sendListing } = await loadListing()
  return sendListing(door, request)
}

const loadReading = loadOnce(() => import('./reading.ts'))

async function sendReadingLate(door: Door, request: AgentRequest): Promise<void> {
  const [{ sendReading }, credential] = await Promise.all([
    loadReading(),
    readProven(door, request.event),
  ])
  return sendReading(door, request, credential)
}

async function execute(door: Door, request: AgentRequest, isInternal: boolean): Promise<void> {
  const { event, out, cors } = request
  const json = readJson(event)
  if (!json.ok) return refuseWith(request, json.error)
  const body = readExecuteBody(json.value.value)
  if (!body.ok) return refuseWith(request, body.error)
  const numbers = checkNumbers(json.value.text)
  if (!numbers.ok) return refuseWith(request, numbers.error)
  const terms = isInternal
    ? readTerms((name) => findHeader(event, name))
    : ok<CallTerms | undefined>(undefined)
  if (!terms.ok) return refuseWith(request, terms.error)
  const idempotencyKey = readIdempotencyKey(findHeader(event, IDEMPOTENCY_KEY_HEADER))
  if (!idempotencyKey.ok) return refuseWith(request, idempotencyKey.error)
  // The gateway's own functions have checked the token at their door, and the address of this
  // request is theirs.
  const admitted = isInternal ? ok(await readProven(door, event)) : await admit(door, event)
  if (!admitted.ok) return refuseCall(door, request, admitted.error)
  const scope = openCallScope(door.ports)
  const executed = await answerCall(door, {
    callerToken: isInternal
      ? undefined
      : readCallerToken(admitted.value, findHeader(event, 'authorization')),
    credential: admitted.value,
    body: body.value,
    terms: terms.value,
    idempotencyKey: idempotencyKey.value,
    gone: makeGoneSignal(out),
    alarm: scope.alarm,
    client: findHeader(event, 'user-agent'),
    traceId: currentTraceId(),
  })
  const replayed = executed.replayed ? { [REPLAYED_HEADER]: 'true' } : {}
  const answered = sendAnswer(request, executed, { ...cors, ...executed.headers, ...replayed })
  scope.follow(executed.after ?? [])
  await scope.close(answered)
  await answered
}

function readProven({ ports }: Door, event: FunctionUrlEvent): Promise<Credential> {
  return proveCredential(ports, readSentCredential(findHeader(event, CREDENTIAL_HEADER)))
}

function admit(
  { caches, ports, settings }: Door,
  event: FunctionUrlEvent,
): Promise<Result<Credential>> | Result<Credential> {
  return admitCaller(
    { ports, settings, lookups: caches.tokens },
    {
      authorization: findHeader(event, 'authorization'),
      address: event.requestContext.http.sourceIp,
    },
  )
}

/** Refuses as the flow does, with a call id. */
function refuseCall({ ports }: Door, request: AgentRequest, refusal: Refusal): Promise<void> {
  const callId = makeCallId(ports.clock.nowMs(), ports.ids.token(16))
  ports.log.note('info', 'call-refused', { callId, code: refusal.code })
  return refuseWith(request, toProblem(refusal, { callId }))
}

function sendAnswer(
  request: AgentRequest,
  executed: ExecuteResponse,
  headers: ResponseHeaders,
): Promise<void> {
  const { body, kind } = executed.answer
  if (kind !== 'problem') return answerJson(request.out, 200, body, headers)
  return refuseWith(request, body, headers)
}

async function voidRequest(door: ExecuteHost, request: AgentRequest): Promise<void> {
  const json = readJson(request.event)
  const voiding = json.ok ? readVoid(json.value.value) : json
  if (!voiding.ok) return refuseWith(request, voiding.error)
  const voided = await voidCall(door.ports, voiding.value)
  if (!voided.ok) return refuseWith(request, voided.error)
  const { callId, reason, state } = voided.value
  return answerJson(request.out, 200, { callId, state, reason })
}

/** The sweep sends these: it may call no upstream itself. */
async function visitJob(door: ExecuteHost, request: AgentRequest): Promise<void> {
  const json = readJson(request.event)
  const errand = json.ok ? readJobErrand(json.value.value) : json
  if (!errand.ok) return refuseWith(request, errand.error)
  return answerJson(request.out, 200, await visitsHere(door).visit(errand.value))
}

/** Returns the body with its text, because only the text shows how numbers were written. */
function readJson(event: FunctionUrlEvent): Result<{ value: Json; text: string }> {
  const type = checkJsonType(event)
  if (!type.ok) return type
  const body = readBodyBytes(event, { bytesMax: REQUEST_BODY_BYTES_MAX })
  if (!body.ok) return body
  if (body.value.length === 0)
    return refuse('malformed', 'body: is empty; send {"skill": "…", "arguments": {…}}.')
  const text = readText(body.value)
  if (!text.ok) return text
  const parsed = parseText(text.value)
  return parsed.ok ? ok({ value: parsed.value, text: text.value }) : parsed
}

export const DRY_RUN_PATH = '/v1/execute/dry-run'

/**
 * Tells whether the caller has this role. The `userArn` of a Lambda function is
 * arn:aws:sts::ACCOUNT:assumed-role/ROLE/FUNCTION.
 */
export function isCallerRole({ userArn }: IamCaller, role: string | undefined): boolean {
  const [, session] = userArn.split(':assumed-role/')
  return role !== undefined && session?.split('/')[0] === role
}
