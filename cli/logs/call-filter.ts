/**
 * Which lines of a log `--user`, `--skill` and `--outcome` ask for: once as a pattern for CloudWatch, once as
 * a test for lines that are read here. Both choose the same lines. Without a filter, all lines.
 */
import type { Fields } from '../gateway/admin-client.ts'

/** `user`, `skill` and `outcome`. */
export type CallFilter = { readonly [name: string]: string | undefined }

/** The outcome of calls that were refused before their price was held. */
export const REFUSED = 'refused'

/** Calls without a known caller have a line of this event, with id and code alone. */
const WITHOUT_CALLER = 'call-refused'

/** CloudWatch's syntax for JSON lines. */
export function patternOf({ outcome, skill, user }: CallFilter): string {
  const terms = [
    ...(user === undefined ? [] : [`$.uid = ${quoted(user)}`]),
    ...(skill === undefined ? [] : [`$.skillId = ${quoted(skill)}`]),
    ...(outcome === undefined ? [] : [outcomePattern(outcome)]),
  ]
  if (terms.length === 0) return '{ $.event = "*" }'
  const calls =
    outcome === REFUSED ? `($.event = "call" || $.event = "${WITHOUT_CALLER}")` : '$.event = "call"'
  return `{ ${calls} && ${terms.join(' && ')} }`
}

/** The same choice for one line. */
export function isAskedFor({ outcome, skill, user }: CallFilter, fields: Fields): boolean {
  if (user === undefined && skill === undefined && outcome === undefined) return true
  const isWithoutCaller = fields['event'] === WITHOUT_CALLER
  if (fields['event'] !== 'call' && !(isWithoutCaller && outcome === REFUSED)) return false
  if (user !== undefined && fields['uid'] !== user) return false
  if (skill !== undefined && fields['skillId'] !== skill) return false
  if (outcome === undefined || isWithoutCaller) return true
  return fields['outcome'] === outcome || fields['code'] === outcome
}

function outcomePattern(outcome: string): string {
  const terms = [`$.outcome = ${quoted(outcome)}`, `$.code = ${quoted(outcome)}`]
  if (outcome === REFUSED) terms.push(`$.event = "${WITHOUT_CALLER}"`)
  return `(${terms.join(' || ')})`
}

/** Ids have neither quotes nor stars; others would mean something else in a pattern. */
function quoted(text: string): string {
  return JSON.stringify(text.replaceAll('*', ''))
}
