/**
 * Keys, tokens and logins that ended after the moment of a restore work again in the restored table,
 * and those that were limited have their earlier limits. This file finds them by comparing it with
 * the table in use, ends the former and limits the latter. It runs while the functions are stopped,
 * so no key is revoked in between, and before the restored table is used.
 */
import { ADMIN_KEYS_PK, AUTH_PK, LOGIN_PK } from '../../../adapters/dynamodb/table.ts'
import type { AwsAccount } from '../../aws/ask-service.ts'
import { askDynamo } from './control-plane.ts'
import { type Fields, toFields, toList } from './table-shape.ts'

export type EndedKey = {
  readonly pk: string
  readonly sk: string
  readonly uid: string | undefined
}

/** A key that is valid in both tables, with what it may do today. */
type LimitedKey = EndedKey & { readonly limits: Fields }

export type KeyChanges = {
  readonly ended: readonly EndedKey[]
  readonly limited: readonly LimitedKey[]
}

/** What a key may do: the members of its scope (core/access/key-scope.ts), the role of an admin key. */
const LIMITS = ['tools', 'maxCreditsPerCall', 'mayIssueKeys', 'role'] as const

/** A record that lets somebody in. */
const CREDENTIALS = {
  FilterExpression: 'begins_with(pk, :auth) OR begins_with(pk, :login) OR pk = :admin',
  ExpressionAttributeValues: {
    ':auth': { S: AUTH_PK },
    ':login': { S: LOGIN_PK },
    ':admin': { S: ADMIN_KEYS_PK },
  },
  ProjectionExpression: ['pk, sk, uid, endedAtMs', ...LIMITS.map((name) => `#${name}`)].join(', '),
  ExpressionAttributeNames: Object.fromEntries(LIMITS.map((name) => [`#${name}`, name])),
} as const

/** dynamodb:Scan on both tables. Calls `onPage` with the number of records that were read. */
export async function findKeyChanges(
  aws: AwsAccount,
  tables: { readonly inUse: string; readonly restored: string },
  onPage: (text: string) => void,
): Promise<KeyChanges> {
  const today = await readLiveKeys(aws, tables.inUse, onPage)
  const then = await readLiveKeys(aws, tables.restored, onPage)
  const ended: EndedKey[] = []
  const limited: LimitedKey[] = []
  for (const [id, { limits, ...key }] of then) {
    const now = today.get(id)
    if (now === undefined) ended.push(key)
    else if (JSON.stringify(now.limits) !== JSON.stringify(limits)) limited.push(now)
  }
  return { ended, limited }
}

/** dynamodb:UpdateItem on the restored table: each key may do what it may do today. */
export async function limitKeys(
  aws: AwsAccount,
  TableName: string,
  keys: readonly LimitedKey[],
): Promise<void> {
  for (const { limits, pk, sk } of keys) {
    const [given, gone] = [
      LIMITS.filter((name) => limits[name] !== undefined),
      LIMITS.filter((name) => limits[name] === undefined),
    ]
    const parts = [
      ...(given.length === 0
        ? []
        : [`SET ${given.map((name) => `#${name} = :${name}`).join(', ')}`]),
      ...(gone.length === 0 ? [] : [`REMOVE ${gone.map((name) => `#${name}`).join(', ')}`]),
    ]
    await askDynamo(aws, 'UpdateItem', {
      TableName,
      Key: { pk: { S: pk }, sk: { S: sk } },
      UpdateExpression: parts.join(' '),
      // The store may have removed an expired key since; the next run does not find it.
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: CREDENTIALS.ExpressionAttributeNames,
      ...(given.length === 0
        ? {}
        : {
            ExpressionAttributeValues: Object.fromEntries(
              given.map((name) => [`:${name}`, limits[name]]),
            ),
          }),
    })
  }
}

/** dynamodb:DeleteItem on the restored table. A list of a user's keys shows none without its record. */
export async function endKeys(
  aws: AwsAccount,
  TableName: string,
  keys: readonly EndedKey[],
): Promise<void> {
  for (const { pk, sk } of keys) {
    await askDynamo(aws, 'DeleteItem', { TableName, Key: { pk: { S: pk }, sk: { S: sk } } })
  }
}

/** Reads page after page; each has the next part of the table, so the last one comes. */
async function readLiveKeys(
  aws: AwsAccount,
  TableName: string,
  onPage: (text: string) => void,
): Promise<ReadonlyMap<string, LimitedKey>> {
  const live = new Map<string, LimitedKey>()
  let scanned = 0
  let from: unknown
  do {
    const page = await askDynamo(aws, 'Scan', {
      TableName,
      ...CREDENTIALS,
      ConsistentRead: true,
      ...(from === undefined ? {} : { ExclusiveStartKey: from }),
    })
    for (const item of toList(page['Items'])) {
      const key = readLiveKey(item)
      if (key !== undefined) live.set(JSON.stringify([key.pk, key.sk]), key)
    }
    scanned += Number(page['ScannedCount'] ?? 0)
    onPage(`${TableName}: ${scanned} records read`)
    from = page['LastEvaluatedKey']
  } while (from !== undefined)
  return live
}

/** Undefined for a record that lets nobody in: a token without a user, a login that has ended. */
function readLiveKey(item: Fields): LimitedKey | undefined {
  const text = (name: string) => {
    const { S } = toFields(item[name])
    return typeof S === 'string' ? S : undefined
  }
  const [pk = '', sk = '', uid] = [text('pk'), text('sk'), text('uid')]
  if (pk.startsWith(AUTH_PK) && uid === undefined) return undefined
  if (pk.startsWith(LOGIN_PK) && item['endedAtMs'] !== undefined) return undefined
  // In one order, so that equal limits are equal texts.
  const limits = Object.fromEntries(LIMITS.map((name) => [name, item[name]]))
  return { pk, sk, uid, limits }
}
