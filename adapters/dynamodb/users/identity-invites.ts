/**
 * identity_invite:{id}: the user whom the first person with a verified mail address becomes. Only a
 * digest of the address is stored. put-identity.ts uses invitations up. Bound by
 * docs/issuers/README.md and ADR 0115.
 */
import type { IdentityInvite } from '../../../core/access/identity-invite.ts'
import type { IdentityInvites } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { IDENTITY_INVITE_PK, identityInviteKey } from '../table.ts'

export const IDENTITY_INVITES_PERMISSIONS: Permissions<IdentityInvites> = {
  find: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [IDENTITY_INVITE_PK] }],
  put: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [IDENTITY_INVITE_PK] }],
}

export function dynamoIdentityInvites(store: DynamoStore): IdentityInvites {
  const table = store.tables.gateway
  return {
    async find(id) {
      const item = await store.get(table, identityInviteKey(id), 'consistent')
      return item === undefined ? undefined : fromInviteItem(item)
    },

    // Two administrators at once: both read version 1; the first writes 2, the second is refused and
    // reads again. A use raises the version too, so neither a put that read the invitation before
    // its use nor a late copy of a put opens a used one again. A put that is repeated after a lost
    // answer finds its own record, perhaps used since: written. Dying before: no invitation; after:
    // the same request sent again writes another 30 days.
    async put(invite) {
      const { expiresAtMs, id, version } = invite
      const condition =
        version === 1
          ? { if: 'attribute_not_exists(#pk)' }
          : { if: '#version = :before', values: { before: version - 1 } }
      const answer = await store.put(table, {
        item: { ...identityInviteKey(id), ...invite, ttl: Math.ceil(expiresAtMs / 1000) },
        ...condition,
      })
      if (answer.kind === 'written') return true
      return answer.old !== undefined && isOwnWrite(fromInviteItem(answer.old), invite)
    },
  }
}

function fromInviteItem(item: Item): IdentityInvite {
  return {
    id: textAt(item, 'id'),
    uid: textAt(item, 'uid'),
    expiresAtMs: intAt(item, 'expiresAtMs'),
    version: intAt(item, 'version'),
    ...(item['usedBy'] === undefined ? {} : { usedBy: textAt(item, 'usedBy') }),
  }
}

function isOwnWrite(
  stored: IdentityInvite,
  { expiresAtMs, uid, version }: IdentityInvite,
): boolean {
  const uses = stored.usedBy === undefined ? 0 : 1
  const isSame = stored.uid === uid && stored.expiresAtMs === expiresAtMs
  return isSame && stored.version === version + uses
}
