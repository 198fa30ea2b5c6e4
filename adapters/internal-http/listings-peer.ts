/**
 * Lists of MCP servers for functions that call no upstream: a signed POST to the execute door's
 * internal URL, which serves the roles of admin and sweep. Bound by ADR 0123.
 */
import { err, Fault, ok } from '../../core/errors.ts'
import type { McpListings, ToolListing } from '../../core/ports/mcp-upstreams.ts'
import { HELD_KINDS } from '../../core/skills/upstreams/held.ts'
import { readExecuteAnswer } from './execute-answer.ts'
import { type Fields, isArrayOf, isRecord, parseRecord } from './fields.ts'
import { type InternalSend, makeTracedSend } from './peer-send.ts'
import { makeSignedSend, type SignedSendOptions } from './signed-send.ts'

const LISTING_PATH = '/v1/execute/listing'
/** The 15 s of a call, and a cold start; API Gateway waits 29 s for admin. */
const LISTING_TIMEOUT_MS = 22_000

export function functionUrlListings(options: SignedSendOptions): McpListings {
  return makeListings(makeSignedSend(options))
}

export function makeListings(plainSend: InternalSend): McpListings {
  const send = makeTracedSend(plainSend)
  return {
    tools: async (order) => {
      const body = new TextEncoder().encode(JSON.stringify(order))
      const headers = { 'content-type': 'application/json' }
      const until = { timeoutMs: LISTING_TIMEOUT_MS }
      const answer = await send({ path: LISTING_PATH, headers, body }, until)
      const fields = parseRecord(new TextDecoder().decode(answer.body))
      if (answer.status === 200 && fields !== undefined && isListing(fields)) return ok(fields)
      const refused = answer.status === 200 ? undefined : readExecuteAnswer(answer)
      if (refused?.kind !== 'problem')
        throw new Fault('internal', 'the execute door answered a listing in an unknown shape')
      const { code, detail, errors, retryAfterSec } = refused.body
      return err({
        code,
        detail,
        ...(errors === undefined ? {} : { faults: errors }),
        ...(retryAfterSec === undefined ? {} : { retryAfterSec }),
      })
    },
  }
}

/** The peer may be of another deployment, so the members that every listing has are checked. */
function isListing(fields: Fields): fields is Fields & ToolListing {
  const { entries, held, serverInfo, version } = fields
  const isInfo = (value: unknown) =>
    isRecord(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string'
  return (
    isArrayOf(entries, isRecord) &&
    typeof version === 'string' &&
    (serverInfo === undefined || isInfo(serverInfo)) &&
    (held === undefined || isHeld(held))
  )
}

function isHeld(held: unknown): boolean {
  return (
    isRecord(held) &&
    typeof held['left'] === 'number' &&
    HELD_KINDS.every((kind) => isArrayOf(held[kind], isRecord))
  )
}
