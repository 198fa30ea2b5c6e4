/** A small definition and its reading, for the tests of what a definition may hold. */
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { type ReadSkill, readSkill } from '../../../core/skills/definition/read-skill.ts'

type Source = 'private' | 'official' | 'market'

export const MINIMAL = {
  id: 'sg_weather',
  source: 'official',
  meta: {
    name: 'Weather',
    description: 'Tells the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  config: { endpoint: 'https://api.example.com/weather' },
  credits_per_call: 0,
}

export function read(definition: Json, source?: Source) {
  return readSkill(definition, source === undefined ? { prefix: 'sg' } : { prefix: 'sg', source })
}

export function good(definition: Json, source?: Source): ReadSkill {
  const result = read(definition, source)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}

/** Faults as `pointer message`. */
export function faults(definition: Json, source?: Source): readonly string[] {
  const result = read(definition, source)
  return result.ok
    ? []
    : (result.error.faults ?? []).map(({ pointer, message }) => `${pointer} ${message}`)
}

export function withMeta(meta: JsonObject) {
  return { ...MINIMAL, meta: { ...MINIMAL.meta, ...meta } }
}

export function withConfig(config: JsonObject) {
  return { ...MINIMAL, config: { ...MINIMAL.config, ...config } }
}
