/** Reads a skill's identity: `id` with its prefix, `source`, `skill_uid` and `groups`. */
import type { Json } from '../../json/json.ts'
import { isReservedId } from '../built-in-names.ts'
import { readGroups, SKILL_GROUPS_MAX } from '../group-names.ts'
import { SHARED_SKILL_ID_CHARS_MAX, SKILL_ID_CHARS_MAX } from '../limits.ts'
import { SKILL_SOURCES, type Skill, type SkillSource } from '../skill.ts'
import { enforcePrefix, toSafeName } from '../tool-name.ts'
import { addFieldError, checkText, type Notes, readOptionalText } from './field-notes.ts'

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const UUID_CHARS = 36

/**
 * Reads the id and adds the prefix. Official and market skills are called by their id, so it must
 * be a safe tool name. A private skill has a separate tool name, so its id may have nearly any
 * text.
 */
export function readSkillId(
  notes: Notes,
  value: Json | undefined,
  options: { readonly prefix: string; readonly source: SkillSource | undefined },
): string {
  const wanted = `a string of 1 to ${SKILL_ID_CHARS_MAX} characters such as ${options.prefix}_weather`
  if (typeof value !== 'string') {
    addFieldError(
      notes,
      '/id',
      `${value === undefined ? 'is missing' : 'is not a string'}; send ${wanted}`,
    )
    return ''
  }
  const skillId = enforcePrefix(options.prefix, value)
  const wrong = checkId(skillId, options)
  if (wrong !== undefined) addFieldError(notes, '/id', wrong)
  else if (skillId !== value) {
    notes.warnings.push(`/id: lacks the prefix ${options.prefix}_; stored as ${skillId}`)
  }
  return skillId
}

/** Reads the tier from the text, else from the request. If both have a tier, they must be equal. */
export function readSource(
  notes: Notes,
  value: Json | undefined,
  requested: SkillSource | undefined,
): SkillSource | undefined {
  const known = SKILL_SOURCES.find((source) => source === value)
  const remedy = `send one of ${SKILL_SOURCES.join(', ')}`
  if (value === undefined) {
    if (requested === undefined)
      addFieldError(notes, '/source', `is missing; ${remedy}, here or with the request`)
    return requested
  }
  if (known === undefined) addFieldError(notes, '/source', `is not a tier; ${remedy}`)
  else if (requested !== undefined && requested !== known) {
    addFieldError(
      notes,
      '/source',
      `says ${known}, the request says ${requested}; leave one of the two out`,
    )
  }
  return known ?? requested
}

export function readSkillUid(notes: Notes, value: Json | undefined): string | undefined {
  const text = readOptionalText(notes, '/skill_uid', value, { charsMax: UUID_CHARS })
  if (text === undefined || text === '' || UUID.test(text)) return text
  addFieldError(
    notes,
    '/skill_uid',
    'is not a UUID; send 8-4-4-4-12 hexadecimal digits or leave it out',
  )
  return undefined
}

/**
 * Refuses null: a serialiser that empties the field would otherwise show the skill to all users.
 */
export function readSkillGroups(
  notes: Notes,
  value: Json | undefined,
  source: SkillSource | undefined,
): Pick<Skill, 'groups'> {
  if (value === undefined) return {}
  const { faults, groups } = readGroups(value, { at: '/groups', max: SKILL_GROUPS_MAX })
  notes.faults.push(...faults)
  if (groups.length === 0) return {}
  if (source !== 'private') return { groups }
  notes.warnings.push('/groups: has no effect on a private skill, which its owner alone sees')
  return { groups }
}

/**
 * `#` and `/` separate parts of keys and paths. Spaces and control characters cause trouble in URLs
 * and logs. A `:` is allowed, because the id is always a complete sort key.
 */
function checkId(
  skillId: string,
  options: { readonly prefix: string; readonly source: SkillSource | undefined },
): string | undefined {
  const wrong = checkText(skillId, { charsMax: SKILL_ID_CHARS_MAX })
  if (wrong !== undefined) return wrong
  if (skillId === `${options.prefix}_`) return 'has nothing after the prefix; add a name'
  if (/[#/\s]/u.test(skillId)) return 'holds "#", "/" or white space; use letters, digits, _ and -'
  if (isReservedId(options.prefix, skillId)) {
    return `is the name of a built-in tool (${skillId}); choose another`
  }
  if (options.source === 'private') return undefined
  if (toSafeName(skillId) !== skillId) {
    return 'holds characters that tool names cannot have; an official or market id takes A-Z a-z 0-9 _ -'
  }
  if (skillId.length > SHARED_SKILL_ID_CHARS_MAX) {
    return `has over ${SHARED_SKILL_ID_CHARS_MAX} characters with its prefix, the longest tool name; shorten it`
  }
  return undefined
}
