/** Creates skills for bench:registry: some 1.2 kB each, words and schemas like real ones. */
import { syncToolList } from '../../core/flow/registry/sync-tool-list.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { Ports } from '../../core/ports/ports.ts'
import { readSkill } from '../../core/skills/definition/read-skill.ts'
import { makeToolDefinition } from '../../core/skills/upstreams/tool-definition.ts'
import type { UpstreamSettings } from '../../core/skills/upstreams/upstream.ts'
import { unwrap } from '../lib/agent.ts'
import { SETTINGS } from '../lib/gateway.ts'

const VERBS = 'get list create update delete search convert send translate'.split(' ')
const NOUNS = (
  'weather invoice customer order ticket calendar message currency stock parcel flight hotel recipe ' +
  'song movie address contract payment employee meeting document image video sensor vehicle'
).split(' ')
const PLACES =
  'city country warehouse account project team channel folder region store office'.split(' ')
const BATCH = 50

/** Returns the definition of a number, always the same one. */
export function toDefinition(index: number) {
  const verb = VERBS[index % VERBS.length] ?? ''
  const noun = NOUNS[Math.floor(index / VERBS.length) % NOUNS.length] ?? ''
  const place = PLACES[(index * 7) % PLACES.length] ?? ''
  const limit = { type: 'integer', minimum: 1, maximum: 100, description: 'How many to answer.' }
  return {
    id: `sg_${verb}_${noun}_${String(index).padStart(5, '0')}`,
    source: index % 4 === 0 ? 'market' : 'official',
    meta: {
      name: `${verb} ${noun} of a ${place}`,
      description:
        `Use this to ${verb} the ${noun} of a ${place}, with number ${index}. It takes the ${place} by its ` +
        `name and answers the ${noun} as JSON, the newest first. It is no use for anything but a ${noun}. ` +
        'When there is none it says so; ask again later then, or name another one.',
      tags: [noun, place],
      parameters: {
        type: 'object',
        properties: { [place]: { type: 'string', description: `Name of the ${place}.` }, limit },
        required: [place],
      },
    },
    config: { endpoint: `https://api.example.com/${noun}/{${place}}`, method: 'GET' },
    credits_per_call: 0.5,
  }
}

/** The definition as a tool of an MCP server would have it. */
function toUpstreamDefinition(index: number): JsonObject {
  const { credits_per_call: credits, id, meta } = toDefinition(index)
  const url = 'https://mcp.example.com/mcp'
  const settings: UpstreamSettings = {
    url,
    prefix: 'bench',
    source: 'official',
    credits,
    prices: {},
    refresh_minutes: 60,
    pins: 'review',
    charge_tool_errors: false,
    resources: false,
  }
  const { description, name: title, parameters: inputSchema } = meta
  const entry = { name: id, title, description, inputSchema }
  return makeToolDefinition({ upstreamId: 'bench', skillId: id, settings, entry })
}

export type SkillKind = 'api' | 'mcp'

/** Stores so many skills, many at a time, and builds no list of them. */
export async function putSkills(
  { clock, skills }: Pick<Ports, 'clock' | 'skills'>,
  count: number,
  kind: SkillKind = 'api',
): Promise<void> {
  const nowMs = clock.nowMs()
  const make = kind === 'mcp' ? toUpstreamDefinition : toDefinition
  const putOne = (index: number) => {
    const { definition, skill } = unwrap(readSkill(make(index), { prefix: 'sg' }))
    const { skillId, source } = skill
    const record = { skillId, source, uid: undefined, toolName: skillId, definition }
    const made = { createdAtMs: nowMs, updatedAtMs: nowMs, version: 1, by: 'admin' }
    return skills.put({ ...record, ...made, origin: 'sync' }, 0)
  }
  for (let start = 0; start < count; start += BATCH) {
    const length = Math.min(BATCH, count - start)
    await Promise.all(Array.from({ length }, (_, at) => putOne(start + at)))
  }
}

/** Rebuilds the tool list. */
export async function rebuildToolList(ports: Parameters<typeof syncToolList>[0]): Promise<void> {
  let cursor: string | undefined
  do {
    const body = cursor === undefined ? {} : { cursor }
    const synced = unwrap(await syncToolList(ports, SETTINGS, body))
    cursor = 'nextCursor' in synced ? synced.nextCursor : undefined
  } while (cursor !== undefined)
}
