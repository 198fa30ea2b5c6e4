/**
 * Makes JSON-RPC errors that have data, or the same text in every revision. Texts name the field
 * and the remedy, and never repeat the value of a header or an argument. Bound by MCP 2026-07-28,
 * basic, Error codes, and server/tools, Error handling.
 */
import { err } from '../errors.ts'
import {
  RPC_INVALID_PARAMS,
  RPC_INVALID_REQUEST,
  RPC_METHOD_NOT_FOUND,
  type RpcError,
} from '../jsonrpc/message.ts'
import type { ShownLink } from '../secrets/secret-link.ts'

export const RPC_HEADER_MISMATCH = -32020
export const RPC_UNSUPPORTED_VERSION = -32022

/** UTF-16 units of a name that an error repeats, enough to see a typing error. */
const SHOWN_LENGTH_MAX = 64

/** `supported` has the versions that the sender may use instead, newest first. */
export function toUnsupportedVersionError(
  supported: readonly string[],
  requested: string,
): RpcError {
  return {
    code: RPC_UNSUPPORTED_VERSION,
    message: `This protocol version is not supported; use one of ${supported.join(', ')}`,
    data: { supported, requested: cutName(requested) },
  }
}

/** `text` names the header and the right value. */
export function toHeaderMismatchError(text: string): RpcError {
  return { code: RPC_HEADER_MISMATCH, message: text }
}

export function toUnknownMethodError(method: string, served: Iterable<string>): RpcError {
  const name = JSON.stringify(cutName(method))
  const message = `method: ${name} is not served here; use one of ${[...served].join(', ')}`
  return { code: RPC_METHOD_NOT_FOUND, message }
}

/** Of 2025-11-25 alone; later revisions forbid it. */
export const RPC_LINK_REQUIRED = -32042

/** `text` says what is missing, and has the URL for clients that show errors only. */
export function toLinkError(link: ShownLink, text: string): RpcError {
  return {
    code: RPC_LINK_REQUIRED,
    message: text,
    data: { elicitations: [{ mode: 'url', ...link }] },
  }
}

export function toInvalidRequestError(message: string): RpcError {
  return { code: RPC_INVALID_REQUEST, message }
}

export function refuseParams(message: string): { readonly ok: false; readonly error: RpcError } {
  return err({ code: RPC_INVALID_PARAMS, message })
}

function cutName(name: string): string {
  return name.slice(0, SHOWN_LENGTH_MAX).toWellFormed()
}
