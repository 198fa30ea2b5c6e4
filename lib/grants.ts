/**
 * What a door's function may do to the tables: the union of what its port methods need, and nothing
 * else. By action name, one table, and the partition keys by which those records begin. Grants a
 * Scan only of named attributes, no `*`, nothing of Secrets Manager; of KMS one use of one key.
 * Bound by docs/security.md, What a stolen role can do.
 */
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import {
  type Permission,
  type PermittedAction,
  STORE_PERMISSIONS,
  STREAM_ACTIONS,
  type StorePermissions,
} from '../adapters/dynamodb/permissions.ts'
import { SECRET_CONTEXT_KEYS, SECRET_SEAL_PERMISSIONS } from '../adapters/kms/permissions.ts'
import { DOOR_USES, SEAL_USES, type Uses } from './door-uses.ts'
import type { Door } from './doors.ts'

export type TableStatement = Permission

/** Of a table, or of an import of one. */
export type GrantedTables = {
  readonly [table in Permission['table']]: { readonly tableArn: string }
}

const LEADING_KEYS = 'dynamodb:LeadingKeys'
const ATTRIBUTES = 'dynamodb:Attributes'
const SELECT = 'dynamodb:Select'

/**
 * IAM judges all keys of one request against one statement, so what an action may do stands in
 * one: a batch, or a transaction, that mixes records finds them together. Actions with the same keys
 * share a statement, unless an action is held to some attributes. What is allowed is exactly each action on each of its keys. (AWS's Service
 * Authorization Reference gives LeadingKeys to every PermittedAction, in transactions too; not to Scan.)
 */
export function statementsOf(uses: Uses, permissions: StorePermissions): readonly TableStatement[] {
  const byAction = new Map<string, Permission>()
  for (const { actions, ...permission } of permissionsOf(uses, permissions)) {
    for (const action of actions) {
      const apart = `${permission.table} ${action} ${permission.attributes ?? ''}`
      const before = byAction.get(apart)?.keyPrefixes ?? []
      const keyPrefixes = [...new Set([...before, ...permission.keyPrefixes])].sort()
      byAction.set(apart, { ...permission, actions: [action], keyPrefixes })
    }
  }
  const byKeys = Map.groupBy(byAction.values(), ({ table, keyPrefixes, attributes }) =>
    JSON.stringify([table, keyPrefixes, attributes]),
  )
  return [...byKeys.values()].flatMap((same) => {
    const [first] = same
    const actions = same.flatMap((one): readonly PermittedAction[] => one.actions).sort()
    return first === undefined ? [] : [{ ...first, actions }]
  })
}

export function grantDoor(door: Door, grantee: IGrantable, tables: GrantedTables): void {
  for (const permission of statementsOf(DOOR_USES[door], STORE_PERMISSIONS)) {
    const { table, actions } = permission
    Grant.addToPrincipal({
      grantee,
      actions: actions.map((action) => `dynamodb:${action}`),
      resourceArns: [tables[table].tableArn],
      conditions: actions.includes('Scan') ? scanLimits(permission) : keyLimits(permission),
    })
  }
}

function keyLimits({ attributes, keyPrefixes }: Permission) {
  return {
    'ForAllValues:StringLike': { [LEADING_KEYS]: keyPrefixes.map(patternOf) },
    ...(attributes === undefined
      ? {}
      : { 'ForAllValues:StringEquals': { [ATTRIBUTES]: [...attributes] } }),
    // ForAllValues holds for no values at all, too.
    Null: {
      [LEADING_KEYS]: 'false',
      ...(attributes === undefined ? {} : { [ATTRIBUTES]: 'false' }),
    },
  }
}

/** A scan names no keys: it sees all of them, and of what stands under them these attributes alone. */
function scanLimits({ attributes = [] }: Permission) {
  return {
    'ForAllValues:StringEquals': { [ATTRIBUTES]: [...attributes] },
    StringEquals: { [SELECT]: 'SPECIFIC_ATTRIBUTES' },
    Null: { [ATTRIBUTES]: 'false' },
  }
}

/** For the door that tails replies by the table's stream; records of a stream have no key to limit by. */
export function grantStreamTail(grantee: IGrantable, streamArn: string): void {
  Grant.addToPrincipal({
    grantee,
    actions: STREAM_ACTIONS.map((action) => `dynamodb:${action}`).sort(),
    resourceArns: [streamArn],
  })
}

/**
 * The key of users' secrets: admin may seal with it, execute may open, each only for a whole place
 * {uid, skillId, name} and with nothing beside it; other doors get nothing. Which user it is no policy
 * can know: the adapter takes the uid of the caller's own key.
 */
export function grantSecretsKey(
  door: Door,
  grantee: IGrantable,
  key: { readonly keyArn: string },
): void {
  const use = SEAL_USES[door]
  if (use === undefined) return
  const named = SECRET_CONTEXT_KEYS.map((name) => [`kms:EncryptionContext:${name}`, 'false'])
  Grant.addToPrincipal({
    grantee,
    actions: SECRET_SEAL_PERMISSIONS[use].map((action) => `kms:${action}`),
    resourceArns: [key.keyArn],
    conditions: {
      'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': [...SECRET_CONTEXT_KEYS] },
      Null: Object.fromEntries(named),
    },
  })
}

function patternOf(keyPrefix: string): string {
  return keyPrefix.endsWith(':') ? `${keyPrefix}*` : keyPrefix
}

type Declared = { readonly [port: string]: { readonly [method: string]: readonly Permission[] } }

function permissionsOf(uses: Uses, declared: Declared): readonly Permission[] {
  return Object.entries<readonly string[]>(uses).flatMap(([port, methods]) =>
    methods.flatMap((method) => {
      const permissions = declared[port]?.[method]
      if (permissions === undefined)
        throw new Error(`grants: ${port}.${method} says no permissions`)
      return permissions
    }),
  )
}
