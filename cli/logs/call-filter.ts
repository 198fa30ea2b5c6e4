/**
 * Selects the lines of a log that match `--user`, `--skill` and `--outcome`: as a pattern for
 * CloudWatch, and as a test for lines that are read here. Both select the same lines. Without a
 * filter all lines match.
 */
import type { Fields } from '../gateway/admin-client.ts'

/** The fields are `user`, `skill` and `outcome`. */
export type CallFilter = { readonly [name: string]: string | undefined }

/** The outcome of calls that were refused before their price was held. */
export const REFUSED = 'refused'

/** The event of calls without a known caller, whose lines have only an id and a code. */
const EVENT_WITHOUT_CALLER = 'call-refused'

/** Returns the filter in CloudWatch's syntax for JSON lines. */
export function toPattern({ outcome, skill, user }: CallFilter): string {
  const terms = [
    ...(user === undefined ? [] : [`$.uid = ${quote(user)}`]),
    ...(skill === undefined ? [] : [`$.skillId = ${quote(skill)}`]),
    ...(outcome === undefined ? [] : [toOutcomePattern(outcome)]),
  ]
  if (terms.length === 0) return '{ $.event = "*" }'
  const calls =
    outcome === REFUSED
      ? `($.event = "call" || $.event = "${EVENT_WITHOUT_CALLER}")`
      : '$.event = "call"'
  return `{ ${calls} && ${terms.join(' && ')} }`
}

/** Tells whether one line matches the filter. */
export function matchesFilter({ outcome, skill, user }: CallFilter, fields: Fields): boolean {
  if (user === undefined && skill === undefined && outcome === undefined) return true
  const isWithoutCaller = fields['event'] === EVENT_WITHOUT_CALLER
  if (fields['event'] !== 'call' && !(isWithoutCaller && outcome === REFUSED)) return false
  if (user !== undefined && fields['uid'] !== user) return false
  if (skill !== undefined && fields['skillId'] !== skill) return false
  if (outcome === undefined || isWithoutCaller) return true
  return fields['outcome'] === outcome || fields['code'] === outcome
}

function toOutcomePattern(outcome: string): string {
  const terms = [`$.outcome = ${quote(outcome)}`, `$.code = ${quote(outcome)}`]
  if (outcome === REFUSED) terms.push(`$.event = "${EVENT_WITHOUT_CALLER}"`)
  return `(${terms.join(' || ')})`
}

/** Quotes a value. Stars are removed, because they are wildcards in a pattern; ids have none. */
function quote(text: string): string {
  return JSON.stringify(text.replaceAll('*', ''))
}
