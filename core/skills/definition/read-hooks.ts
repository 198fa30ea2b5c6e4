/**
 * Reads the hooks of a skill: `config.plugin_hook` with `plugin_options`, or the list
 * `config.plugin_hooks`, which runs in its order. A skill with an unknown hook is stored but not
 * listed, and its calls are refused without charge. Hooks check their options (port `Hooks`).
 */
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { HOOK_NAME_CHARS_MAX, HOOKS_MAX } from '../limits.ts'
import type { SkillHook } from '../skill.ts'
import {
  addFieldError,
  EMPTY,
  type Notes,
  readObject,
  readOptionalText,
  readText,
  warnUnknown,
} from './field-notes.ts'
import { HOOK_NAMES } from './hook-names.ts'

const ONE = '/config/plugin_hook'
const OPTIONS = '/config/plugin_options'
const LIST = '/config/plugin_hooks'
const RULE = { charsMax: HOOK_NAME_CHARS_MAX }

export function readHooks(notes: Notes, raw: JsonObject): readonly SkillHook[] {
  const list = raw['plugin_hooks'] ?? null
  const name = readOptionalText(notes, ONE, raw['plugin_hook'], RULE)
  const options = readObject(notes, OPTIONS, raw['plugin_options'], 'optional')
  if (list !== null && (name !== undefined || raw['plugin_options'] !== undefined)) {
    addFieldError(
      notes,
      LIST,
      'stands beside plugin_hook or plugin_options; put all hooks into the list',
    )
  }
  if (list !== null) return readList(notes, list)
  if (name === undefined) {
    if (raw['plugin_options'] !== undefined) {
      notes.warnings.push(`${OPTIONS}: there is no plugin_hook that would use it`)
    }
    return []
  }
  noteUnknown(notes, ONE, name)
  return [{ name, options, optionsAt: OPTIONS }]
}

function readList(notes: Notes, list: Json): readonly SkillHook[] {
  const items: readonly Json[] | undefined = Array.isArray(list) ? list : undefined
  if (items === undefined || items.length > HOOKS_MAX) {
    addFieldError(
      notes,
      LIST,
      `must be a list of at most ${HOOKS_MAX} hooks, {"name", "options"?} each`,
    )
    return []
  }
  return items.flatMap((item, at) => readItem(notes, item, `${LIST}/${at}`))
}

function readItem(notes: Notes, item: Json, pointer: string): readonly SkillHook[] {
  if (!isJsonObject(item)) {
    addFieldError(notes, pointer, 'is not an object; send {"name": "html_to_markdown"}')
    return []
  }
  warnUnknown(notes, pointer, item, ['name', 'options'])
  const name = readText(notes, `${pointer}/name`, item['name'], RULE)
  const optionsAt = `${pointer}/options`
  const options = readObject(notes, optionsAt, item['options'] ?? EMPTY, 'optional')
  if (name !== '') noteUnknown(notes, `${pointer}/name`, name)
  return [{ name, options, optionsAt }]
}

function noteUnknown(notes: Notes, pointer: string, name: string): void {
  if (!HOOK_NAMES.includes(name)) notes.notYet.push(`${pointer}: no hook ${name}`)
}
