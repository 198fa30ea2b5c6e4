/**
 * Parses the limits of an API key from the body that an administrator sends. A refusal names all
 * wrong fields of the body at once. Bound by docs/service.md, Scopes of keys.
 */
import { KEY_GLOB_PATTERN, type ScopeChange } from '../../access/key-scope.ts'
import { KEY_GLOB_CHARS_MAX, KEY_GLOBS_MAX } from '../../access/limits.ts'
import { err, type FieldError, ok, type Result } from '../../errors.ts'
import { readBodyFields, refuseBody } from '../../json/body-fields.ts'
import type { Json } from '../../json/json.ts'
import { parseCredits } from '../../ledger/amount.ts'
import type { MicroCredits } from '../../ledger/ledger.ts'
import type { KeyLimitsChange } from '../../ports/users.ts'
import { readBudget } from './budget-view.ts'
import { readCallsPerDay } from './key-day-view.ts'

/** The limits of a key. */
export const LIMIT_FIELDS = ['tools', 'maxCreditsPerCall', 'monthlyBudget', 'callsPerDay'] as const
/** What administrators may send. */
export const KEY_FIELDS = [...LIMIT_FIELDS, 'mayIssueKeys'] as const

export type KeyChange = {
  /** Undefined if the body changes no member of the scope. */
  readonly scope: ScopeChange | undefined
  /** The limits that the user's profile counts. Undefined if the body changes none. */
  readonly limits: KeyLimitsChange | undefined
}

/**
 * Parses the body. Every field is optional, and null removes a limit. Refuses fields that are not
 * in `known`.
 */
export function readKeyChange(
  body: Json,
  nowMs: number,
  known: readonly (typeof KEY_FIELDS)[number][] = KEY_FIELDS,
): Result<KeyChange> {
  const fields = readBodyFields(body, known)
  if (!fields.ok) return fields
  const { callsPerDay, maxCreditsPerCall, mayIssueKeys, monthlyBudget, tools } = fields.value
  const faults: FieldError[] = []
  const read = <T>(
    name: string,
    value: Json | undefined,
    parse: (sent: Json) => Result<T, string>,
  ) => {
    if (value === undefined) return undefined
    const parsed = parse(value)
    if (parsed.ok) return parsed.value
    faults.push({ pointer: `/${name}`, message: parsed.error })
    return undefined
  }
  const sentTools = read('tools', tools, readGlobs)
  const sentMost = read('maxCreditsPerCall', maxCreditsPerCall, readPrice)
  const budget = read('monthlyBudget', monthlyBudget, (sent) => readBudget(sent, nowMs))
  const day = read('callsPerDay', callsPerDay, (sent) => readCallsPerDay(sent, nowMs))
  const issues = read('mayIssueKeys', mayIssueKeys, readYesOrNo)
  if (faults.length > 0) return refuseBody(faults)
  const scope: ScopeChange = {
    ...(sentTools === undefined ? {} : { tools: sentTools }),
    ...(sentMost === undefined ? {} : { maxCreditsPerCall: sentMost }),
    ...(issues === undefined ? {} : { mayIssueKeys: issues }),
  }
  return ok({
    scope: Object.keys(scope).length === 0 ? undefined : scope,
    limits: budget === undefined && day === undefined ? undefined : { budget, day },
  })
}

function readGlobs(value: Json): Result<readonly string[] | null, string> {
  if (value === null) return ok(null)
  if (!Array.isArray(value)) return err(GLOBS_RULE)
  if (value.length > KEY_GLOBS_MAX) return err(`has ${value.length} globs; ${GLOBS_RULE}`)
  const wrong = value.findIndex((glob) => !isGlob(glob))
  if (wrong !== -1) return err(`entry ${wrong + 1}: ${GLOB_RULE}`)
  return ok([...new Set(value.filter(isGlob))])
}

function isGlob(value: Json): value is string {
  return typeof value === 'string' && KEY_GLOB.test(value)
}

const KEY_GLOB = new RegExp(KEY_GLOB_PATTERN)

export const GLOB_RULE = `must be 1 to ${KEY_GLOB_CHARS_MAX} characters of A-Z, a-z, 0-9, _, - and *, such as sg_* or sg_weather`
export const GLOBS_RULE = `must be a list of at most ${KEY_GLOBS_MAX} globs over tool names, such as ["sg_*"], or null for every tool`

function readYesOrNo(value: Json): Result<boolean, string> {
  return typeof value === 'boolean' ? ok(value) : err('must be true or false')
}

function readPrice(value: Json): Result<MicroCredits | null, string> {
  if (value === null) return ok(null)
  if (typeof value !== 'number' && typeof value !== 'string') {
    return err('must be a number of credits, such as 2.5, or null for no limit')
  }
  return parseCredits(value)
}
