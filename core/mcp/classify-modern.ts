/**
 * Classifies a message whose body has the modern envelope. Such a message is never treated as
 * legacy, even if it is malformed. The order of the checks is that of MCP 2026-07-28,
 * basic/transports/streamable-http, Server validation: envelope, contradicting headers, version,
 * missing headers, method, params.
 */
import type { JsonObject } from '../json/json.ts'
import {
  RPC_INVALID_PARAMS,
  type RpcError,
  type RpcNotification,
  type RpcRequest,
} from '../jsonrpc/message.ts'
import type { ClassifiedRefusal, PostedMessage, Single, Work } from './classified.ts'
import { CALL_METHOD } from './methods.ts'
import {
  findContradiction,
  findOmission,
  readEnvelope,
  readParamHeaderMap,
  VERSION_META,
} from './modern-envelope.ts'
import type { Revision } from './revision.ts'
import { findRevision, LATEST_MODERN, MODERN_VERSIONS } from './revisions.ts'
import { toUnsupportedVersionError } from './rpc-errors.ts'
import { refuseAtGate, requestToWork, toWork } from './to-work.ts'

/** `claim` is the request's `_meta`. */
export function classifyModern(
  posted: PostedMessage,
  request: RpcRequest,
  claim: JsonObject,
  text: string,
): Work | ClassifiedRefusal {
  const envelope = readEnvelope(claim)
  if (!envelope.ok) return refuseAtGate(request, refuseEnvelope(envelope.error))
  const version = envelope.value
  const contradicted = findContradiction(posted, request, version)
  if (contradicted !== undefined) return refuseAtGate(request, contradicted)
  const revision = findModernRevision(version)
  if (revision === undefined) {
    return refuseAtGate(request, toUnsupportedVersionError(MODERN_VERSIONS, version))
  }
  const omitted = findOmission(posted, request)
  if (omitted !== undefined) return refuseAtGate(request, omitted)
  const work = requestToWork(revision, request, text)
  return work.kind === 'request' && work.method === CALL_METHOD
    ? { ...work, paramHeaders: readParamHeaderMap(posted) }
    : work
}

/** Checks only the version: the other rules, also those of headers, are for requests. */
export function classifyModernNotification(
  notification: RpcNotification,
  claim: JsonObject,
  text: string,
): Single {
  const version = claim[VERSION_META]
  if (typeof version !== 'string') {
    return refuseAtGate(
      notification,
      refuseEnvelope(`params._meta["${VERSION_META}"]: is not a string`),
    )
  }
  return toWork(findModernRevision(version) ?? LATEST_MODERN, notification, text)
}

function findModernRevision(version: string): Revision | undefined {
  const revision = findRevision(version)
  return revision?.era === 'modern' ? revision : undefined
}

function refuseEnvelope(message: string): RpcError {
  return { code: RPC_INVALID_PARAMS, message }
}
