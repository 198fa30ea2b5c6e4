/**
 * Administrators: their roles, and what a role may do. A route names the least role that it needs. Neither of
 * `operator` and `publisher` includes the other. Bound by docs/service.md, Admin credentials.
 */

/** owner: all. operator: users, credits, keys, secrets. publisher: skills and lists. viewer: reads. */
export const ADMIN_ROLES = ['owner', 'operator', 'publisher', 'viewer'] as const

export type AdminRole = (typeof ADMIN_ROLES)[number]

export type Administrator =
  /** Sent one of the two configured secrets, which open the admin API without a named key. */
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

/** Everybody with a role reads. */
export function roleAllows(role: AdminRole, needed: AdminRole): boolean {
  return role === 'owner' || role === needed || needed === 'viewer'
}
