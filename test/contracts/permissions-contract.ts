/**
 * The permissions that the adapters declare are those that they used while the contract suites ran:
 * all of them and no others. Runs after those suites, in the same file and over the same recorder.
 */
import { describe, expect, test } from 'vitest'
import { type Permission, STORE_PERMISSIONS } from '../../adapters/dynamodb/permissions.ts'
import { NOBODY, type PermissionRecorder, type UsedPermission } from './permission-recorder.ts'

type DeclaredPermissions = { readonly [method: string]: readonly Permission[] }

const METHODS = Object.entries<DeclaredPermissions>(STORE_PERMISSIONS).flatMap(([port, methods]) =>
  Object.entries(methods).map(([method, permissions]) => ({
    method: `${port}.${method}`,
    permissions,
  })),
)

/** Beginnings of partition keys that any adapter names. */
export const DECLARED_PREFIXES = [
  ...new Set(
    METHODS.flatMap(({ permissions }) => permissions.flatMap(({ keyPrefixes }) => keyPrefixes)),
  ),
]

export function describePermissions(name: string, recorder: PermissionRecorder): void {
  describe(`${name}: the permissions that the ports used`, () => {
    test.each(METHODS)(
      'the method $method used every permission that it declares, and no other',
      ({ method, permissions }) => {
        const used = recorder.seenBy(method)
        expect(pairsOf(used.map((one) => ({ ...one, actions: [one.action] })))).toEqual(
          pairsOf(permissions),
        )
      },
    )

    // One statement of a policy must allow all keys of a batch or a transaction.
    test.each(METHODS)(
      'the method $method named no keys in one request that it declares apart',
      (method) => {
        const apart = recorder
          .seenBy(method.method)
          .filter((seen) => !method.permissions.some((permission) => covers(permission, seen)))
        expect(apart).toEqual([])
      },
    )

    test('every request was started by a method of a port', () => {
      expect(recorder.seenBy(NOBODY)).toEqual([])
    })
  })
}

type Pairs = {
  readonly table: string
  readonly actions: readonly string[]
  readonly keyPrefixes: readonly string[]
}

/** `gateway PutItem profile:`, each once, in order. */
function pairsOf(permissions: readonly Pairs[]): readonly string[] {
  const pairs = permissions.flatMap(({ table, actions, keyPrefixes }) =>
    actions.flatMap((action) =>
      // A scan names no keys.
      (action === 'Scan' ? ['*'] : keyPrefixes).map((prefix) => `${table} ${action} ${prefix}`),
    ),
  )
  return [...new Set(pairs)].sort()
}

/** Attributes must match exactly: one that no update names would be a permission without a use. */
function same(declared: readonly string[], used: readonly string[]): boolean {
  return JSON.stringify([...declared].sort()) === JSON.stringify([...used].sort())
}

function covers(permission: Permission, used: UsedPermission): boolean {
  return (
    permission.table === used.table &&
    permission.actions.some((action) => action === used.action) &&
    used.keyPrefixes.every((prefix) => permission.keyPrefixes.includes(prefix)) &&
    (permission.attributes === undefined || same(permission.attributes, used.attributes ?? []))
  )
}
