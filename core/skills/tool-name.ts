/**
 * Names that agents call tools by (design section 4, Prefix). Pure string work: who holds a name
 * and the hash of an id are told by the caller; a name is resolved by its claim, never by cutting
 * alone.
 */
import { HASH_CHARS, TOOL_NAME_CHARS_MAX, TOOL_NAME_CHARS_WARN } from './limits.ts'

/** `weather` → `sg_weather`; what has the prefix already stays as it is. */
export function enforcePrefix(prefix: string, id: string): string {
  return id.startsWith(`${prefix}_`) ? id : `${prefix}_${id}`
}

/** The key of the tool map: safe characters, prefix in front. */
export function toolKey(prefix: string, name: string): string {
  return safeName(enforcePrefix(prefix, name))
}

/** Each character outside [A-Za-z0-9_-] becomes one `_`; an emoji of one code point is one. */
export function safeName(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/gu, '_')
}

/**
 * `{username}_{skillId}` in safe characters, at most 64. Where it must be cut, or `takenByOther`
 * skill of the user, it ends in `_` and `hash8`: the first 8 characters of a base64url hash of the
 * skillId, so that two long ids with one beginning stay apart.
 */
export function privateToolName(of: {
  readonly username: string
  readonly skillId: string
  readonly takenByOther: boolean
  readonly hash8: string
}): string {
  const whole = safeName(`${of.username}_${of.skillId}`)
  if (whole.length <= TOOL_NAME_CHARS_MAX && !of.takenByOther) return whole
  const kept = whole.slice(0, TOOL_NAME_CHARS_MAX - HASH_CHARS - 1)
  return `${kept}_${safeName(of.hash8).slice(0, HASH_CHARS)}`
}

/** What follows `{username}_` in a name, as the spec finds a skillId; undefined where it does not. */
export function cutUsername(username: string, name: string): string | undefined {
  const head = `${safeName(username)}_`
  return name.startsWith(head) && name.length > head.length ? name.slice(head.length) : undefined
}

export function longNameWarning(toolName: string): string | undefined {
  if (toolName.length <= TOOL_NAME_CHARS_WARN) return undefined
  return (
    `The tool name ${toolName} has ${toolName.length} characters: some hosts put a prefix of ` +
    `their own before it and take 64 in all; a shorter id (name of up to ${TOOL_NAME_CHARS_WARN}) is safer.`
  )
}
