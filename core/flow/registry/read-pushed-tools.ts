/**
 * Reads the tools that an administrator pushes (`sync_cache` replace): entries of MCP's tools/list.
 * Each entry is checked, since one bad entry would break a client's whole list. One error refuses
 * the whole push, because a tool that is left out silently would be worse. Every error has a
 * pointer. Bound by docs/service.md, Tool list cache.
 */
import { type FieldError, ok, type Result, refuse } from '../../errors.ts'
import { refuseBody } from '../../json/body-fields.ts'
import { toUnits } from '../../json/decimal.ts'
import { findHiddenTexts } from '../../json/hidden-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { checkForClients } from '../../mcp/fits-clients.ts'
import type { Settings } from '../../settings.ts'
import { isReservedId } from '../../skills/built-in-names.ts'
import { PRICE_CREDITS_MAX, PRICE_DECIMALS } from '../../skills/limits.ts'
import { readAnnotations, readTool } from '../../skills/read-tool.ts'
import type { Tool } from '../../skills/skill.ts'
import { enforcePrefix, toToolKey } from '../../skills/tool-name.ts'

/** Tools in a pushed list: as many as the gateway is built for. */
export const PUSHED_TOOLS_MAX = 10_000
/** Errors in one answer. Further errors appear after these are corrected. */
const FAULTS_SHOWN_MAX = 20

/** Refuses with `malformed`, `too_large` or `invalid_arguments`. */
export function readPushedTools(
  settings: Settings,
  value: Json | undefined,
): Result<readonly Tool[]> {
  if (!Array.isArray(value))
    return refuseBody([
      { pointer: '/tools', message: 'must be an array of tools for mode replace' },
    ])
  if (value.length > PUSHED_TOOLS_MAX) {
    return refuse(
      'too_large',
      `tools: has ${value.length} entries; ${PUSHED_TOOLS_MAX} is the most.`,
    )
  }
  const tools = new Map<string, Tool>()
  const faults: FieldError[] = []
  value.forEach((entry: Json, index: number) => {
    const read = readEntry(settings, entry)
    const isRepeated = read.ok && tools.has(read.value.name)
    const fault = isRepeated ? toRepeatFault(read.value) : findFault(read)
    if (fault !== undefined) faults.push({ ...fault, pointer: `/tools/${index}${fault.pointer}` })
    else if (read.ok) tools.set(read.value.name, read.value)
  })
  const [first] = faults
  if (first === undefined) return ok([...tools.values()])
  return refuse('invalid_arguments', `tools: ${first.pointer}: ${first.message}`, {
    faults: faults.slice(0, FAULTS_SHOWN_MAX),
  })
}

type Entry = Result<Tool, FieldError>

function findFault(read: Entry): FieldError | undefined {
  if (!read.ok) return read.error
  const fit = checkForClients(read.value)
  return fit.ok ? undefined : { pointer: '', message: `${fit.error.pointer} ${fit.error.message}` }
}

function toRepeatFault({ name }: Tool): FieldError {
  return { pointer: '/name', message: `${name} is in the list twice` }
}

function readEntry(settings: Settings, entry: Json): Entry {
  if (!isJsonObject(entry)) return bad('', ENTRY_RULE)
  const fault = findWrongField(entry) ?? findHiddenTexts(entry, '')[0]
  if (fault !== undefined) return { ok: false, error: fault }
  // Drop `version`: price and text of a pushed entry may differ from those of the skill's version.
  const { annotations, creditsPerCall, source: _tier, version: _version, ...fields } = entry
  const price = readPrice(creditsPerCall)
  if (price === undefined) return bad('/creditsPerCall', PRICE_RULE)
  const hints = readAnnotations(annotations)
  const tool = readTool({
    ...fields,
    priceMicroCredits: price,
    ...(hints === undefined ? {} : { annotations: hints }),
  })
  if (tool === undefined) return bad('', ENTRY_RULE)
  const name = toToolKey(settings.prefix, tool.name)
  if (isReservedId(settings.prefix, name)) return readPresentation(settings, { ...tool, name })
  return ok({ ...tool, name })
}

/**
 * An entry with the name of a built-in tool changes the texts that agents read. Calls of the name
 * run the built-in tool, which is free and answers only text, so the entry may promise nothing
 * else.
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
/** Groups of a pushed entry would limit only the list, and not the calls. */
const GROUPS_RULE =
  'is a field of the skill that the entry runs; leave it out here, and sync it there'
const PRICE_RULE = `must be a number from 0 to ${PRICE_CREDITS_MAX} with at most ${PRICE_DECIMALS} decimals`

/** Optional fields of a wrong type would break clients, so they are errors and not left out. */
function findWrongField({
  annotations,
  groups,
  outputSchema,
  skillId,
  title,
}: JsonObject): FieldError | undefined {
  for (const [name, value] of Object.entries({ title, skillId })) {
    if (value !== undefined && typeof value !== 'string') {
      return { pointer: `/${name}`, message: 'must be a text, or left out' }
    }
  }
  if (groups !== undefined) return { pointer: '/groups', message: GROUPS_RULE }
  if (outputSchema !== undefined && !isJsonObject(outputSchema)) {
    return { pointer: '/outputSchema', message: 'must be a JSON Schema object, or left out' }
  }
  if (annotations !== undefined && readAnnotations(annotations) === undefined) {
    return { pointer: '/annotations', message: 'must be an object of hints that are true or false' }
  }
  return undefined
}

/** Returns micro-credits; undefined for a price that is not valid. */
function readPrice(value: Json | undefined): number | undefined {
  if (value === undefined) return 0
  const scale = { decimals: PRICE_DECIMALS, unitsMax: PRICE_CREDITS_MAX * 10 ** PRICE_DECIMALS }
  const units = typeof value === 'number' ? toUnits(value, scale) : undefined
  return units?.kind === 'units' ? units.units : undefined
}

function bad(pointer: string, message: string): Entry {
  return { ok: false, error: { pointer, message } }
}
