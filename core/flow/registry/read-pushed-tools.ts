/**
 * Reads the tools that an administrator pushes (`sync_cache` replace): entries of MCP's tools/list,
 * each checked for what would break a client's whole list. Names every fault with its place. One
 * fault refuses the whole push: to leave out a tool silently would be worse.
 */
import { type FieldFault, ok, type Result, refuse } from '../../errors.ts'
import { badBody } from '../../json/body-fields.ts'
import { toUnits } from '../../json/decimal.ts'
import { hiddenFaults } from '../../json/hidden-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { fitsClients } from '../../mcp/fits-clients.ts'
import type { Settings } from '../../settings.ts'
import { isReserved } from '../../skills/built-in-names.ts'
import { PRICE_CREDITS_MAX, PRICE_DECIMALS } from '../../skills/limits.ts'
import { annotationsFrom, toolFrom } from '../../skills/read-tool.ts'
import type { Tool } from '../../skills/skill.ts'
import { enforcePrefix, toolKey } from '../../skills/tool-name.ts'

/** Tools in a pushed list: as many as the gateway is built for. */
export const PUSHED_TOOLS_MAX = 10_000
/** Faults in one answer; the rest shows once these are corrected. */
const FAULTS_SHOWN_MAX = 20

export function readPushedTools(
  settings: Settings,
  value: Json | undefined,
): Result<readonly Tool[]> {
  if (!Array.isArray(value))
    return badBody([{ pointer: '/tools', message: 'must be an array of tools for mode replace' }])
  if (value.length > PUSHED_TOOLS_MAX) {
    return refuse(
      'too_large',
      `tools: has ${value.length} entries; ${PUSHED_TOOLS_MAX} is the most.`,
    )
  }
  const tools = new Map<string, Tool>()
  const faults: FieldFault[] = []
  value.forEach((entry: Json, index: number) => {
    const read = readEntry(settings, entry)
    const fault = read.ok && tools.has(read.value.name) ? twice(read.value) : faultOf(read)
    if (fault !== undefined) faults.push({ ...fault, pointer: `/tools/${index}${fault.pointer}` })
    else if (read.ok) tools.set(read.value.name, read.value)
  })
  const [first] = faults
  if (first === undefined) return ok([...tools.values()])
  return refuse('invalid_arguments', `tools: ${first.pointer}: ${first.message}`, {
    faults: faults.slice(0, FAULTS_SHOWN_MAX),
  })
}

type Entry = Result<Tool, FieldFault>

function faultOf(read: Entry): FieldFault | undefined {
  if (!read.ok) return read.error
  const fit = fitsClients(read.value)
  return fit.ok ? undefined : { pointer: '', message: `${fit.error.pointer} ${fit.error.message}` }
}

function twice({ name }: Tool): FieldFault {
  return { pointer: '/name', message: `${name} is in the list twice` }
}

function readEntry(settings: Settings, entry: Json): Entry {
  if (!isJsonObject(entry)) return bad('', ENTRY_RULE)
  const wrong = wrongField(entry) ?? hiddenFaults(entry, '')[0]
  if (wrong !== undefined) return { ok: false, error: wrong }
  // A pushed price and text need not be those of the skill, so no entry may claim a version of it.
  const { annotations, creditsPerCall, source: _tier, version: _version, ...fields } = entry
  const price = priceOf(creditsPerCall)
  if (price === undefined) return bad('/creditsPerCall', PRICE_RULE)
  const hints = annotationsFrom(annotations)
  const tool = toolFrom({
    ...fields,
    priceMicroCredits: price,
    ...(hints === undefined ? {} : { annotations: hints }),
  })
  if (tool === undefined) return bad('', ENTRY_RULE)
  const name = toolKey(settings.prefix, tool.name)
  if (isReserved(settings.prefix, name)) return readPresentation(settings, { ...tool, name })
  return ok({ ...tool, name })
}

/**
 * An entry with the name of a built-in tool changes what agents read of it. Calls of the name run the built-in tool, which is free and answers
 * text alone, so the entry may promise nothing else.
 */
function readPresentation({ prefix }: Settings, tool: Tool): Entry {
  const { name, outputSchema, priceMicroCredits, skillId } = tool
  if (skillId !== undefined && enforcePrefix(prefix, skillId) !== name)
    return bad('/skillId', BUILT_IN_RULE)
  if (priceMicroCredits > 0) return bad('/creditsPerCall', BUILT_IN_RULE)
  if (outputSchema !== undefined) return bad('/outputSchema', BUILT_IN_RULE)
  return ok({ ...tool, skillId: undefined })
}

const BUILT_IN_RULE =
  'must be left out: a call by this name runs the built-in tool, which is free and answers text; the entry changes title, description, input schema and annotations'
const ENTRY_RULE = 'must be {"name", "description", "inputSchema"}'
/** Groups in a pushed entry would limit the list alone, and not calls. */
const GROUPS_RULE =
  'is a field of the skill that the entry runs; leave it out here, and sync it there'
const PRICE_RULE = `must be a number from 0 to ${PRICE_CREDITS_MAX} with at most ${PRICE_DECIMALS} decimals`

/**
 * Optional fields: a wrong type would break clients, so it is a fault and not left out silently.
 */
function wrongField({
  annotations,
  groups,
  outputSchema,
  skillId,
  title,
}: JsonObject): FieldFault | undefined {
  for (const [name, value] of Object.entries({ title, skillId })) {
    if (value !== undefined && typeof value !== 'string') {
      return { pointer: `/${name}`, message: 'must be a text, or left out' }
    }
  }
  if (groups !== undefined) return { pointer: '/groups', message: GROUPS_RULE }
  if (outputSchema !== undefined && !isJsonObject(outputSchema)) {
    return { pointer: '/outputSchema', message: 'must be a JSON Schema object, or left out' }
  }
  if (annotations !== undefined && annotationsFrom(annotations) === undefined) {
    return { pointer: '/annotations', message: 'must be an object of hints that are true or false' }
  }
  return undefined
}

function priceOf(value: Json | undefined): number | undefined {
  if (value === undefined) return 0
  const scale = { decimals: PRICE_DECIMALS, unitsMax: PRICE_CREDITS_MAX * 10 ** PRICE_DECIMALS }
  const units = typeof value === 'number' ? toUnits(value, scale) : undefined
  return units?.kind === 'units' ? units.units : undefined
}

function bad(pointer: string, message: string): Entry {
  return { ok: false, error: { pointer, message } }
}
