/**
 * Reads the tools of a listing: which ones the settings select, the skill that each would be, what
 * a person should look at, and why one cannot be a tool here. A bad tool is left out alone. Reads no
 * store.
 */
import { matchesGlob } from '../../access/match-glob.ts'
import { isDeeperThan } from '../../json/depth.ts'
import { escapeHiddenText } from '../../json/hidden-text.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import { checkForClients } from '../../mcp/fits-clients.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { PARAMETERS_DEPTH_MAX } from '../../skills/limits.ts'
import type { Skill } from '../../skills/skill.ts'
import { toTool } from '../../skills/skill-tool.ts'
import { UPSTREAM_TOOL_BYTES_MAX, UPSTREAM_TOOL_CHARS_MAX } from '../../skills/upstreams/limits.ts'
import { pickPinned, pinTool } from '../../skills/upstreams/pin.ts'
import { type ScanTerms, scanTool } from '../../skills/upstreams/scan-tool.ts'
import { makeToolDefinition } from '../../skills/upstreams/tool-definition.ts'
import { toNameStart, toUpstreamToolName } from '../../skills/upstreams/tool-names.ts'
import type { UpstreamSettings } from '../../skills/upstreams/upstream.ts'
import { stripHidden } from '../imports/strip-hidden.ts'
import { type ValidateSkillNeeds, validateDefinition } from '../registry/validate-skill.ts'

export type JudgeNeeds = ValidateSkillNeeds & Pick<Ports, 'digests'>

/** One tool that the settings select. */
export type JudgedTool = {
  /** The server's own name. */
  readonly tool: string
  /** The pinned part of the entry, as listed. */
  readonly entry: JsonObject
  readonly digest: string
  readonly skillId: string
  /** Why a person should look at it first. */
  readonly flags: readonly string[]
  /** What was left out of texts, and what clients will see differently. */
  readonly notes: readonly string[]
  readonly made:
    | { readonly kind: 'usable'; readonly definition: JsonObject; readonly skill: Skill }
    /** Two tools have the name of one skill. */
    | { readonly kind: 'collides'; readonly reason: string }
    | { readonly kind: 'unusable'; readonly reason: string }
}

export type JudgedListing = {
  readonly tools: readonly JudgedTool[]
  /** Tools that the globs leave out. */
  readonly left: readonly string[]
  /** Sentences about entries that have no usable name. */
  readonly nameless: readonly string[]
}

export type JudgeTerms = ScanTerms & {
  readonly upstreamId: string
  readonly settings: UpstreamSettings
}

export function judgeListing(
  ports: JudgeNeeds,
  settings: Settings,
  entries: readonly JsonObject[],
  terms: JudgeTerms,
): JudgedListing {
  const nameless: string[] = []
  const left: string[] = []
  const chosen = new Map<string, JsonObject>()
  const repeated = new Set<string>()
  for (const entry of entries) {
    const { name } = entry
    if (!isToolName(name)) nameless.push(describeNameless(name))
    else if (!isSelected(name, terms.settings)) left.push(name)
    else if (chosen.has(name)) repeated.add(name)
    else chosen.set(name, entry)
  }
  const named = [...chosen].map(([tool, entry]) => ({
    tool,
    entry,
    skillId: toSkillId(ports, settings, terms.settings, tool),
  }))
  const owners = Map.groupBy(named, ({ skillId }) => skillId)
  const tools = named.map((one) => {
    const same = owners.get(one.skillId) ?? []
    return judgeTool(ports, settings, terms, {
      ...one,
      isRepeated: repeated.has(one.tool),
      others: same.filter(({ tool }) => tool !== one.tool).map(({ tool }) => tool),
    })
  })
  return { tools, left, nameless }
}

function isToolName(name: Json | undefined): name is string {
  return typeof name === 'string' && name !== '' && name.length <= UPSTREAM_TOOL_CHARS_MAX
}

const NAME_UNITS_SHOWN = 40

function describeNameless(name: Json | undefined): string {
  if (typeof name !== 'string') return 'A tool has no name that is a text.'
  const shown = escapeHiddenText(name.slice(0, NAME_UNITS_SHOWN).toWellFormed())
  return `The name "${shown}" has ${name.length} characters; names have 1 to ${UPSTREAM_TOOL_CHARS_MAX}.`
}

export function isSelected(
  tool: string,
  { exclude = [], include }: Pick<UpstreamSettings, 'exclude' | 'include'>,
): boolean {
  const isIncluded = include === undefined || include.some((glob) => matchesGlob(glob, tool))
  return isIncluded && !exclude.some((glob) => matchesGlob(glob, tool))
}

function toSkillId(
  { digests }: JudgeNeeds,
  settings: Settings,
  { prefix }: UpstreamSettings,
  tool: string,
): string {
  const start = toNameStart(settings.prefix, prefix)
  return toUpstreamToolName(start, tool, (text) => digests.sha256(text))
}

type NamedTool = {
  readonly tool: string
  readonly entry: JsonObject
  readonly skillId: string
  readonly isRepeated: boolean
  /** Other tools of this server with the same skill id. */
  readonly others: readonly string[]
}

function judgeTool(
  ports: JudgeNeeds,
  settings: Settings,
  terms: JudgeTerms,
  { entry: listed, isRepeated, others, skillId, tool }: NamedTool,
): JudgedTool {
  const entry = pickPinned(listed)
  const large = findTooLarge(entry)
  if (large !== undefined) {
    // Neither its digest nor its texts are read: nothing of it is taken over.
    const made = { kind: 'unusable', reason: large } as const
    return { tool, entry: { name: tool }, digest: '', skillId, flags: [], notes: [], made }
  }
  const digest = pinTool(entry, (text) => ports.digests.sha256(text))
  const common = { tool, entry, digest, skillId, flags: scanTool(entry, terms) }
  if (isRepeated) {
    const reason = 'The server lists two tools of this name.'
    return { ...common, notes: [], made: { kind: 'unusable', reason } }
  }
  if (others.length > 0) {
    const reason = `${tool} and ${others.join(', ')} of this upstream would all be ${skillId}. Exclude all but one.`
    return { ...common, notes: [], made: { kind: 'collides', reason } }
  }
  return { ...common, ...makeSkill(ports, settings, terms, { ...common, entry }) }
}

function findTooLarge(entry: JsonObject): string | undefined {
  if (isDeeperThan(entry, PARAMETERS_DEPTH_MAX + 1))
    return `It nests over ${PARAMETERS_DEPTH_MAX} levels.`
  const bytes = countBytes(JSON.stringify(entry))
  return bytes <= UPSTREAM_TOOL_BYTES_MAX
    ? undefined
    : `It has ${bytes} bytes, and a tool may have ${UPSTREAM_TOOL_BYTES_MAX}.`
}

function makeSkill(
  ports: JudgeNeeds,
  settings: Settings,
  { settings: own, upstreamId }: JudgeTerms,
  { entry, skillId, tool }: Pick<JudgedTool, 'entry' | 'skillId' | 'tool'>,
): Pick<JudgedTool, 'made' | 'notes'> {
  const named = { ...entry, name: tool }
  const sent = makeToolDefinition({ upstreamId, skillId, settings: own, entry: named })
  const { definition: clean, notes } = stripHidden(sent)
  // Texts of the server: the settings were checked, and the scan of tools judges the texts.
  const terms = { text: '', source: own.source, uid: undefined, clearSecrets: 'allow' } as const
  const read = validateDefinition(ports, settings, terms, clean)
  if (!read.ok) return { notes, made: { kind: 'unusable', reason: read.error.detail } }
  const { definition, skill, warnings } = read.value
  const fits = checkForClients(toTool(skill, skillId))
  if (!fits.ok) {
    const reason = `Clients refuse it: ${fits.error.pointer} ${fits.error.message}.`
    return { notes, made: { kind: 'unusable', reason } }
  }
  return { notes: [...notes, ...warnings], made: { kind: 'usable', definition, skill } }
}
