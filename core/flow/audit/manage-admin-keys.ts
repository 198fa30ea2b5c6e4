/**
 * Makes, lists and revokes named keys of administrators. A key is in the answer to its making and nowhere else. Bound by
 * docs/service.md, Admin credentials.
 */
import {
  ADMIN_KEY_START,
  ADMIN_KEYS_MAX,
  type AdminKey,
  adminKeyPrefixOf,
} from '../../access/admin-key.ts'
import { ADMIN_ROLES, type Administrator } from '../../access/admin-role.ts'
import { KEY_BYTES } from '../../access/user-names.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { badBody } from '../../json/body-fields.ts'
import { isJsonObject, type Json } from '../../json/json.ts'
import { readUtcTime, startOfDay, UTC_TIME_RULE } from '../../json/utc-time.ts'
import type { Ports } from '../../ports/ports.ts'

export type AdminKeyView = {
  readonly keyId: string
  readonly name: string
  readonly role: string
  readonly keyPrefix: string
  readonly createdAtMs: number
  readonly createdBy: string
  readonly expiresAtMs?: number
  /** First moment of the day. */
  readonly lastUsedAtMs?: number
}

/**
 * `body` fits the schema of the route: `{name, role, expiresAt?}`. `conflict` for a name that is taken, and past
 * ADMIN_KEYS_MAX.
 */
export async function createAdminKey(
  ports: Pick<Ports, 'adminKeys' | 'clock' | 'digests' | 'ids'>,
  admin: Administrator,
  body: Json,
): Promise<Result<AdminKeyView & { readonly key: string }>> {
  const sent = isJsonObject(body) ? body : {}
  const nowMs = ports.clock.nowMs()
  const expiresAtMs = readExpiry(sent['expiresAt'], nowMs)
  if (!expiresAtMs.ok) return expiresAtMs
  if ((await ports.adminKeys.list()).length >= ADMIN_KEYS_MAX) {
    return refuse('conflict', `There are ${ADMIN_KEYS_MAX} keys already; revoke one first.`)
  }
  const key = `${ADMIN_KEY_START}${ports.ids.token(KEY_BYTES)}`
  const record: AdminKey = {
    keyId: ports.digests.sha256(key),
    name: String(sent['name']),
    role: ADMIN_ROLES.find((role) => role === sent['role']) ?? 'viewer',
    keyPrefix: adminKeyPrefixOf(key),
    createdAtMs: nowMs,
    createdBy: admin.name,
    expiresAtMs: expiresAtMs.value,
    lastUsedDay: undefined,
  }
  if (await ports.adminKeys.create(record)) return ok({ key, ...viewOf(record) })
  return refuse(
    'conflict',
    `name: there is a key ${record.name} already. Revoke it, or choose another name.`,
  )
}

/** By name, expired ones too. */
export async function listAdminKeys(
  ports: Pick<Ports, 'adminKeys'>,
): Promise<{ readonly keys: readonly AdminKeyView[] }> {
  return { keys: (await ports.adminKeys.list()).map(viewOf) }
}

/** The next request with the key is refused. */
export async function revokeAdminKey(
  ports: Pick<Ports, 'adminKeys'>,
  keyId: string,
): Promise<Result<undefined>> {
  if ((await ports.adminKeys.revoke(keyId)) !== undefined) return ok(undefined)
  return refuse('not_found', 'keyId: there is no such key. GET /v1/admin/keys lists the keys.')
}

/** The state of the key before a change. */
export async function showAdminKey(
  ports: Pick<Ports, 'adminKeys'>,
  keyId: string,
): Promise<AdminKeyView | undefined> {
  const key = await ports.adminKeys.find(keyId)
  return key === undefined ? undefined : viewOf(key)
}

function readExpiry(sent: Json | undefined, nowMs: number): Result<number | undefined> {
  if (sent === undefined) return ok(undefined)
  const atMs = typeof sent === 'string' ? readUtcTime(sent) : undefined
  const pointer = '/expiresAt'
  if (atMs === undefined) return badBody([{ pointer, message: UTC_TIME_RULE }])
  if (atMs > nowMs) return ok(atMs)
  return badBody([{ pointer, message: 'is in the past; give a later time, or leave it out' }])
}

function viewOf(key: AdminKey): AdminKeyView {
  const { createdAtMs, createdBy, expiresAtMs, keyId, keyPrefix, lastUsedDay, name, role } = key
  return {
    keyId,
    name,
    role,
    keyPrefix,
    createdAtMs,
    createdBy,
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    ...(lastUsedDay === undefined ? {} : { lastUsedAtMs: startOfDay(lastUsedDay) }),
  }
}
