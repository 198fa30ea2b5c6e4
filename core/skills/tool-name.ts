/**
 * Makes the names by which agents call tools (docs/service.md, Tool names). The caller supplies the
 * hash of an id and stores the claim. A name is resolved by its claim, never by its parts alone.
 */
import { HASH_CHARS, TOOL_NAME_CHARS_MAX, TOOL_NAME_CHARS_WARN } from './limits.ts'

/** `weather` becomes `sg_weather`; an id with the prefix does not change. */
export function enforcePrefix(prefix: string, id: string): string {
  return id.startsWith(`${prefix}_`) ? id : `${prefix}_${id}`
}

/** Returns the normalised name of a tool: with prefix, in safe characters. */
export function toToolKey(prefix: string, name: string): string {
  return toSafeName(enforcePrefix(prefix, name))
}

/** Replaces each code point outside [A-Za-z0-9_-] by one `_`. */
export function toSafeName(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/gu, '_')
}

/**
 * True for a username whose `{username}_{skillId}` starts like an id of a shared skill. Such a
 * private tool could take the name of an official tool.
 */
export function resemblesShared(prefix: string, username: string): boolean {
  return toSafeName(`${username}_`).startsWith(`${prefix}_`)
}

/**
 * Returns names for a private skill, to be claimed in this order. The first is
 * `{username}_{skillId}` in safe characters, if it has at most 64. If that name is longer or taken,
 * the next one is cut and ends with 8 characters of `hash` (base64url, of the skillId), so that
 * long ids with the same start differ. More names follow in case an id imitates another skill's
 * hashed name.
 */
export function listToolNames(of: {
  readonly username: string
  readonly skillId: string
  readonly hash: string
}): readonly string[] {
  const whole = toSafeName(`${of.username}_${of.skillId}`)
  const head = whole.slice(0, TOOL_NAME_CHARS_MAX - HASH_CHARS - 1)
  const hashes = [0, 1, 2].map((n) => of.hash.slice(n * HASH_CHARS, (n + 1) * HASH_CHARS))
  const hashed = hashes.filter((hash) => hash !== '').map((hash) => `${head}_${toSafeName(hash)}`)
  return whole.length <= TOOL_NAME_CHARS_MAX ? [whole, ...hashed] : hashed
}

/**
 * Returns the part of a name after `{username}_`, usually the skillId; undefined for a name with
 * another start.
 */
export function cutUsername(username: string, name: string): string | undefined {
  const head = `${toSafeName(username)}_`
  return name.startsWith(head) && name.length > head.length ? name.slice(head.length) : undefined
}

/** Returns a warning for a name that some hosts may not accept. */
export function warnOfLongName(toolName: string): string | undefined {
  if (toolName.length <= TOOL_NAME_CHARS_WARN) return undefined
  return (
    `The tool name ${toolName} has ${toolName.length} characters: some hosts put a prefix of ` +
    `their own before it and take 64 in all; a shorter id (name of up to ${TOOL_NAME_CHARS_WARN}) is safer.`
  )
}
