/** Writes the reply to a request that fails as a whole, with the codes of its revision. */
import type { RpcError } from '../../jsonrpc/message.ts'
import { writeErrorReply } from '../../jsonrpc/write-message.ts'
import type { Work } from '../../mcp/classified.ts'
import type { HttpReply } from './http-post.ts'

/**
 * Answers an error of a handler with status 200 (docs/protocol.md, Status codes of POST /mcp). This
 * includes the limit of the minute: at a 429, the official clients (1.32, 2.4) raise a transport
 * error without code and wait, and none reads Retry-After or tries again.
 */
export function toErrorReply(
  { id, revision }: Pick<Work, 'id' | 'revision'>,
  error: RpcError,
): HttpReply {
  const isOwnCode = error.code <= OWN_CODES_FROM && error.code >= OWN_CODES_TO
  const code = isOwnCode && revision.era === 'modern' ? error.code + MODERN_CODE_SHIFT : error.code
  return { kind: 'reply', status: 200, text: writeErrorReply(id, { ...error, code }) }
}

/**
 * Codes that servers chose for themselves. From 2026-07-28 on they are outside -32768 to -32000
 * (MCP 2026-07-28, basic, Error codes).
 */
const OWN_CODES_FROM = -32_000
const OWN_CODES_TO = -32_019
/** Keeps the last digits: -32004 becomes -31004. */
const MODERN_CODE_SHIFT = 1_000
