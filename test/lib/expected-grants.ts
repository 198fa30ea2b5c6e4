/**
 * The table permissions that a function's role must have and those that a template gives it, per
 * table and action all keys, in order. Made from uses and permissions by itself, not by
 * lib/grants.ts. Reads a template strictly: a statement of another shape than ours is an error, not
 * a grant.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Permission, STORE_PERMISSIONS } from '../../adapters/dynamodb/permissions.ts'
import { DOOR_USES } from '../../lib/door-uses.ts'
import type { Door } from '../../lib/doors.ts'

export type TableGrant = {
  readonly table: Permission['table']
  /** `dynamodb:GetItem`. */
  readonly action: string
  /** Patterns of `dynamodb:LeadingKeys`. */
  readonly keys: readonly string[]
  /** Values of `dynamodb:Attributes`, where the statement has that condition. */
  readonly attributes?: readonly string[]
}

/** The records whose keys a scan may see. */
const EVERY_KEY = '*'
export const SCAN = 'dynamodb:Scan'

type DeclaredPermissions = {
  readonly [port: string]: { readonly [method: string]: readonly Permission[] }
}

export function expectedStatements(door: Door): readonly TableGrant[] {
  const declared: DeclaredPermissions = STORE_PERMISSIONS
  const pairs = Object.entries<readonly string[]>(DOOR_USES[door])
    .flatMap(([port, methods]) => methods.flatMap((method) => declared[port]?.[method] ?? []))
    .flatMap(({ table, actions, keyPrefixes, attributes }) =>
      actions.flatMap((action) =>
        (action === 'Scan' ? [EVERY_KEY] : keyPrefixes).map((key) => {
          return { table, action: `dynamodb:${action}`, key, attributes }
        }),
      ),
    )
  const groups = Map.groupBy(
    pairs,
    ({ table, action, attributes }) => `${table} ${action} ${attributes ?? ''}`,
  )
  // Who may write whole records needs no statement for some of their attributes.
  const isWhole = (one: (typeof pairs)[number]) =>
    pairs.some(
      ({ table, action, key, attributes }) =>
        attributes === undefined && table === one.table && action === one.action && key === one.key,
    )
  const needed = [...groups.values()].filter(
    ([first, ...rest]) =>
      first?.attributes === undefined || ![first, ...rest].every((one) => isWhole(one)),
  )
  return inOrder(
    needed.flatMap((group) => {
      const all = group.map(({ key }) => (key.endsWith(':') ? `${key}*` : key))
      // A pattern within another one would add nothing.
      const within = (key: string) =>
        all.some((one) => one !== key && one.endsWith('*') && key.startsWith(one.slice(0, -1)))
      const keys = all.filter((key) => !within(key))
      return group.slice(0, 1).map(({ table, action, attributes }) => ({
        table,
        action,
        keys,
        ...(attributes === undefined ? {} : { attributes }),
      }))
    }),
  )
}

export type Statement = { readonly [field: string]: unknown }

/**
 * Everything that a role may do, whatever the service: its own policies and those attached to it.
 */
export function statementsOfRole(template: unknown, roleId: string): readonly Statement[] {
  return Object.entries(objectAt(template, 'Resources')).flatMap(([id, resource]) => {
    const properties = objectAt(resource, 'Properties')
    if (id === roleId) {
      if (listOf(properties['ManagedPolicyArns']).length > 0) {
        throw new Error(`${id}: has managed policies, which this template does not show`)
      }
      return listOf(properties['Policies']).flatMap((policy) => statementsIn(policy))
    }
    const isAttached = listOf(properties['Roles']).some((role) => at(role, 'Ref') === roleId)
    return isAttached ? statementsIn(properties) : []
  })
}

/** Those about tables; `tables`: each one's ARN as this template writes it (`stack.resolve`). */
export function tableGrants(
  statements: readonly Statement[],
  tables: { readonly [table in Permission['table']]: unknown },
): readonly TableGrant[] {
  const about = statements.filter((one) => mayBeDynamo(one) && !isOfStream(one))
  return inOrder(
    about.flatMap((statement) => {
      const table = (['gateway', 'sessions'] as const).find((name) =>
        isDeepStrictEqual(tables[name], statement['Resource']),
      )
      const actions = actionsOf(statement)
      const isOurs =
        statement['Effect'] === 'Allow' &&
        actions.length > 0 &&
        actions.every((action) => /^dynamodb:[A-Za-z]+$/.test(action) && !STREAM.includes(action))
      if (!isOurs || table === undefined) return misfit(statement)
      const limits = limitsOf(statement)
      return actions.map((action) => ({ table, action, ...limits }))
    }),
  )
}

/** Those of the tail by the stream, as they stand. */
export function streamGrants(statements: readonly Statement[]): readonly Statement[] {
  return statements.filter(isOfStream)
}

const STREAM = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(
  (one) => `dynamodb:${one}`,
)

/** By name, by a pattern, or by naming what it is not. */
function mayBeDynamo(statement: Statement): boolean {
  const actions = actionsOf(statement)
  return actions.length === 0 || actions.some((action) => /^(dynamodb:|[^:]*\*)/.test(action))
}

function isOfStream(statement: Statement): boolean {
  const actions = actionsOf(statement)
  return actions.length > 0 && actions.every((action) => STREAM.includes(action))
}

function actionsOf(statement: Statement): readonly string[] {
  return statement['Action'] === undefined ? [] : textsOf(statement['Action'])
}

function statementsIn(policy: unknown): readonly Statement[] {
  return listOf(at(at(policy, 'PolicyDocument'), 'Statement'))
}

/**
 * Of exactly the conditions that go together: all keys (and attributes) are these, and there are
 * some.
 */
function limitsOf(statement: Statement): Pick<TableGrant, 'keys' | 'attributes'> {
  const condition = objectAt(statement, 'Condition')
  if (isDeepStrictEqual(actionsOf(statement), [SCAN])) return scanLimitsOf(statement, condition)
  const keys = at(condition['ForAllValues:StringLike'], 'dynamodb:LeadingKeys')
  const attributes = at(condition['ForAllValues:StringEquals'], 'dynamodb:Attributes')
  const isHeld = attributes !== undefined
  const wanted = {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
    ...(isHeld
      ? {
          'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes },
          StringEquals: { 'dynamodb:ReturnValues': 'NONE' },
        }
      : {}),
    Null: {
      'dynamodb:LeadingKeys': 'false',
      ...(isHeld ? { 'dynamodb:Attributes': 'false' } : {}),
    },
  }
  if (keys === undefined || !isDeepStrictEqual(condition, wanted)) return misfit(statement)
  return { keys: textsOf(keys), ...(isHeld ? { attributes: textsOf(attributes) } : {}) }
}

/** A scan names no keys; it must name attributes, and ask for no others. */
function scanLimitsOf(
  statement: Statement,
  condition: Statement,
): Pick<TableGrant, 'keys' | 'attributes'> {
  const attributes = at(condition['ForAllValues:StringEquals'], 'dynamodb:Attributes')
  const wanted = {
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes },
    StringEquals: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
    Null: { 'dynamodb:Attributes': 'false' },
  }
  if (attributes === undefined || !isDeepStrictEqual(condition, wanted)) return misfit(statement)
  return { keys: [EVERY_KEY], attributes: textsOf(attributes) }
}

function inOrder(grants: readonly TableGrant[]): readonly TableGrant[] {
  return grants
    .map((grant) => ({ ...grant, keys: [...new Set(grant.keys)].sort() }))
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
}

function sortKey({ table, action, attributes }: TableGrant): string {
  return `${table} ${action} ${attributes ?? ''}`
}

function misfit(statement: Statement): never {
  throw new Error(`statements are not as grants.ts makes them: ${JSON.stringify(statement)}`)
}

function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function objectAt(value: unknown, name: string): Statement {
  const found = at(value, name)
  return typeof found === 'object' && found !== null ? { ...found } : {}
}

function listOf(value: unknown): readonly Statement[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value]
  return list.map((one) => (typeof one === 'object' && one !== null ? { ...one } : {}))
}

function textsOf(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.map(String)
}
