/** Asks an upstream for its tools, through the function that may call upstreams, and judges them. */
import { type FieldError, ok, type Refusal, type Result } from '../../errors.ts'
import type { McpListing } from '../../ports/mcp-servers.ts'
import type { ToolListing } from '../../ports/mcp-upstreams.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { listOtherNames } from '../../skills/upstreams/scan-tool.ts'
import { makeProbe } from '../../skills/upstreams/tool-definition.ts'
import { toNameStart } from '../../skills/upstreams/tool-names.ts'
import type { McpUpstream } from '../../skills/upstreams/upstream.ts'
import { validateDefinition } from '../registry/validate-skill.ts'
import { type JudgedListing, type JudgeNeeds, judgeListing } from './judge-listing.ts'

export type ListNeeds = JudgeNeeds &
  Pick<Ports, 'mcpListings'> & { readonly toolsCache: Pick<Ports['toolsCache'], 'read'> }

export type ListedTools = { readonly listing: ToolListing; readonly judged: JudgedListing }

export type ListTerms = {
  readonly upstream: Pick<McpUpstream, 'id' | 'settings'>
  /** Whose secrets are used; undefined: shared secrets alone. */
  readonly uid: string | undefined
}

/** Refuses settings that make no skill, and an upstream that gives no list. */
export async function listTools(
  ports: ListNeeds,
  settings: Settings,
  { uid, upstream }: ListTerms,
): Promise<Result<ListedTools>> {
  const { prefix } = upstream.settings
  const start = toNameStart(settings.prefix, prefix)
  const probe = makeProbe(upstream, `${start}list`)
  const terms = { text: '', source: upstream.settings.source, uid: undefined }
  const valid = validateDefinition(ports, settings, terms, probe)
  if (!valid.ok) return { ok: false, error: toSettingsRefusal(valid.error) }
  const { id, settings: own } = upstream
  const heldOf = own.resources ? { heldOf: id } : {}
  const order = { definition: valid.value.definition, uid, ...heldOf }
  const listing = await ports.mcpListings.tools(order)
  if (!listing.ok) return listing
  const judged = await judgeEntries(ports, settings, upstream, listing.value.entries)
  return ok({ listing: listing.value, judged })
}

/** Judges entries as they were listed, now or before. */
export async function judgeEntries(
  ports: Omit<ListNeeds, 'mcpListings'>,
  settings: Settings,
  { id, settings: own }: ListTerms['upstream'],
  entries: McpListing['entries'],
): Promise<JudgedListing> {
  const start = toNameStart(settings.prefix, own.prefix)
  const cached = (await ports.toolsCache.read())?.tools ?? []
  const foreign = cached.map(({ name }) => name).filter((name) => !name.startsWith(start))
  const names = entries.flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
  const others = listOtherNames(foreign, names)
  return judgeListing(ports, settings, entries, { upstreamId: id, settings: own, others })
}

/** The fields of the probe by the names that they have in the upstream's settings. */
const FIELDS: readonly (readonly [inSkill: string, inSettings: string])[] = [
  ['/config/endpoint', '/url'],
  ['/config/', '/'],
  ['/credits_per_call', '/credits'],
]

function toSettingsRefusal(refusal: Refusal): Refusal {
  const faults = (refusal.faults ?? []).map(({ message, pointer }): FieldError => {
    const field = FIELDS.find(([inSkill]) => pointer.startsWith(inSkill))
    return {
      message,
      pointer: field === undefined ? pointer : `${field[1]}${pointer.slice(field[0].length)}`,
    }
  })
  const [first] = faults
  const detail = first === undefined ? refusal.detail : `${first.pointer} ${first.message}.`
  return { ...refusal, code: 'invalid_arguments', detail, faults }
}
