/**
 * Grants a function its permissions. Table permissions are the union of what its port methods need,
 * by action, table and partition key prefix. A Scan is granted on named attributes only. There is
 * no `*`; of Secrets Manager, the secrets that are named for the function; of KMS, one action on one
 * key; of S3, objects below prefixes of one bucket; of STS, the roles that the stage lists. Bound by
 * docs/security.md, What a stolen role can do.
 */
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import {
  ARCHIVE_MERGE_PERMISSION,
  ARCHIVE_PUT_PERMISSION,
  KEPT_RESULTS_PERMISSION,
} from '../adapters/archive/permissions.ts'
import {
  type Permission,
  type PermittedAction,
  STORE_PERMISSIONS,
  STREAM_ACTIONS,
  type StorePermissions,
} from '../adapters/dynamodb/permissions.ts'
import {
  SECRET_CONTEXT_KEYS,
  SECRET_SEAL_PERMISSIONS,
  SHARED_OWNER,
  SHARED_SECRET_CONTEXT_KEYS,
} from '../adapters/kms/permissions.ts'
import { ARCHIVE_WRITER, DOOR_USES, RESULT_KEEPERS, SEAL_USES, type Uses } from './door-uses.ts'
import type { Door } from './doors.ts'
import type { Stage } from './stage.ts'

export type TableStatement = Permission

/** The tables by name: a table of a stack, or an import of one. */
export type GrantedTables = {
  readonly [table in Permission['table']]: { readonly tableArn: string }
}

const LEADING_KEYS = 'dynamodb:LeadingKeys'
const ATTRIBUTES = 'dynamodb:Attributes'
const SELECT = 'dynamodb:Select'
const RETURN_VALUES = 'dynamodb:ReturnValues'

/**
 * Joins permissions into statements. IAM checks all keys of one request against a single statement,
 * so all key prefixes of an action must be in one statement, or a batch or transaction that mixes
 * records would be denied. Actions with the same keys share a statement, unless one is limited to
 * some attributes. (AWS's Service Authorization Reference gives LeadingKeys to every
 * PermittedAction, in transactions too, but not to Scan.)
 */
export function toStatements(uses: Uses, permissions: StorePermissions): readonly TableStatement[] {
  const byAction = new Map<string, Permission>()
  for (const { actions, ...permission } of listPermissions(uses, permissions)) {
    for (const action of actions) {
      const group = `${permission.table} ${action} ${permission.attributes ?? ''}`
      const before = byAction.get(group)?.keyPrefixes ?? []
      const keyPrefixes = withoutCovered([...before, ...permission.keyPrefixes])
      byAction.set(group, { ...permission, actions: [action], keyPrefixes })
    }
  }
  const all = [...byAction.values()]
  const byKeys = Map.groupBy(
    all.filter((one) => !isCovered(one, all)),
    ({ table, keyPrefixes, attributes }) => JSON.stringify([table, keyPrefixes, attributes]),
  )
  return [...byKeys.values()].flatMap((same) => {
    const [first] = same
    const actions = same.flatMap((one): readonly PermittedAction[] => one.actions).sort()
    return first === undefined ? [] : [{ ...first, actions }]
  })
}

/** Whether another permission allows the same without naming attributes. A scan always names them. */
function isCovered(
  { actions, attributes, keyPrefixes, table }: Permission,
  all: readonly Permission[],
) {
  if (attributes === undefined || keyPrefixes.length === 0) return false
  const whole = all.find(
    (one) => one.attributes === undefined && one.table === table && one.actions[0] === actions[0],
  )
  return keyPrefixes.every((prefix) => whole?.keyPrefixes.includes(prefix) === true)
}

/** Each prefix once, in order, and none that begins with another one: its pattern adds nothing. */
function withoutCovered(prefixes: readonly string[]): readonly string[] {
  const covers = (wide: string, narrow: string) =>
    wide !== narrow && wide.endsWith(':') && narrow.startsWith(wide)
  return [...new Set(prefixes)]
    .filter((narrow) => !prefixes.some((wide) => covers(wide, narrow)))
    .sort()
}

/** Grants a function its table permissions. */
export function grantDoor(door: Door, grantee: IGrantable, tables: GrantedTables): void {
  for (const permission of toStatements(DOOR_USES[door], STORE_PERMISSIONS)) {
    const { table, actions } = permission
    Grant.addToPrincipal({
      grantee,
      actions: actions.map((action) => `dynamodb:${action}`),
      resourceArns: [tables[table].tableArn],
      conditions: actions.includes('Scan')
        ? toScanConditions(permission)
        : toKeyConditions(permission),
    })
  }
}

function toKeyConditions({ attributes, keyPrefixes }: Permission) {
  return {
    'ForAllValues:StringLike': { [LEADING_KEYS]: keyPrefixes.map(toPattern) },
    ...(attributes === undefined
      ? {}
      : {
          'ForAllValues:StringEquals': { [ATTRIBUTES]: [...attributes] },
          // An update can return the whole item, which names no attribute.
          StringEquals: { [RETURN_VALUES]: 'NONE' },
        }),
    // ForAllValues is also true for an empty set, so this condition is needed.
    Null: {
      [LEADING_KEYS]: 'false',
      ...(attributes === undefined ? {} : { [ATTRIBUTES]: 'false' }),
    },
  }
}

/** Limits a scan. A scan has no key, so it reads all records, but only these attributes. */
function toScanConditions({ attributes = [] }: Permission) {
  return {
    'ForAllValues:StringEquals': { [ATTRIBUTES]: [...attributes] },
    StringEquals: { [SELECT]: 'SPECIFIC_ATTRIBUTES' },
    Null: { [ATTRIBUTES]: 'false' },
  }
}

/**
 * Grants reading a table's stream to the function that tails replies; its records have no key to
 * limit by.
 */
export function grantStreamTail(grantee: IGrantable, streamArn: string): void {
  Grant.addToPrincipal({
    grantee,
    actions: STREAM_ACTIONS.map((action) => `dynamodb:${action}`).sort(),
    resourceArns: [streamArn],
  })
}

/**
 * Grants use of the key of users' secrets: admin may seal with it, the functions that make calls may
 * open all and seal those of users, each only with the exact context {uid, skillId, name, binding}, or with the gateway as owner instead
 * of the uid. Other functions get nothing. No policy can know the user: the adapter takes the uid
 * from the caller's own key.
 */
export function grantSecretsKey(
  door: Door,
  grantee: IGrantable,
  key: { readonly keyArn: string },
): void {
  const uses = SEAL_USES[door]
  if (uses === undefined) return
  const granted = [
    { of: uses.ofUsers, conditions: toContextConditions(SECRET_CONTEXT_KEYS) },
    {
      of: uses.shared,
      conditions: toContextConditions(SHARED_SECRET_CONTEXT_KEYS, { owner: SHARED_OWNER }),
    },
  ]
  for (const { conditions, of } of granted) {
    Grant.addToPrincipal({
      grantee,
      actions: of.flatMap((use) => SECRET_SEAL_PERMISSIONS[use]).map((action) => `kms:${action}`),
      resourceArns: [key.keyArn],
      conditions,
    })
  }
}

/**
 * Lets the one function that archives put objects of its names, and merge those of the ledger. Lets
 * the functions that make calls put and get results of calls. No function can delete for good: the
 * bucket keeps versions, and no role may delete one.
 */
export function grantArchive(
  door: Door,
  grantee: IGrantable,
  bucket: { readonly bucketArn: string; arnForObjects(pattern: string): string },
): void {
  for (const { actions, keyPrefixes } of listArchivePermissions(door)) {
    Grant.addToPrincipal({
      grantee,
      actions: actions.map((action) => `s3:${action}`),
      resourceArns: keyPrefixes.map((prefix) => bucket.arnForObjects(`${prefix}*`)),
    })
  }
  if (door !== ARCHIVE_WRITER) return
  const prefixes = ARCHIVE_MERGE_PERMISSION.keyPrefixes.map((prefix) => `${prefix}*`)
  Grant.addToPrincipal({
    grantee,
    actions: ['s3:ListBucket'],
    resourceArns: [bucket.bucketArn],
    conditions: { StringLike: { 's3:prefix': prefixes } },
  })
}

/** The functions that call upstreams. */
export const CALL_DOORS: readonly Door[] = ['mcp', 'messages', 'execute']

/**
 * Lets the functions that call upstreams assume the roles that the stage lists for skills, and no
 * other. The trust policy of a role must allow the same.
 */
export function grantSkillRoles(
  door: Door,
  grantee: IGrantable,
  { signedAccess }: Pick<Stage, 'signedAccess'>,
): void {
  const resourceArns = signedAccess.filter((entry) => entry.startsWith('arn:'))
  if (!CALL_DOORS.includes(door) || resourceArns.length === 0) return
  Grant.addToPrincipal({ grantee, actions: ['sts:AssumeRole'], resourceArns })
}

function listArchivePermissions(door: Door) {
  if (door === ARCHIVE_WRITER) return [ARCHIVE_PUT_PERMISSION, ARCHIVE_MERGE_PERMISSION]
  return RESULT_KEEPERS.includes(door) ? [KEPT_RESULTS_PERMISSION] : []
}

/** The functions that ask issuers about tokens of agents. */
const AGENT_DOORS: readonly Door[] = ['sse', 'mcp', 'execute']

/**
 * Returns the names or ARNs of the secrets by which a function asks issuers about opaque tokens;
 * none if it asks no issuer.
 */
export function findIssuerSecrets(
  door: Door,
  { issuers }: Pick<Stage, 'issuers'>,
): readonly string[] {
  const asked = issuers.filter(({ admin }) =>
    door === 'admin' ? admin !== undefined : AGENT_DOORS.includes(door),
  )
  const ids = asked.flatMap(({ introspection }) => introspection?.clientSecret ?? [])
  return [...new Set(ids)]
}

const CONTEXT_PREFIX = 'kms:EncryptionContext:'

/**
 * Returns conditions that require exactly these names in the context: none is missing, and there is
 * no other. A name with a value is never missing, because its value is required.
 */
function toContextConditions(
  names: readonly string[],
  values: { readonly [name: string]: string } = {},
) {
  const needed = names.filter((name) => !Object.hasOwn(values, name))
  const equal = Object.entries(values).map(([name, value]) => [`${CONTEXT_PREFIX}${name}`, value])
  return {
    'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': [...names] },
    ...(equal.length === 0 ? {} : { StringEquals: Object.fromEntries(equal) }),
    Null: Object.fromEntries(needed.map((name) => [`${CONTEXT_PREFIX}${name}`, 'false'])),
  }
}

function toPattern(keyPrefix: string): string {
  return keyPrefix.endsWith(':') ? `${keyPrefix}*` : keyPrefix
}

type PortPermissions = {
  readonly [port: string]: { readonly [method: string]: readonly Permission[] }
}

function listPermissions(uses: Uses, declared: PortPermissions): readonly Permission[] {
  return Object.entries<readonly string[]>(uses).flatMap(([port, methods]) =>
    methods.flatMap((method) => {
      const permissions = declared[port]?.[method]
      if (permissions === undefined)
        throw new Error(`grants: ${port}.${method} says no permissions`)
      return permissions
    }),
  )
}
