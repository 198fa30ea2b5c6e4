/**
 * Creates, lists and revokes named keys of administrators. Only the answer to the creation has the
 * key. Bound by docs/service.md, Admin credentials.
 */
import {
  ADMIN_KEY_START,
  ADMIN_KEYS_MAX,
  type AdminKey,
  toAdminKeyPrefix,
} from '../../access/admin-key.ts'
import { ADMIN_ROLES, type Administrator } from '../../access/admin-role.ts'
import { KEY_BYTES } from '../../access/user-names.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { refuseBody } from '../../json/body-fields.ts'
import { isJsonObject, type Json } from '../../json/json.ts'
import { parseDayStart, readUtcTime, UTC_TIME_RULE } from '../../json/utc-time.ts'
import type { Ports } from '../../ports/ports.ts'

export type AdminKeyView = {
  readonly keyId: string
  readonly name: string
  readonly role: string
  readonly keyPrefix: string
  readonly createdAtMs: number
  readonly createdBy: string
  readonly expiresAtMs?: number
  /** First millisecond of the day of the last use. */
  readonly lastUsedAtMs?: number
}

/**
 * Creates a key. `body` fits the schema of the route: `{name, role, expiresAt?}`. Refuses with
 * `conflict` a name that is taken, and any name at ADMIN_KEYS_MAX keys.
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
    keyPrefix: toAdminKeyPrefix(key),
    createdAtMs: nowMs,
    createdBy: admin.name,
    expiresAtMs: expiresAtMs.value,
    lastUsedDay: undefined,
  }
  if (await ports.adminKeys.create(record)) return ok({ key, ...toView(record) })
  return refuse(
    'conflict',
    `name: there is a key ${record.name} already. Revoke it, or choose another name.`,
  )
}

/** Lists all keys by name, expired ones too. */
export async function listAdminKeys(
  ports: Pick<Ports, 'adminKeys'>,
): Promise<{ readonly keys: readonly AdminKeyView[] }> {
  return { keys: (await ports.adminKeys.list()).map(toView) }
}

/** Revokes a key: the next request with it is refused. Refuses with `not_found`. */
export async function revokeAdminKey(
  ports: Pick<Ports, 'adminKeys'>,
  keyId: string,
): Promise<Result<undefined>> {
  if ((await ports.adminKeys.revoke(keyId)) !== undefined) return ok(undefined)
  return refuse('not_found', 'keyId: there is no such key.', {
    remedy: { code: 'list_admin_keys' },
  })
}

/** The state of a key before a change; undefined if there is no such key. */
export async function showAdminKey(
  ports: Pick<Ports, 'adminKeys'>,
  keyId: string,
): Promise<AdminKeyView | undefined> {
  const key = await ports.adminKeys.find(keyId)
  return key === undefined ? undefined : toView(key)
}

function readExpiry(sent: Json | undefined, nowMs: number): Result<number | undefined> {
  if (sent === undefined) return ok(undefined)
  const atMs = typeof sent === 'string' ? readUtcTime(sent) : undefined
  const pointer = '/expiresAt'
  if (atMs === undefined) return refuseBody([{ pointer, message: UTC_TIME_RULE }])
  if (atMs > nowMs) return ok(atMs)
  return refuseBody([{ pointer, message: 'is in the past; give a later time, or leave it out' }])
}

function toView(key: AdminKey): AdminKeyView {
  const { createdAtMs, createdBy, expiresAtMs, keyId, keyPrefix, lastUsedDay, name, role } = key
  return {
    keyId,
    name,
    role,
    keyPrefix,
    createdAtMs,
    createdBy,
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    ...(lastUsedDay === undefined ? {} : { lastUsedAtMs: parseDayStart(lastUsedDay) }),
  }
}
