/**
 * The port UserDirectory over users:{facet}, a partition in the order of names. It reads entries,
 * not profiles, with strongly consistent reads.
 */
import {
  chooseFacet,
  DIRECTORY_READ_MAX,
  type ListedUser,
  matchesUserFilter,
  toUserPlace,
  type UserPlace,
} from '../../../core/access/user-directory.ts'
import { foldIdentity } from '../../../core/access/user-names.ts'
import type { UserDirectory } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { fromListedUserItem } from '../records/directory-entries.ts'
import { IDENTITY_PK, identityKey, listedUserKey, listedUserRange, USERS_PK } from '../table.ts'

type PageRequest = Parameters<UserDirectory['page']>[0]

export const USER_DIRECTORY_PERMISSIONS: Permissions<UserDirectory> = {
  page: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [USERS_PK] }],
  uidOf: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [IDENTITY_PK] }],
}

/** Entries that one request reads if a filter may leave some out. */
const FILTERED_AT_ONCE = 250

export function dynamoUserDirectory(store: DynamoStore): UserDirectory {
  const table = store.tables.gateway
  return {
    page: (of) => readPage(store, of),
    async uidOf(identity) {
      const item = await store.get(table, identityKey(foldIdentity(identity)), 'consistent')
      return item === undefined ? undefined : textAt(item, 'uid')
    },
  }
}

async function readPage(
  store: DynamoStore,
  { after, limit, prefix, ...filter }: PageRequest,
): ReturnType<UserDirectory['page']> {
  const users: ListedUser[] = []
  let last = after
  for (let read = 0; read < DIRECTORY_READ_MAX; ) {
    const wanted = Math.max(limit + 1 - users.length, read === 0 ? 0 : FILTERED_AT_ONCE)
    const size = Math.min(wanted, DIRECTORY_READ_MAX - read)
    const entries = await readEntries(store, { filter, prefix, after: last, limit: size })
    read += entries.length
    users.push(...entries.filter((entry) => matchesUserFilter(entry, filter)))
    if (users.length > limit) return makeFullPage(users.slice(0, limit))
    const end = entries.at(-1)
    if (end === undefined || entries.length < size) return { users, next: undefined }
    last = toUserPlace(end)
  }
  return { users, next: last }
}

function makeFullPage(users: readonly ListedUser[]): Awaited<ReturnType<UserDirectory['page']>> {
  const last = users.at(-1)
  return { users, next: last === undefined ? undefined : toUserPlace(last) }
}

async function readEntries(
  store: DynamoStore,
  of: {
    readonly filter: Pick<PageRequest, 'group' | 'state' | 'tier'>
    readonly prefix: string
    readonly after: UserPlace | undefined
    readonly limit: number
  },
): Promise<readonly ListedUser[]> {
  const { pk } = listedUserKey(chooseFacet(of.filter), { name: '', uid: '' })
  const items = await store.query(store.tables.gateway, {
    where: '#pk = :pk AND #sk BETWEEN :from AND :to',
    values: { pk, ...listedUserRange(of.prefix, of.after) },
    limit: of.limit,
  })
  return items.map(fromListedUserItem)
}
