/**
 * tools/list of one caller: authenticate, count the request, cut the page to a size that fits the
 * transport. The list is never empty: without the store it has the built-in tools alone, at most 3 s after
 * the request (store-wait.ts). Bound by docs/service.md, Tool list, and ADR 0011.
 */
import { ERRORS, err, ok, type Refusal, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { bytesOf } from '../../json/text-bytes.ts'
import type { RpcError } from '../../jsonrpc/message.ts'
import type { ToolsPage } from '../../mcp/revision.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { Tool } from '../../skills/skill.ts'
import { type Authentication, authenticate, readCredential } from '../access/authenticate.ts'
import { type CountedRequest, countAnonymousList, countRequest } from '../access/count-request.ts'
import type { StoreWait } from '../access/store-wait.ts'
import { builtInTools } from './built-in-tools.ts'
import { type ListCaller, type ListToolsNeeds, mergedTools, toolPage } from './merge-tool-layers.ts'
import type { ToolListCache } from './tool-list-cache.ts'

export type AnswerListNeeds = ListToolsNeeds &
  Pick<Ports, 'clock' | 'digests' | 'keys' | 'rateCounters' | 'profiles'>

export type ListQuery = {
  /** A refused credential counts as none. A door that answers 401 has done so before. */
  readonly who: Caller
  /** That in which the caller was looked up. */
  readonly wait: StoreWait
  readonly cursor: string | undefined
  /** A page in the shape of the caller's revision. */
  readonly resultOf: (page: ToolsPage) => JsonObject
  /** The key under which the first page of this shape is cached; undefined: not cached. */
  readonly shape?: string
  /** A page past it is halved until it fits. */
  readonly resultBytesMax: number
}

/** `unchecked`: the store does not answer whose key it is. Only what is public is for this caller. */
export type Caller = Authentication | { readonly kind: 'unchecked' }

/** The caller by its credential. */
export async function callerOf(
  ports: AnswerListNeeds,
  authorization: string | undefined,
  wait: StoreWait,
): Promise<Caller> {
  // Known by its form, without the store.
  const credential = readCredential(authorization)
  if (credential.kind === 'anonymous') return credential
  return wait
    .within(() => authenticate(ports, authorization))
    .catch((cause: unknown) => {
      ports.log.note('warn', 'list-without-principal', {}, cause)
      return { kind: 'unchecked' }
    })
}

/**
 * The result as JSON text. Past the minute's limit the JSON-RPC error carries the seconds to wait; that
 * of a disabled user has the code -32003.
 */
export async function answerToolsList(
  ports: AnswerListNeeds,
  settings: Settings,
  cache: ToolListCache,
  query: ListQuery,
): Promise<Result<string, RpcError>> {
  const { cursor, shape, wait, who } = query
  // Another read would only be one more to wait for.
  if (who.kind === 'unchecked') return pageText(builtInTools(settings), query)
  const listed = await wait
    .within(() => countedTools(ports, settings, cache, who))
    .catch((cause: unknown) => withoutStore(ports, settings, cause))
  if (!listed.ok) return err(refusedList(listed.error))
  const tools = listed.value
  // Only views of the shared list are cached. A caller without private skills gets that very array.
  if (shape === undefined || cursor !== undefined) return pageText(tools, query)
  const known = cache.firstPage(tools, shape)
  if (known !== undefined) return ok(known)
  const text = pageText(tools, query)
  if (text.ok) cache.keepFirstPage(tools, shape, text.value)
  return text
}

async function countedTools(
  ports: AnswerListNeeds,
  settings: Settings,
  cache: ToolListCache,
  who: Authentication,
): Promise<Result<readonly Tool[]>> {
  const counted = await count(ports, settings, who)
  if (!counted.ok) return counted
  const lister = who.kind === 'principal' ? { ...who.principal, ...counted.value } : undefined
  return ok(await mergedTools(ports, settings, cache, lister))
}

function withoutStore({ log }: AnswerListNeeds, settings: Settings, cause: unknown) {
  log.note('error', 'tool-list-fallback', {}, cause)
  return ok(builtInTools(settings))
}

function pageText(
  tools: readonly Tool[],
  { cursor, resultBytesMax, resultOf }: ListQuery,
): Result<string, RpcError> {
  for (let pageSize = LIST_PAGE_SIZE; ; pageSize = Math.ceil(pageSize / 2)) {
    const page = toolPage(tools, cursor, pageSize)
    if (!page.ok) return page
    // Another caller has other private skills, or none.
    const text = JSON.stringify(resultOf({ ...page.value, dependsOnCaller: true }))
    if (pageSize === 1 || bytesOf(text) < resultBytesMax) return ok(text)
  }
}

/** Pages of 500 (docs/service.md, Tool list). */
const LIST_PAGE_SIZE = 500

/**
 * Counts the list against the caller's minute. Returns what the list needs of the profile, which the
 * count read beside it. A store that does not answer lets the list pass uncounted, without groups.
 */
async function count(
  ports: AnswerListNeeds,
  settings: Settings,
  authentication: Authentication,
): Promise<Result<Pick<ListCaller, 'groups' | 'skillsChangedAtMs'>>> {
  try {
    if (authentication.kind === 'principal') {
      const counted = await countRequest(ports, settings, authentication.principal)
      return counted.ok ? ok(shownIn(counted.value)) : counted
    }
    const counted = await countAnonymousList(ports)
    return counted.ok ? ok({}) : counted
  } catch (cause) {
    ports.log.note('warn', 'list-not-counted', {}, cause)
    return ok({})
  }
}

function shownIn({ profile }: CountedRequest): Pick<ListCaller, 'groups' | 'skillsChangedAtMs'> {
  return { groups: profile?.groups, skillsChangedAtMs: profile?.skillsChangedAtMs }
}

function refusedList({ code, detail, retryAfterSec = 60 }: Refusal): RpcError {
  if (code === 'user_disabled') {
    return { code: ERRORS[code].rpcCode, message: detail, data: { code } }
  }
  return { code: ERRORS[code].rpcCode, message: detail, data: { code, retryAfterSec } }
}
