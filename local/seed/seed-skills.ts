/**
 * Creates the sample skills, and moves skills at this twin's sample upstream to its new origin.
 * Other changes to them (price, text) stay.
 */
import { syncSkill } from '../../core/flow/registry/sync-skill.ts'
import { isJsonObject, type JsonObject } from '../../core/json/json.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Settings } from '../../core/settings.ts'
import type { SkillRecord } from '../../core/skills/skill.ts'
import { sampleSkills } from './sample-skills.ts'

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

/** More than a laptop's skills; the last skills past it keep an endpoint at the old port. */
const MOVED_MAX = 1000

/** `before` is the origin of the last start; undefined on the first. */
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
    if (stored === undefined) await sync(ports, settings, definition)
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
      const moved = movedDefinition(record, from, to)
      if (moved !== undefined) await sync(ports, settings, { ...moved, source })
    }
  }
}

function movedDefinition(record: SkillRecord, from: string, to: string): JsonObject | undefined {
  const { config } = record.definition
  if (!isJsonObject(config)) return undefined
  const { endpoint } = config
  if (typeof endpoint !== 'string' || !endpoint.startsWith(`${from}/sample/`)) return undefined
  return { ...record.definition, config: { ...config, endpoint: to + endpoint.slice(from.length) } }
}

async function sync(ports: Needs, settings: Settings, definition: JsonObject): Promise<void> {
  const text = JSON.stringify(definition)
  const synced = await syncSkill(ports, settings, {
    text,
    source: undefined,
    uid: undefined,
    list: 'now',
  })
  if (!synced.ok) throw new Error(`The sample skill was refused: ${synced.error.detail}`)
}
