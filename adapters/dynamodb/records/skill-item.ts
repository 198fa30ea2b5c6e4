/**
 * A skill record as an item. The definition is stored as JSON text, because a DynamoDB map would
 * reorder its keys and refuse numbers such as 1e308 and nesting past 32 levels.
 */
import { Fault } from '../../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import {
  SKILL_ORIGINS,
  SKILL_SOURCES,
  type SkillRecord,
  type SkillSource,
} from '../../../core/skills/skill.ts'
import { type Item, intAt, optionalTextAt, textAt, wordAt } from '../client/item.ts'
import { type Key, marketSkillKey, officialSkillKey, privateSkillKey } from '../table.ts'

/** The key of a skill. Throws `Fault('internal')` for a private skill without a `uid`. */
export function skillKey(of: {
  source: SkillSource
  skillId: string
  uid?: string | undefined
}): Key {
  switch (of.source) {
    case 'private':
      if (of.uid === undefined) throw new Fault('internal', 'uid: is missing for a private skill')
      return privateSkillKey(of.uid, of.skillId)
    case 'official':
      return officialSkillKey(of.skillId)
    case 'market':
      return marketSkillKey(of.skillId)
    default:
      return of.source satisfies never
  }
}

export function toSkillItem(record: SkillRecord): Item {
  return { ...skillKey(record), ...record, definition: JSON.stringify(record.definition) }
}

export function fromSkillItem(item: Item): SkillRecord {
  return {
    skillId: textAt(item, 'skillId'),
    source: wordAt(item, 'source', SKILL_SOURCES),
    uid: optionalTextAt(item, 'uid'),
    toolName: textAt(item, 'toolName'),
    definition: parseDefinition(textAt(item, 'definition')),
    createdAtMs: intAt(item, 'createdAtMs'),
    updatedAtMs: intAt(item, 'updatedAtMs'),
    version: intAt(item, 'version'),
    by: textAt(item, 'by'),
    origin: wordAt(item, 'origin', SKILL_ORIGINS),
  }
}

function parseDefinition(text: string): JsonObject {
  const value: Json = JSON.parse(text)
  if (!isJsonObject(value)) throw new Fault('internal', 'stored skill: definition is not an object')
  return value
}
