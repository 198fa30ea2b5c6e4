/**
 * Names that agents call tools by (docs/service.md, Tool names). Pure string work: the caller
 * supplies the claims and the hash of an id. A name is resolved by its claim, never by its parts
 * alone.
 */
import { HASH_CHARS, TOOL_NAME_CHARS_MAX, TOOL_NAME_CHARS_WARN } from './limits.ts'

/** `weather` → `sg_weather`; an id that has the prefix stays unchanged. */
export function enforcePrefix(prefix: string, id: string): string {
  return id.startsWith(`${prefix}_`) ? id : `${prefix}_${id}`
}

/** The key of the tool map: the prefix and safe characters. */
export function toolKey(prefix: string, name: string): string {
  return safeName(enforcePrefix(prefix, name))
}

/** Each character outside [A-Za-z0-9_-] becomes one `_`, also an emoji of one code point. */
export function safeName(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/gu, '_')
}

/**
 * True for a username whose `{username}_{skillId}` begins as ids of shared skills do, so that a private tool could take the name of an
 * official one.
 */
export function looksShared(prefix: string, username: string): boolean {
  return safeName(`${username}_`).startsWith(`${prefix}_`)
}

/**
 * Names for a private skill, to be claimed in this order. First `{username}_{skillId}` in safe
 * characters if it has at most 64. If it is longer, or taken by another skill, it is cut and ends
 * with 8 characters of `hash` (base64url of the skillId), so that two long ids with one beginning
 * differ. The further names are for an id made to look like another skill's hashed name.
 */
export function toolNamesOf(of: {
  readonly username: string
  readonly skillId: string
  readonly hash: string
}): readonly string[] {
  const whole = safeName(`${of.username}_${of.skillId}`)
  const head = whole.slice(0, TOOL_NAME_CHARS_MAX - HASH_CHARS - 1)
  const hashes = [0, 1, 2].map((n) => of.hash.slice(n * HASH_CHARS, (n + 1) * HASH_CHARS))
  const hashed = hashes.filter((hash) => hash !== '').map((hash) => `${head}_${safeName(hash)}`)
  return whole.length <= TOOL_NAME_CHARS_MAX ? [whole, ...hashed] : hashed
}

/**
 * The part of a name after `{username}_`, which for most private names is the skillId; undefined
 * when the name does not begin so.
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
