/**
 * Keys, tokens and logins that ended after the moment of a restore work again in the restored table.
 * This file finds them by comparing it with the table in use, and ends them. It runs while the
 * functions are stopped, so no key is revoked in between, and before the restored table is used.
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

/** A record that lets somebody in. */
const CREDENTIALS = {
  FilterExpression: 'begins_with(pk, :auth) OR begins_with(pk, :login) OR pk = :admin',
  ExpressionAttributeValues: {
    ':auth': { S: AUTH_PK },
    ':login': { S: LOGIN_PK },
    ':admin': { S: ADMIN_KEYS_PK },
  },
  ProjectionExpression: 'pk, sk, uid, endedAtMs',
} as const

/** dynamodb:Scan on both tables. Calls `onPage` with the number of records that were read. */
export async function findEndedKeys(
  aws: AwsAccount,
  tables: { readonly inUse: string; readonly restored: string },
  onPage: (text: string) => void,
): Promise<readonly EndedKey[]> {
  const today = await readLiveKeys(aws, tables.inUse, onPage)
  const then = await readLiveKeys(aws, tables.restored, onPage)
  return [...then].flatMap(([id, key]) => (today.has(id) ? [] : [key]))
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
): Promise<ReadonlyMap<string, EndedKey>> {
  const live = new Map<string, EndedKey>()
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
function readLiveKey(item: Fields): EndedKey | undefined {
  const text = (name: string) => {
    const { S } = toFields(item[name])
    return typeof S === 'string' ? S : undefined
  }
  const [pk = '', sk = '', uid] = [text('pk'), text('sk'), text('uid')]
  if (pk.startsWith(AUTH_PK) && uid === undefined) return undefined
  if (pk.startsWith(LOGIN_PK) && item['endedAtMs'] !== undefined) return undefined
  return { pk, sk, uid }
}
