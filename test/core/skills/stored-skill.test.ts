import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json/json.ts'
import type { SkillRecord } from '../../../core/skills/skill.ts'
import { readStoredSkill } from '../../../core/skills/stored-skill.ts'

const DEFINITION: JsonObject = {
  id: 'sg_weather',
  source: 'official',
  meta: { name: 'Weather', description: 'Tells the weather.', parameters: { type: 'object' } },
  config: { endpoint: 'https://api.example/weather', method: 'GET' },
  credits_per_call: 0.5,
}

function recordOf(definition: JsonObject): SkillRecord {
  return {
    skillId: 'sg_weather',
    source: 'official',
    uid: undefined,
    toolName: 'sg_weather',
    definition,
    createdAtMs: 1,
    updatedAtMs: 1,
    version: 1,
    by: 'admin',
    origin: 'sync',
  }
}

describe('a stored skill', () => {
  test('is read as readSkill reads it', () => {
    const read = readStoredSkill(recordOf(DEFINITION), 'sg')
    expect(read).toMatchObject({
      ok: true,
      value: { skill: { skillId: 'sg_weather', priceMicroCredits: 500_000 } },
    })
  })

  test('is parsed once as long as the record is in memory', () => {
    const definition = { ...DEFINITION }
    const first = readStoredSkill(recordOf(definition), 'sg')
    expect(readStoredSkill(recordOf(definition), 'sg')).toBe(first)
  })

  test('is read anew from a new record: a changed price counts at once', () => {
    readStoredSkill(recordOf(DEFINITION), 'sg')
    const dearer = readStoredSkill(recordOf({ ...DEFINITION, credits_per_call: 2 }), 'sg')
    expect(dearer).toMatchObject({ ok: true, value: { skill: { priceMicroCredits: 2_000_000 } } })
  })

  test('is read anew under another prefix, which its id then lacks', () => {
    readStoredSkill(recordOf(DEFINITION), 'sg')
    const other = readStoredSkill(recordOf(DEFINITION), 'ab')
    expect(other).toMatchObject({ ok: true, value: { skill: { skillId: 'ab_sg_weather' } } })
  })

  test('that is faulty stays refused', () => {
    const faulty = recordOf({ ...DEFINITION, config: {} })
    expect(readStoredSkill(faulty, 'sg').ok).toBe(false)
    expect(readStoredSkill(faulty, 'sg').ok).toBe(false)
  })
})
