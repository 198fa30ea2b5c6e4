/**
 * A list of tools as JSON texts of some tools each, so that neither writing nor reading a list of
 * thousands holds the event loop. `parts` answers how many there are.
 */
import { Fault } from '../../../core/errors.ts'
import type { Json } from '../../../core/json/json.ts'
import { toolFrom } from '../../../core/skills/read-tool.ts'
import type { Tool } from '../../../core/skills/skill.ts'
import { giveWay } from '../database/steps.ts'

/** About 100 kB of JSON: a millisecond to write or to parse. */
export const TOOLS_PER_PART = 100

/** Writes each part in a step of its own; an empty list has none. */
export async function writeParts(
  tools: readonly Tool[],
  put: (part: number, json: string) => Promise<void>,
): Promise<number> {
  const parts = Math.ceil(tools.length / TOOLS_PER_PART)
  for (let part = 0; part < parts; part += 1) {
    const first = part * TOOLS_PER_PART
    await put(part, JSON.stringify(tools.slice(first, first + TOOLS_PER_PART)))
    await giveWay()
  }
  return parts
}

/** Undefined when a part is missing: another list has taken the place of this one. */
export async function readParts(
  parts: number,
  get: (part: number) => Promise<string | undefined>,
): Promise<readonly Tool[] | undefined> {
  const tools: Tool[] = []
  for (let part = 0; part < parts; part += 1) {
    const json = await get(part)
    if (json === undefined) return undefined
    tools.push(...toolsFrom(json))
    await giveWay()
  }
  return tools
}

function toolsFrom(json: string): readonly Tool[] {
  const value: Json = JSON.parse(json)
  if (!Array.isArray(value))
    throw new Fault('internal', 'tools cache: the stored value is not a list')
  // A malformed entry must not cost an agent all the others.
  return value.flatMap((entry: Json) => toolFrom(entry) ?? [])
}
