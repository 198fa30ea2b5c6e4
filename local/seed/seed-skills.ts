/**
 * Creates the sample skills, and moves skills that use this twin's sample upstream to its new
 * origin. Other changes to the skills (price, text) stay.
 */
import { syncSkill } from '../../core/flow/registry/sync-skill.ts'
import { isJsonObject, type JsonObject } from '../../core/json/json.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Settings } from '../../core/settings.ts'
import type { SkillRecord } from '../../core/skills/skill.ts'

type Needs = Pick<
  Ports,
  | 'toolListVersion'
  | 'clock'
  | 'digests'
  | 'hooks'
  | 'log'
  | 'profiles'
  | 'schemas'
  | 'secrets'
  | 'skillMarkdown'
  | 'skills'
  | 'skillVersions'
  | 'toolsCache'
>

/**
 * Most skills that are moved, more than a laptop has; skills beyond it keep an endpoint at the old
 * port.
 */
const MOVED_MAX = 1000

/**
 * Creates the samples that are missing. `before` is the origin of the last start; undefined on the
 * first start.
 */
export async function seedSkills(
  ports: Needs,
  settings: Settings,
  origins: { readonly now: string; readonly before: string | undefined },
): Promise<void> {
  const { now, before } = origins
  if (before !== undefined && before !== now) await moveSamples(ports, settings, before, now)
  for (const definition of sampleSkills(now, settings.prefix)) {
    const skillId = String(definition['id'])
    const stored = await ports.skills.get({ source: 'official', skillId })
    if (stored === undefined) await storeSkill(ports, settings, definition)
  }
}

async function moveSamples(
  ports: Needs,
  settings: Settings,
  from: string,
  to: string,
): Promise<void> {
  for (const source of ['official', 'market'] as const) {
    const { records } = await ports.skills.list({ source, limit: MOVED_MAX })
    for (const record of records) {
      const moved = moveDefinition(record, from, to)
      if (moved !== undefined) await storeSkill(ports, settings, { ...moved, source })
    }
  }
}

function moveDefinition(record: SkillRecord, from: string, to: string): JsonObject | undefined {
  const { config } = record.definition
  if (!isJsonObject(config)) return undefined
  const { endpoint } = config
  if (typeof endpoint !== 'string' || !endpoint.startsWith(`${from}/sample/`)) return undefined
  return { ...record.definition, config: { ...config, endpoint: to + endpoint.slice(from.length) } }
}

async function storeSkill(ports: Needs, settings: Settings, definition: JsonObject): Promise<void> {
  const text = JSON.stringify(definition)
  const synced = await syncSkill(ports, settings, {
    text,
    source: undefined,
    uid: undefined,
    list: 'now',
  })
  if (!synced.ok) throw new Error(`The sample skill was refused: ${synced.error.detail}`)
}

/**
 * Returns the three sample skills, as an administrator would push them. `origin` is the twin's own;
 * it may change between starts, and the endpoints follow it.
 */
function sampleSkills(origin: string, prefix: string): readonly JsonObject[] {
  return [toWeatherSkill(origin, prefix), toEchoSkill(origin, prefix), toSlowSkill(origin, prefix)]
}

function toWeatherSkill(origin: string, prefix: string): JsonObject {
  return {
    id: `${prefix}_weather`,
    source: 'official',
    skill_uid: '5b1c0f9e-2a55-4b8e-9f5e-0d6b3c1a7e01',
    meta: {
      name: 'Weather',
      description: 'Tells the (made-up, always the same) weather in a city.',
      emoji: '⛅',
      tags: ['sample', 'forecast', 'rain', 'temperature'],
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'Name of the city, for example Oslo.' },
        },
        required: ['city'],
      },
    },
    config: { endpoint: `${origin}/sample/weather`, method: 'GET' },
    credits_per_call: 0.5,
  }
}

function toEchoSkill(origin: string, prefix: string): JsonObject {
  return {
    id: `${prefix}_echo`,
    source: 'official',
    skill_uid: '5b1c0f9e-2a55-4b8e-9f5e-0d6b3c1a7e02',
    meta: {
      name: 'Echo',
      description: 'Sends back the text it is given. Costs nothing.',
      emoji: '🔁',
      tags: ['sample'],
      parameters: {
        type: 'object',
        properties: { text: { type: 'string', description: 'What to send back.' } },
        required: ['text'],
      },
    },
    config: { endpoint: `${origin}/sample/echo`, method: 'POST' },
    credits_per_call: 0,
  }
}

function toSlowSkill(origin: string, prefix: string): JsonObject {
  return {
    id: `${prefix}_slow`,
    source: 'official',
    skill_uid: '5b1c0f9e-2a55-4b8e-9f5e-0d6b3c1a7e03',
    meta: {
      name: 'Slow',
      description:
        'Answers after some seconds; without `seconds` it takes 20 and is cut at 15, which refunds it.',
      emoji: '🐢',
      tags: ['sample'],
      parameters: {
        type: 'object',
        properties: {
          seconds: { type: 'number', minimum: 0, maximum: 30, description: 'How long to wait.' },
        },
        required: [],
      },
    },
    config: { endpoint: `${origin}/sample/slow`, method: 'GET' },
    credits_per_call: 1,
  }
}
