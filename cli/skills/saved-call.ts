/**
 * Saved calls: `joke.call.json` beside `joke.json` has the arguments of a test call, and whose call
 * it is (docs/skills.md, Saved calls).
 */
import { existsSync } from 'node:fs'
import type { Fields } from '../gateway/admin-client.ts'
import { isExactObject } from '../gateway/exact-json.ts'
import { toUsageFault } from '../terminal/exit-code.ts'
import { readJson } from '../terminal/read-json.ts'
import { readText } from '../terminal/read-text.ts'

export type SavedCall = {
  readonly arguments: Fields
  /** The user in whose name the skill is called. */
  readonly user?: string
}

/** `skill` is the path of a skill, or its id. */
export function nameCallFile(skill: string): string {
  return `${skill.replace(/\.(?:json|md)$/i, '')}.call.json`
}

/** Throws a usage fault for a file that is no saved call. */
export function readSavedCall(path: string, shown: string): SavedCall {
  const value = readJson(readText(path), shown)
  const sent: Fields = isExactObject(value) ? value : { other: value }
  const { arguments: args, user, ...others } = sent
  const isCall = isExactObject(args) && (user === undefined || typeof user === 'string')
  if (!isCall || Object.keys(others).length > 0) {
    throw toUsageFault(`${shown} is not a saved call.`, 'Write {"arguments": {…}, "user": "UID"}.')
  }
  return { arguments: args, ...(user === undefined ? {} : { user }) }
}

/** Undefined if there is no such file. */
export function findSavedCall(path: string, shown: string): SavedCall | undefined {
  return existsSync(path) ? readSavedCall(path, shown) : undefined
}
