/**
 * Parses what administrators send about users and reports all field errors at once, each with its
 * pointer. The admin door has compared the body with its schema before
 * (lambdas/admin/read-request.ts). Callers that bypass the door meet the same rules here, and one
 * that no schema can state: amounts are exact.
 */
import {
  IDENTIFIER_RULE,
  IDENTITY_RULE,
  isIdentifier,
  isIdentity,
  isUsername,
  USERNAME_RULE,
} from '../../access/user-names.ts'
import { isReason, REASON_RULE } from '../../access/user-state.ts'
import { type FieldError, ok, type Result, refuse } from '../../errors.ts'
import { readBodyFields, refuseBody } from '../../json/body-fields.ts'
import { withHiddenText } from '../../json/hidden-text.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import { parseCredits } from '../../ledger/amount.ts'
import type { BudgetChange } from '../../ledger/budget.ts'
import type { MicroCredits } from '../../ledger/ledger.ts'
import { readGroups, USER_GROUPS_MAX } from '../../skills/group-names.ts'
import { isToolListKind, type ToolListKind } from '../../skills/tool-list-kind.ts'
import { readBudget } from './budget-view.ts'

export type NewUser = {
  username: string
  uid: string | undefined
  tier: string
  credits: MicroCredits
  identity: string | undefined
  groups: readonly string[]
}

/** Parses the body of a new user. */
export function readNewUser(body: Json): Result<NewUser> {
  const fields = readBodyFields(body, ['username', 'uid', 'tier', 'credits', 'identity', 'groups'])
  if (!fields.ok) return fields
  const { username, uid, tier = 'free', credits = 0, identity } = fields.value
  const faults: FieldError[] = []
  if (!isUsername(username)) {
    faults.push({ pointer: '/username', message: withHiddenText(USERNAME_RULE, username) })
  }
  if (uid !== undefined && !isIdentifier(uid))
    faults.push({ pointer: '/uid', message: IDENTIFIER_RULE })
  if (!isIdentifier(tier)) faults.push({ pointer: '/tier', message: IDENTIFIER_RULE })
  if (identity !== undefined && !isIdentity(identity))
    faults.push({ pointer: '/identity', message: withHiddenText(IDENTITY_RULE, identity) })
  const amount = readCredits(credits, '/credits', faults)
  const groups = readUserGroups(fields.value, faults)
  if (faults.length > 0 || !isUsername(username) || !isIdentifier(tier)) return refuseBody(faults)
  return ok({
    username,
    uid: isIdentifier(uid) ? uid : undefined,
    tier,
    credits: amount,
    identity: isIdentity(identity) ? identity : undefined,
    groups: groups ?? [],
  })
}

/** `reason` belongs to a user who is to be disabled. */
export type UserPatch = {
  readonly username?: string
  readonly tier?: string
  readonly identity?: string | null
  /** All groups of the user; an empty list removes the user from every group. */
  readonly groups?: readonly string[]
  /** Changes of the groups that the user has at the write; not with `groups`. */
  readonly addGroups?: { readonly groups: readonly string[]; readonly max: number }
  readonly removeGroups?: readonly string[]
  readonly state?: { readonly active: true } | { readonly active: false; readonly reason: string }
  readonly budget?: BudgetChange
  readonly lowBalanceAt?: MicroCredits | null
  /** Null for the list of the stage. */
  readonly list?: ToolListKind | null
}

/** The rule of the field `list`. */
export const LIST_RULE = 'must be all or search, or null for the list of the stage'

const PATCH_FIELDS = [
  'username',
  'tier',
  'identity',
  'state',
  'reason',
  'groups',
  'addGroups',
  'removeGroups',
  'monthlyBudget',
  'lowBalance',
  'list',
]

/** Parses the changes of a user, including the budget but not credits. */
export function readUserPatch(body: Json, nowMs: number): Result<UserPatch> {
  const fields = readBodyFields(body, PATCH_FIELDS)
  if (!fields.ok) return fields
  const { username, tier, identity } = fields.value
  if (Object.keys(fields.value).length === 0) {
    return refuse(
      'malformed',
      'body: changes nothing. Send username, tier, identity, groups, addGroups, removeGroups, state, monthlyBudget, lowBalance or list.',
    )
  }
  const rules = [
    { fits: username === undefined || isUsername(username), at: 'username', rule: USERNAME_RULE },
    { fits: tier === undefined || isIdentifier(tier), at: 'tier', rule: IDENTIFIER_RULE },
    { fits: mayBeIdentity(identity), at: 'identity', rule: `${IDENTITY_RULE}, or null` },
  ]
  const faults: FieldError[] = rules.flatMap(({ at, fits, rule }) =>
    fits ? [] : [{ pointer: `/${at}`, message: withHiddenText(rule, fields.value[at]) }],
  )
  const state = readState(fields.value, faults)
  const limits = readLimits(fields.value, nowMs, faults)
  const groups = readGroupChange(fields.value, faults)
  const list = readList(fields.value, faults)
  if (faults.length > 0) return refuseBody(faults)
  return ok({
    ...(isUsername(username) ? { username } : {}),
    ...(isIdentifier(tier) ? { tier } : {}),
    ...(isIdentity(identity) || identity === null ? { identity } : {}),
    ...(state === undefined ? {} : { state }),
    ...groups,
    ...list,
    ...limits,
  })
}

function readLimits(
  { lowBalance, monthlyBudget }: JsonObject,
  nowMs: number,
  faults: FieldError[],
): Pick<UserPatch, 'budget' | 'lowBalanceAt'> {
  const budget = readMonthlyBudget(monthlyBudget, nowMs, faults)
  const isAmount = lowBalance !== undefined && lowBalance !== null
  const lowBalanceAt = isAmount ? readCredits(lowBalance, '/lowBalance', faults) : lowBalance
  return {
    ...(budget === undefined ? {} : { budget }),
    ...(lowBalanceAt === undefined ? {} : { lowBalanceAt }),
  }
}

function readMonthlyBudget(
  value: Json | undefined,
  nowMs: number,
  faults: FieldError[],
): BudgetChange | undefined {
  const read = value === undefined ? undefined : readBudget(value, nowMs)
  if (read?.ok === false) faults.push({ pointer: '/monthlyBudget', message: read.error })
  return read?.ok === true ? read.value : undefined
}

/**
 * All groups, or groups to add and to remove. A request with both, or with one group in both lists,
 * does not say what the user has afterwards.
 */
function readGroupChange(
  fields: JsonObject,
  faults: FieldError[],
): Pick<UserPatch, 'addGroups' | 'groups' | 'removeGroups'> {
  const groups = readUserGroups(fields, faults)
  const addGroups = readUserGroups(fields, faults, 'addGroups')
  const removeGroups = readUserGroups(fields, faults, 'removeGroups')
  if (groups !== undefined && (addGroups ?? removeGroups) !== undefined) {
    const message = 'cannot be sent with addGroups or removeGroups; send the whole list or a change'
    faults.push({ pointer: '/groups', message })
  }
  const inBoth = removeGroups?.find((group) => addGroups?.includes(group))
  if (inBoth !== undefined) {
    faults.push({ pointer: '/removeGroups', message: `names ${inBoth}, as addGroups does` })
  }
  return {
    ...(groups === undefined ? {} : { groups }),
    ...(addGroups === undefined ? {} : { addGroups: { groups: addGroups, max: USER_GROUPS_MAX } }),
    ...(removeGroups === undefined ? {} : { removeGroups }),
  }
}

function readUserGroups(
  fields: JsonObject,
  faults: FieldError[],
  name: 'addGroups' | 'groups' | 'removeGroups' = 'groups',
): readonly string[] | undefined {
  const sent = fields[name]
  if (sent === undefined) return undefined
  const read = readGroups(sent, { at: `/${name}`, max: USER_GROUPS_MAX })
  faults.push(...read.faults)
  return read.groups
}

function readList({ list }: JsonObject, faults: FieldError[]): Pick<UserPatch, 'list'> {
  if (list === undefined) return {}
  if (list === null || isToolListKind(list)) return { list }
  faults.push({ pointer: '/list', message: withHiddenText(LIST_RULE, list) })
  return {}
}

function mayBeIdentity(value: Json | undefined): boolean {
  return value === undefined || value === null || isIdentity(value)
}

/** A disabled user sees the reason, so it is required then. An active user has none. */
function readState({ reason, state }: JsonObject, faults: FieldError[]): UserPatch['state'] {
  if (state === 'disabled') {
    if (isReason(reason)) return { active: false, reason }
    faults.push({
      pointer: '/reason',
      message: withHiddenText(`${REASON_RULE}; a disabled user is told it`, reason),
    })
    return undefined
  }
  if (reason !== undefined) {
    faults.push({ pointer: '/reason', message: 'goes with {"state":"disabled"} alone' })
  }
  if (state === 'active') return { active: true }
  if (state !== undefined) {
    faults.push({ pointer: '/state', message: 'must be active or disabled' })
  }
  return undefined
}

function readCredits(value: Json, pointer: string, faults: FieldError[]): MicroCredits {
  if (typeof value !== 'number' && typeof value !== 'string') {
    faults.push({ pointer, message: 'must be a number of credits, such as 2.5' })
    return 0
  }
  const parsed = parseCredits(value)
  if (parsed.ok) return parsed.value
  faults.push({ pointer, message: parsed.error })
  return 0
}
