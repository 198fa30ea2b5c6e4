/**
 * What a POST needs the scope `tools:call` for, and how it is refused without it. A client reads
 * from the challenge of a 403 which scopes it has to ask for. Where that header is renamed, no
 * client sees the challenge, so the refusal is told in words. Bound by MCP 2026-07-28,
 * basic/authorization, and ADR 0116.
 */

import { ERRORS } from '../../errors.ts'
import type { Single, Work } from '../../mcp/classified.ts'
import type { Settings } from '../../settings.ts'
import { findBuiltInName } from '../../skills/built-in-names.ts'
import { CALL_SCOPE_MISSING } from '../access/authenticate.ts'
import { isReading } from '../tools/built-in-tools.ts'
import { toAskedTool } from '../tools/call-by-name.ts'
import { toErrorReply } from './error-reply.ts'
import type { HttpReply } from './http-post.ts'

type Host = Pick<Settings, 'prefix' | 'renamesChallenge'>

/** The refusal of a request about a task. */
export function refuseMissingScope({ renamesChallenge }: Host, work: Work): HttpReply {
  const { code, detail } = CALL_SCOPE_MISSING
  return renamesChallenge
    ? toErrorReply(work, { code: ERRORS[code].rpcCode, message: detail, data: { code } })
    : { kind: 'refused', refusal: CALL_SCOPE_MISSING }
}

/** True for calls of tools that do more than read, and for what lets a call go on or stops it. */
export function needsCallScope({ prefix }: Host, message: Single): boolean {
  if (message.kind === 'response') return true
  if (message.kind !== 'request') return false
  const { intent } = message
  if (intent.kind === 'task') return intent.action !== 'get'
  if (intent.kind !== 'call-tool') return false
  const builtIn = findBuiltInName(prefix, toAskedTool(prefix, intent.name, intent.arguments).name)
  return builtIn === undefined || !isReading(builtIn)
}
