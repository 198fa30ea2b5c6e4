/**
 * Classifies a POST to the Streamable HTTP endpoint. One endpoint serves both eras: the body
 * decides, and the version header must not contradict it. Does not check session ids or Accept.
 * Bound by docs/protocol.md, Status codes of POST /mcp.
 */
import { RPC_INVALID_PARAMS, type RpcMessage, type RpcRequest } from '../jsonrpc/message.ts'
import { readPosted } from '../jsonrpc/read-message.ts'
import type {
  Classification,
  ClassifiedRefusal,
  PostedMessage,
  Single,
  Work,
} from './classified.ts'
import { classifyBatch } from './classify-batch.ts'
import { classifyModern, classifyModernNotification } from './classify-modern.ts'
import { withKeyHeader } from './idempotency-key.ts'
import { INITIALIZE_METHOD } from './methods.ts'
import {
  CAPABILITIES_META,
  findModernMeta,
  readEnvelope,
  readVersionHeader,
  VERSION_META,
} from './modern-envelope.ts'
import type { Revision } from './revision.ts'
import {
  findRevision,
  HEADERLESS_REVISION,
  LATEST_LEGACY,
  negotiate,
  SERVED_VERSIONS,
} from './revisions.ts'
import { toHeaderMismatchError, toUnsupportedVersionError } from './rpc-errors.ts'
import { refuseAtGate, refuseRequest, refuseUnreadable, requestToWork, toWork } from './to-work.ts'

/** Classifies any input. Never throws. */
export function classify(posted: PostedMessage): Classification {
  return withKeyHeader(posted, classifyBody(posted))
}

function classifyBody(posted: PostedMessage): Classification {
  const read = readPosted(posted.body)
  if (!read.ok) return refuseUnreadable(read.error)
  const { value } = read
  if (value.kind === 'message') return classifyMessage(posted, value.message, value.text)
  const named = readHeaderRevision(posted)
  if (named === undefined) return refuseRequest(400, null, refuseVersionHeader(posted))
  return classifyBatch(named, value.values, value.text)
}

function classifyMessage(posted: PostedMessage, message: RpcMessage, text: string): Single {
  if (message.kind === 'request' && isHandshake(message))
    return classifyHandshake(posted, message, text)
  const claim = message.kind === 'response' ? undefined : findModernMeta(message.params)
  if (claim !== undefined && message.kind === 'request') {
    return classifyModern(posted, message, claim, text)
  }
  if (claim !== undefined && message.kind === 'notification') {
    return classifyModernNotification(message, claim, text)
  }
  const named = readHeaderRevision(posted)
  if (named === undefined) return refuseAtGate(message, refuseVersionHeader(posted))
  if (named.era === 'modern' && message.kind === 'request') {
    return refuseAtGate(message, ENVELOPE_MISSING)
  }
  return toWork(named, message, text)
}

/** An `initialize` with a modern envelope is a modern request for a method that does not exist. */
function isHandshake(request: RpcRequest): boolean {
  if (request.method !== INITIALIZE_METHOD) return false
  const claim = findModernMeta(request.params)
  const envelope = claim === undefined ? undefined : readEnvelope(claim)
  return envelope?.ok !== true || findRevision(envelope.value)?.era === 'legacy'
}

/**
 * Ignores a legacy version in the header: many clients send one, and a 400 would make them fall
 * back to the old transport. Only a modern version in the header contradicts the body.
 */
function classifyHandshake(
  posted: PostedMessage,
  request: RpcRequest,
  text: string,
): Work | ClassifiedRefusal {
  if (readHeaderRevision(posted)?.era === 'modern') {
    return refuseAtGate(
      request,
      toHeaderMismatchError(
        'MCP-Protocol-Version: names a revision without initialize; leave it out',
      ),
    )
  }
  const work = requestToWork(LATEST_LEGACY, request, text)
  if (work.kind !== 'request' || work.intent.kind !== 'initialize') return work
  return { ...work, revision: negotiate(work.intent.version) }
}

/** Returns undefined for a version that is not served. */
function readHeaderRevision(posted: PostedMessage): Revision | undefined {
  const version = readVersionHeader(posted)
  return version === undefined ? HEADERLESS_REVISION : findRevision(version)
}

function refuseVersionHeader(posted: PostedMessage) {
  return toUnsupportedVersionError(SERVED_VERSIONS, readVersionHeader(posted) ?? '')
}

const ENVELOPE_MISSING = {
  code: RPC_INVALID_PARAMS,
  message:
    `params._meta: must hold "${VERSION_META}" and "${CAPABILITIES_META}", ` +
    'as the revision that MCP-Protocol-Version names has it',
}
