/**
 * The roles of administrators and what each role may do. A route names the least role that it
 * needs. Neither `operator` nor `publisher` includes the other. Bound by docs/service.md, Admin
 * credentials.
 */

/** owner: all. operator: users, credits, keys, secrets. publisher: skills, lists. viewer: reads. */
export const ADMIN_ROLES = ['owner', 'operator', 'publisher', 'viewer'] as const

export type AdminRole = (typeof ADMIN_ROLES)[number]

export type Administrator =
  /** The caller sent one of the two configured secrets, which need no named key. */
  | {
      readonly kind: 'break-glass'
      readonly name: 'break-glass:admin-key' | 'break-glass:internal-secret'
      readonly role: 'owner'
    }
  | {
      readonly kind: 'key'
      readonly name: string
      readonly role: AdminRole
      readonly keyId: string
      readonly expiresAtMs: number | undefined
      readonly lastUsedDay: string | undefined
    }
  | AdminPerson

/** Somebody who signed in at an issuer. No record of the person is kept here. */
export type AdminPerson = {
  readonly kind: 'person'
  /** For readers; two people may have one name. */
  readonly name: string
  readonly role: AdminRole
  /** Of the issuer and its subject (identity.ts). No two people have the same. */
  readonly identityId: string
  /** When the token expires. */
  readonly expiresAtMs: number
}

/** True if `role` may use a route that needs `needed`. Every role may read. */
export function roleAllows(role: AdminRole, needed: AdminRole): boolean {
  return role === 'owner' || role === needed || needed === 'viewer'
}

/** What no two administrators share: the key's id, the person's identity, the secret's name. */
export function toAdminId(admin: Administrator): string {
  switch (admin.kind) {
    case 'break-glass':
      return admin.name
    case 'key':
      return admin.keyId
    case 'person':
      return admin.identityId
    default:
      return admin satisfies never
  }
}
