/**
 * The tools that the caller may call, each with its price and the secrets that it needs. The list is
 * that of tools/list, without built-in tools, so list, search and calls agree (ADR 0047). Reads no
 * value of a secret. Bound by docs/service.md, Users' API.
 */
import { isInScope } from '../../access/key-scope.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { refuseCursor } from '../../json/cursor.ts'
import type { JsonObject } from '../../json/json.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import { countBytes } from '../../json/text-bytes.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import { toListedInputSchema } from '../../mcp/listed-schema.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Hooks } from '../../ports/registry.ts'
import { indexTools } from '../../search/index-tools.ts'
import { searchTools } from '../../search/search-tools.ts'
import { pickSecrets } from '../../secrets/pick-secrets.ts'
import type { SecretListing } from '../../secrets/secret.ts'
import type { Settings } from '../../settings.ts'
import { SEARCH_QUERY_CHARS_MAX } from '../../skills/limits.ts'
import type { Skill, SkillSource, Tool } from '../../skills/skill.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'
import { type OwnTools, pickPage, withOwnTools } from '../../skills/tool-list.ts'
import { NO_GROUPS } from '../../skills/visible.ts'
import { checkUse, isUsableLogin } from '../execute/open-secret.ts'
import { toLogin, toSecretUse } from '../execute/secrets-of-call.ts'
import {
  type ListToolsNeeds,
  readPrivateTools,
  readSharedSkills,
} from '../tools/merge-tool-layers.ts'
import type { SharedView } from '../tools/shared-layer.ts'
import type { ToolListCache } from '../tools/tool-list-cache.ts'
import { listSkillSecretNames } from '../users/skill-origins.ts'
import type { AccountCaller } from './may-manage.ts'

export const OWN_TOOLS_PAGE_MAX = 50
export const OWN_TOOLS_PAGE_DEFAULT = 20
/** Bytes of the tools on a page; a longer page is halved until it fits, down to one tool. */
export const OWN_TOOLS_PAGE_BYTES_MAX = 1_000_000

export type OwnToolsNeeds = ListToolsNeeds & {
  readonly hooks: Pick<Hooks, 'secretNames' | 'urls'>
  readonly secrets: Pick<Ports['secrets'], 'list'>
  readonly sharedSecrets: Pick<Ports['sharedSecrets'], 'list'>
}

export type ToolSecret = {
  readonly name: string
  /** Where the tool sends it. */
  readonly origins: readonly string[]
  /** A call would get it, from the user or from the gateway. */
  readonly isSet: boolean
  /** The gateway has a value for users who set none. */
  readonly isShared?: true
  /** It is set, but not for where the tool sends now. Setting it again confirms that. */
  readonly mustConfirm?: true
  /** It is a login at the upstream, which starts with the first call and not here. */
  readonly isLogin?: true
}

export type OwnTool = {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly price: number
  readonly source?: SkillSource
  readonly skillId?: string
  readonly secrets: readonly ToolSecret[]
}

export type OwnToolsQuery = PageQuery & { readonly search: string | undefined }
type OwnToolsPage = { readonly tools: readonly OwnTool[]; readonly nextCursor?: string }

type Asking = {
  readonly caller: AccountCaller
  readonly query: OwnToolsQuery
  readonly lists: ToolListCache
}

/**
 * With `search`, the best matches without a cursor; otherwise by name. Refuses with `malformed` a bad
 * parameter. Throws `Fault` if the store fails.
 */
export async function listOwnTools(
  ports: OwnToolsNeeds,
  settings: Settings,
  { caller, lists, query }: Asking,
): Promise<Result<OwnToolsPage>> {
  const pages = { max: OWN_TOOLS_PAGE_MAX, otherwise: OWN_TOOLS_PAGE_DEFAULT }
  const limit = readPageLimit(query.limit, pages)
  if (!limit.ok) return limit
  const layers = await readOwnLayers(ports, settings, lists, caller)
  for (let size = limit.value; ; size = Math.ceil(size / 2)) {
    const page =
      query.search === undefined
        ? listPage(layers, query.cursor, size)
        : search(layers, query, size)
    if (!page.ok) return page
    const bytes = page.value.tools.reduce((sum, tool) => sum + countBytes(JSON.stringify(tool)), 0)
    if (size > 1 && bytes > OWN_TOOLS_PAGE_BYTES_MAX) continue
    const tools = await withSecrets(ports, settings, caller, page.value.tools)
    const { nextCursor } = page.value
    return ok({ tools, ...(nextCursor === undefined ? {} : { nextCursor }) })
  }
}

type Found = { readonly tools: readonly Tool[]; readonly nextCursor?: string | undefined }

type OwnLayers = {
  readonly shared: SharedView
  readonly own: OwnTools
  /** False for tools outside the scope of the caller's key. */
  readonly mayCall: (tool: Tool) => boolean
}

/**
 * The layers of the caller's list without built-in tools, which are about the account: this API shows
 * it itself. The shared layer is cached until the list version changes.
 */
async function readOwnLayers(
  ports: OwnToolsNeeds,
  settings: Settings,
  lists: ToolListCache,
  { principal: { scope, uid }, profile }: AccountCaller,
): Promise<OwnLayers> {
  const [changedAtMs, own] = await Promise.all([
    ports.toolListVersion.read(),
    readPrivateTools(ports, { settings, uid }, []),
  ])
  const shared =
    lists.shared(changedAtMs) ??
    lists.keepShared(changedAtMs, await readSharedSkills(ports, settings))
  return {
    shared: shared.viewOf(profile.groups ?? NO_GROUPS),
    own,
    mayCall: (tool) => isInScope(scope, tool),
  }
}

function listPage(layers: OwnLayers, cursor: string | undefined, size: number): Result<Found> {
  const all = withOwnTools(layers.shared.tools, layers.own).filter(layers.mayCall)
  const page = pickPage(all, cursor, size)
  return page === undefined ? refuseCursor('query') : ok(page)
}

function search(
  { mayCall, own, shared }: OwnLayers,
  { cursor, search: words = '' }: OwnToolsQuery,
  size: number,
): Result<Found> {
  if (cursor !== undefined) {
    return refuse('malformed', 'cursor: goes with no search, which has one page. Leave one out.')
  }
  if ([...words].length > SEARCH_QUERY_CHARS_MAX) {
    return refuse('malformed', `search: must be at most ${SEARCH_QUERY_CHARS_MAX} characters.`)
  }
  const searched = [{ ...shared.search(), hides: own.hides }, { index: indexTools(own.tools) }]
  const matches = searchTools(searched, words, Number.POSITIVE_INFINITY).filter(mayCall)
  return ok({ tools: matches.slice(0, size) })
}

async function withSecrets(
  ports: OwnToolsNeeds,
  { prefix }: Settings,
  { profile: { uid } }: AccountCaller,
  tools: readonly Tool[],
): Promise<readonly OwnTool[]> {
  const [own, shared, skills] = await Promise.all([
    ports.secrets.list(uid),
    ports.sharedSecrets.list(),
    Promise.all(tools.map((tool) => readSkill(ports, prefix, uid, tool))),
  ])
  const stored = [...own, ...shared.map((one) => ({ ...one, isShared: true as const }))]
  return tools.map((tool, place) => {
    const skill = skills[place]
    return toOwnTool(
      tool,
      skill,
      skill === undefined ? [] : listNeeded(ports, { skill, stored, uid }),
    )
  })
}

/** Undefined if the skill was deleted, or cannot be read, since the list was made. */
async function readSkill(
  { skills }: Pick<Ports, 'skills'>,
  prefix: string,
  uid: string,
  { skillId = '', source = 'private' }: Tool,
): Promise<Skill | undefined> {
  const key = source === 'private' ? { source, skillId, uid } : { source, skillId }
  const record = await skills.get(key)
  const read = record === undefined ? undefined : readStoredSkill(record, prefix)
  return read?.ok === true ? read.value.skill : undefined
}

type Stored = SecretListing & { readonly isShared?: true }
type Needing = { readonly skill: Skill; readonly stored: readonly Stored[]; readonly uid: string }

/** The rules are those of a call; no secret is opened. */
function listNeeded(
  ports: Pick<OwnToolsNeeds, 'hooks'>,
  { skill, stored, uid }: Needing,
): readonly ToolSecret[] {
  const names = listSkillSecretNames(ports, skill)
  const login = toLogin(skill)
  const wanted = { ...toSecretUse(ports, skill, uid), names, login }
  const isOfTier = ({ isShared }: Stored) => isShared !== true || skill.source === 'official'
  const usable = stored.filter((one) => isOfTier(one) && isUsableLogin(wanted, one))
  const { picked } = pickSecrets(usable, { skillId: skill.skillId, names })
  return [...new Set(names)].map((name) => {
    const found = picked.find((one) => one.name === name)
    const isRefused = found !== undefined && checkUse(wanted, found) !== undefined
    return {
      name,
      origins: wanted.origins,
      isSet: found !== undefined && !isRefused,
      ...(found?.isShared === true ? { isShared: true as const } : {}),
      ...(isRefused ? { mustConfirm: true as const } : {}),
      ...(login?.name === name ? { isLogin: true as const } : {}),
    }
  })
}

function toOwnTool(tool: Tool, skill: Skill | undefined, secrets: readonly ToolSecret[]): OwnTool {
  const { description, inputSchema, name, priceMicroCredits, skillId, title } = tool
  const source = tool.source ?? skill?.source
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: toListedInputSchema(inputSchema),
    price: toCreditsNumber(priceMicroCredits),
    ...(source === undefined ? {} : { source }),
    ...(skillId === undefined ? {} : { skillId }),
    secrets,
  }
}
