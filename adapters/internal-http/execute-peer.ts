/**
 * The client of the execute door, for other functions of the gateway. IAM proves the caller, so the
 * door accepts the user's credential, the call id and the deadline that it sends. sse sends voids.
 * Calls were sent by messages of the version before this one, and are sent by tests in its place;
 * the next release removes them here and at the door (ADR 0135). Bound by docs/service.md, Doors and
 * Void.
 */
import type { CallTerms } from '../../core/call/execute.ts'
import { IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER } from '../../core/call/idempotency.ts'
import { PARAM_HEADERS_HEADER, writeParamHeaders } from '../../core/call/mirrored-params.ts'
import { CLIENT_CALL_HEADER, CLIENT_HEADER, DOOR_HEADER } from '../../core/call/read-execute.ts'
import { Fault } from '../../core/errors.ts'
import type { ExecuteDoor } from '../../core/ports/sessions.ts'
import { CREDENTIAL_HEADER, writeCredential } from './credential-header.ts'
import { readExecuteAnswer, readVoidAnswer } from './execute-answer.ts'
import { type InternalSend, makeTracedSend } from './peer-send.ts'
import { makeSignedSend, type SignedSendOptions } from './signed-send.ts'

const EXECUTE_PATH = '/v1/execute'
const VOID_PATH = '/v1/execute/void'
/** Ends a wait without a caller's signal: the 15 s of a call and a cold start. */
const EXECUTE_TIMEOUT_MS = 20_000
/** A void is a few writes; its caller will answer an agent that has already waited for long. */
const VOID_TIMEOUT_MS = 5_000

const JSON_TYPE = { 'content-type': 'application/json' }

export function functionUrlExecute(options: SignedSendOptions): ExecuteDoor {
  return makeExecuteDoor(makeSignedSend(options))
}

export function makeExecuteDoor(plainSend: InternalSend): ExecuteDoor {
  const send = makeTracedSend(plainSend)
  return {
    execute: async ({ body, credential, idempotencyKey, terms }, signal) => {
      const headers = {
        ...JSON_TYPE,
        [CREDENTIAL_HEADER]: writeCredential(credential),
        'x-skillgate-call-id': terms.callId,
        'x-skillgate-deadline-ms': String(Math.floor(terms.deadlineMs)),
        ...writeMirroredHeaders(terms),
        ...writeOriginHeaders(terms),
        ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY_HEADER]: idempotencyKey }),
      }
      const request = { path: EXECUTE_PATH, headers, body: toJsonBytes(body) }
      const answer = await send(request, { timeoutMs: EXECUTE_TIMEOUT_MS, signal })
      const read = readExecuteAnswer(answer)
      return answer.headers?.[REPLAYED_HEADER] === 'true' ? { ...read, replayed: true } : read
    },
    voidCall: async ({ uid, callId, reason }) => {
      const request = {
        path: VOID_PATH,
        headers: JSON_TYPE,
        body: toJsonBytes({ uid, callId, reason }),
      }
      const { body, status } = await send(request, { timeoutMs: VOID_TIMEOUT_MS })
      if (status === 200) return readVoidAnswer(body)
      throw new Fault('internal', `the execute door answered ${status} to a void`)
    },
  }
}

function writeMirroredHeaders({ paramHeaders }: CallTerms): { readonly [name: string]: string } {
  if (paramHeaders === undefined) return {}
  return { [PARAM_HEADERS_HEADER]: writeParamHeaders(paramHeaders) }
}

function writeOriginHeaders({ client, clientCallId, door }: CallTerms): {
  readonly [name: string]: string
} {
  return {
    ...(clientCallId === undefined ? {} : { [CLIENT_CALL_HEADER]: clientCallId }),
    ...(door === undefined ? {} : { [DOOR_HEADER]: door }),
    ...(client === undefined ? {} : { [CLIENT_HEADER]: encodeURI(client) }),
  }
}

function toJsonBytes(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}
