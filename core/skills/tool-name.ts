/**
 * Names that agents call tools by (docs/service.md, Tool names). Pure string work: who holds a name
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
 * Names for a private skill, to be claimed in this order: `{username}_{skillId}` in safe characters
 * where it has at most 64; else, or where another skill has it, cut and with 8 characters of `hash`
 * (base64url of the skillId) at its end, so that two long ids with one beginning stay apart. The
 * others are for an id that was made to look like another's hashed name.
 */
export function toolNamesOf(of: {
  readonly username: string
  readonly skillId: string
  readonly hash: string
}): readonly string[] {
  const whole = safeName(`${of.username}_${of.skillId}`)
  const kept = whole.slice(0, TOOL_NAME_CHARS_MAX - HASH_CHARS - 1)
  const hashes = [0, 1, 2].map((n) => of.hash.slice(n * HASH_CHARS, (n + 1) * HASH_CHARS))
  const hashed = hashes.filter((hash) => hash !== '').map((hash) => `${kept}_${safeName(hash)}`)
  return whole.length <= TOOL_NAME_CHARS_MAX ? [whole, ...hashed] : hashed
}

/**
 * What follows `{username}_` in a name, which is the skillId of most private names; undefined where
 * it does not.
 */
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
