/**
 * tools/list of one caller: authenticates, counts the request, and cuts the page to a size that
 * fits the transport. The list is never empty: if the store does not answer within 3 s
 * (store-wait.ts), it has only the built-in tools. Bound by docs/service.md, Tool list, and
 * docs/design/ledger.md#what-counts.
 */
import type { Credential } from '../../access/credential.ts'
import { ERRORS, err, ok, type Refusal, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import type { RpcError } from '../../jsonrpc/message.ts'
import type { ToolsPage } from '../../mcp/revision.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { Tool } from '../../skills/skill.ts'
import { type Authentication, authenticate } from '../access/authenticate.ts'
import { type CountedRequest, countAnonymousList, countRequest } from '../access/count-request.ts'
import { pickListKind } from '../access/list-kind.ts'
import type { StoreWait } from '../access/store-wait.ts'
import { listBuiltInTools } from './built-in-tools.ts'
import {
  cutToolPage,
  type ListCaller,
  type ListToolsNeeds,
  readMergedTools,
  readShortList,
} from './merge-tool-layers.ts'
import { withPriceLine } from './priced-tool.ts'
import type { ToolListCache } from './tool-list-cache.ts'

export type AnswerListNeeds = ListToolsNeeds &
  Pick<Ports, 'clock' | 'digests' | 'keys' | 'rateCounters' | 'profiles'>

export type ListQuery = {
  /**
   * A refused credential is treated as none. A door that answers it with 401 has done so before.
   */
  readonly who: Caller
  /** The time limit that the authentication has already used. */
  readonly wait: StoreWait
  readonly cursor: string | undefined
  /** Writes a page in the shape of the caller's revision. */
  readonly resultOf: (page: ToolsPage) => JsonObject
  /** The key under which the first page of this shape is cached; undefined if it is not cached. */
  readonly shape?: string
  /** A larger page is halved until it fits. */
  readonly resultBytesMax: number
}

/** `unchecked`: the store failed, so the caller is unknown and gets only the built-in tools. */
export type Caller = Authentication | { readonly kind: 'unchecked' }

/**
 * Authenticates the caller of a list. `prove` checks a credential that another function has sent.
 * Never throws: a store that fails gives `unchecked`.
 */
export async function authenticateLister(
  ports: AnswerListNeeds,
  credential: Credential,
  wait: StoreWait,
  prove: (sent: Credential) => Credential | Promise<Credential> = (sent) => sent,
): Promise<Caller> {
  // A missing credential needs no read of the store.
  if (credential.kind === 'anonymous') return credential
  return wait
    .within(async () => authenticate(ports, await prove(credential)))
    .catch((cause: unknown) => {
      ports.log.note('warn', 'list-without-principal', {}, cause)
      return { kind: 'unchecked' }
    })
}

/**
 * Returns the result as JSON text. Past the minute's limit the JSON-RPC error has the seconds to
 * wait. The error of a disabled user has the code -32003.
 */
export async function answerToolsList(
  ports: AnswerListNeeds,
  settings: Settings,
  cache: ToolListCache,
  query: ListQuery,
): Promise<Result<string, RpcError>> {
  const { cursor, shape, wait, who } = query
  // The store has just failed, so it is not read again.
  if (who.kind === 'unchecked')
    return writePage(settings, listBuiltInTools(settings, settings.toolList), query)
  const listed = await wait
    .within(() => countAndList(ports, settings, cache, who))
    .catch((cause: unknown) => listBuiltIn(ports, settings, cause))
  if (!listed.ok) return err(toListError(listed.error))
  const tools = listed.value
  // Only views of the shared list are cached. A caller without private skills gets that same array.
  if (shape === undefined || cursor !== undefined) return writePage(settings, tools, query)
  const cached = cache.firstPage(tools, shape)
  if (cached !== undefined) return ok(cached)
  const text = writePage(settings, tools, query)
  if (text.ok) cache.keepFirstPage(tools, shape, text.value)
  return text
}

async function countAndList(
  ports: AnswerListNeeds,
  settings: Settings,
  cache: ToolListCache,
  who: Authentication,
): Promise<Result<readonly Tool[]>> {
  const counted = await count(ports, settings, who)
  if (!counted.ok) return counted
  const kind = pickListKind(settings, counted.value)
  if (kind === 'search') return ok(await readShortList(ports, settings, cache))
  const lister = who.kind === 'principal' ? { ...who.principal, ...counted.value } : undefined
  return ok(await readMergedTools(ports, settings, cache, lister))
}

function listBuiltIn({ log }: AnswerListNeeds, settings: Settings, cause: unknown) {
  log.note('error', 'tool-list-fallback', {}, cause)
  return ok(listBuiltInTools(settings, settings.toolList))
}

function writePage(
  { priceInDescription }: Settings,
  tools: readonly Tool[],
  { cursor, resultBytesMax, resultOf }: ListQuery,
): Result<string, RpcError> {
  for (let pageSize = LIST_PAGE_SIZE; ; pageSize = Math.ceil(pageSize / 2)) {
    const page = cutToolPage(tools, cursor, pageSize)
    if (!page.ok) return page
    const shown = priceInDescription ? page.value.tools.map(withPriceLine) : page.value.tools
    // The list depends on the caller, whose private skills are in it.
    const text = JSON.stringify(resultOf({ ...page.value, tools: shown, dependsOnCaller: true }))
    if (pageSize === 1 || countBytes(text) < resultBytesMax) return ok(text)
  }
}

/** Pages of 500 (docs/service.md, Tool list). */
const LIST_PAGE_SIZE = 500

/**
 * Counts the list in the caller's minute. Returns the members of the profile that the list needs;
 * the profile is read together with the count. If the store fails, the list is served uncounted and
 * without groups.
 */
async function count(
  ports: AnswerListNeeds,
  settings: Settings,
  authentication: Authentication,
): Promise<Result<ListMembers>> {
  try {
    if (authentication.kind === 'principal') {
      const counted = await countRequest(ports, settings, authentication.principal)
      return counted.ok ? ok(toListMembers(counted.value)) : counted
    }
    const counted = await countAnonymousList(ports)
    return counted.ok ? ok({}) : counted
  } catch (cause) {
    ports.log.note('warn', 'list-not-counted', {}, cause)
    return ok({})
  }
}

type ListMembers = Pick<ListCaller, 'groups' | 'list' | 'skillsChangedAtMs'>

/** The members of the profile that a list needs. */
export function toListMembers({ profile }: Pick<CountedRequest, 'profile'>): ListMembers {
  const { groups, list, skillsChangedAtMs } = profile ?? {}
  return { groups, list, skillsChangedAtMs }
}

/** The error for a list over the minute's limit, or of a disabled user. */
export function toListError({ code, detail, retryAfterSec = 60 }: Refusal): RpcError {
  if (code === 'user_disabled') {
    return { code: ERRORS[code].rpcCode, message: detail, data: { code } }
  }
  return { code: ERRORS[code].rpcCode, message: detail, data: { code, retryAfterSec } }
}
