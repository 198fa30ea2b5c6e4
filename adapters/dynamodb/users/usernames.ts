/** username:{name}: the users who have taken a name. Bound by docs/service.md, Records. */
import type { UsernameClaim, Usernames } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, textsAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { USERNAMES_PK, usernameKey } from '../table.ts'

export const USERNAMES_PERMISSIONS: Permissions<Usernames> = {
  read: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [USERNAMES_PK] }],
  write: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [USERNAMES_PK] }],
}

export function dynamoUsernames(store: DynamoStore): Usernames {
  const table = store.tables.gateway
  return {
    async read(name) {
      const item = await store.get(table, usernameKey(name), 'consistent')
      return item === undefined ? { uids: [], version: 0 } : fromClaimItem(item)
    },

    // Two claims from one version: the first put increases the version; the second is refused, and
    // its caller reads again. A put that is repeated after a lost answer finds its own record:
    // written. A late copy finds a higher version, because claims are never removed.
    async write(name, { uids, version }) {
      const condition =
        version === 1
          ? { if: 'attribute_not_exists(#pk)' }
          : { if: '#version = :before', values: { before: version - 1 } }
      const answer = await store.put(table, {
        item: { ...usernameKey(name), name, uids, version },
        ...condition,
      })
      if (answer.kind === 'written') return true
      return answer.old !== undefined && isSameClaim(fromClaimItem(answer.old), { uids, version })
    },
  }
}

function fromClaimItem(item: Item): UsernameClaim {
  return { uids: textsAt(item, 'uids'), version: intAt(item, 'version') }
}

function isSameClaim(a: UsernameClaim, b: UsernameClaim): boolean {
  return a.version === b.version && a.uids.join() === b.uids.join()
}
