/**
 * tools/list of one caller: who it is, its minute, the page in a size that fits the transport. The
 * list is never empty: a store that does not answer costs the caller its private tools, no more.
 * Bound by the spec (tools/list resolution) and docs/decisions/0011-what-counts.md.
 */
import { ERRORS, err, ok, type Refusal, type Result } from '../errors.ts'
import type { Json } from '../json/json.ts'
import { bytesOf } from '../json/text-bytes.ts'
import type { RpcError } from '../jsonrpc/message.ts'
import { listResult } from '../mcp/rev2024-11-05/results.ts'
import type { Ports } from '../ports.ts'
import type { Settings } from '../settings.ts'
import { type Authentication, authenticate } from './authenticate.ts'
import { countAnonymousList, countRequest } from './count-minute.ts'
import { type ListToolsNeeds, mergedTools, type ToolListMemory, toolPage } from './list-tools.ts'

export type AnswerListNeeds = ListToolsNeeds &
  Pick<Ports, 'clock' | 'digests' | 'keys' | 'minutes' | 'profiles'>

export type ListQuery = {
  readonly authorization: string | undefined
  readonly cursor: string | undefined
  /** A page that does not fit is cut to half the size, and again. */
  readonly resultBytesMax: number
}

/** The error is for JSON-RPC; past the minute's limit it carries the wait. */
export async function answerList(
  ports: AnswerListNeeds,
  settings: Settings,
  memory: ToolListMemory,
  query: ListQuery,
): Promise<Result<Json, RpcError>> {
  const who = await authenticate(ports, query.authorization).catch((cause: unknown) => {
    ports.log.note('warn', 'list-without-principal', {}, cause)
    return { kind: 'anonymous' as const }
  })
  const counted = await count(ports, settings, who)
  if (!counted.ok) return err(rateLimited(counted.error))
  const principal = who.kind === 'principal' ? who.principal : undefined
  const { cursor, resultBytesMax } = query
  const tools = await mergedTools(ports, settings, memory, principal)
  for (let pageSize = LIST_PAGE_SIZE; ; pageSize = Math.ceil(pageSize / 2)) {
    const page = toolPage(tools, cursor, pageSize)
    if (!page.ok) return page
    const result = listResult(page.value.tools, page.value.nextCursor)
    if (pageSize === 1 || bytesOf(JSON.stringify(result)) < resultBytesMax) return ok(result)
  }
}

/** Design section 4 (tools/list): pages of 500. */
const LIST_PAGE_SIZE = 500

/** A list that could not be counted is given all the same, from what is left without the store. */
async function count(
  ports: AnswerListNeeds,
  settings: Settings,
  who: Authentication,
): Promise<Result<unknown>> {
  try {
    return who.kind === 'principal'
      ? await countRequest(ports, settings, who.principal)
      : await countAnonymousList(ports)
  } catch (cause) {
    ports.log.note('warn', 'list-not-counted', {}, cause)
    return ok(undefined)
  }
}

function rateLimited({ code, detail, retryAfterSec = 60 }: Refusal): RpcError {
  return { code: ERRORS[code].rpcCode, message: detail, data: { code, retryAfterSec } }
}
