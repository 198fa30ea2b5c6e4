/** The admin routes of administrators' keys. A key appears only in the response that creates it. */
import {
  ADMIN_KEY_NAME_PATTERN,
  ADMIN_KEY_NAME_RULE,
  ADMIN_KEYS_MAX,
} from '../../../core/access/admin-key.ts'
import { ADMIN_ROLES } from '../../../core/access/admin-role.ts'
import { ok } from '../../../core/errors.ts'
import {
  createAdminKey,
  listAdminKeys,
  revokeAdminKey,
  showAdminKey,
} from '../../../core/flow/audit/manage-admin-keys.ts'
import { UTC_TIME_PATTERN, UTC_TIME_RULE } from '../../../core/json/utc-time.ts'
import { type Route, type Schema, toAnswer } from '../route.ts'
import { AT_MS, TEXT, toAnsweredObject, toSentObject } from '../schemas/field-schemas.ts'

const NAME: Schema = {
  type: 'string',
  pattern: ADMIN_KEY_NAME_PATTERN,
  description: 'Name of a person or program; unique. The audit trail shows it.',
  'x-rule': ADMIN_KEY_NAME_RULE,
}
const ROLE: Schema = {
  type: 'string',
  enum: ADMIN_ROLES,
  description:
    '`owner` may do all, `operator` users, credits, keys and secrets, `publisher` skills and lists, `viewer` reads.',
  'x-rule': `must be one of ${ADMIN_ROLES.join(', ')}`,
}
/** The id is the SHA-256 of the key, in base64url. */
const ADMIN_KEY_ID: Schema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{43}$',
  description: 'Identifies the key; not secret.',
  'x-rule': 'must be a keyId as the list of keys shows it: 43 characters of A-Z, a-z, 0-9, - and _',
}

const NEW_ADMIN_KEY = toSentObject(
  'NewAdminKey',
  {
    name: NAME,
    role: ROLE,
    expiresAt: {
      type: 'string',
      pattern: UTC_TIME_PATTERN,
      description:
        'In UTC; a date is its first moment. Without it the key works until it is revoked.',
      'x-rule': UTC_TIME_RULE,
    },
  },
  ['name', 'role'],
)

const SHOWN_PROPERTIES = {
  keyId: ADMIN_KEY_ID,
  name: NAME,
  role: ROLE,
  keyPrefix: {
    ...TEXT,
    description: 'First characters of the key, to recognise a leaked key by.',
  },
  createdAtMs: AT_MS,
  createdBy: { ...TEXT, description: 'Name of the administrator who made it.' },
  expiresAtMs: { ...AT_MS, description: 'Absent: the key works until it is revoked.' },
  lastUsedAtMs: {
    ...AT_MS,
    description: 'Start of the day of its last request; absent before it.',
  },
}
const OPTIONAL_PROPERTIES = ['expiresAtMs', 'lastUsedAtMs']
const ADMIN_KEY = toAnsweredObject('AdminKey', SHOWN_PROPERTIES, OPTIONAL_PROPERTIES)
const MADE_ADMIN_KEY = toAnsweredObject(
  'MadeAdminKey',
  {
    key: { ...TEXT, description: 'The key, shown only here: only its hash is stored.' },
    ...SHOWN_PROPERTIES,
  },
  OPTIONAL_PROPERTIES,
)
const KEY_EXAMPLE = {
  keyId: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  name: 'grace',
  role: 'operator',
  keyPrefix: 'sga_hTj9',
  createdAtMs: 1795219200000,
  createdBy: 'break-glass:admin-key',
  expiresAtMs: 1797811200000,
}
const WHOAMI = toAnsweredObject(
  'Whoami',
  {
    name: {
      ...TEXT,
      description:
        'Name of the key or of the person, or `break-glass:…` for one of the two secrets.',
    },
    role: ROLE,
    identityId: { ...TEXT, description: 'Of a person who signed in at an issuer.' },
    expiresAtMs: { ...AT_MS, description: 'Absent: the credential does not expire.' },
  },
  ['expiresAtMs', 'identityId'],
)

export const ADMIN_KEY_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/keys',
    operationId: 'createAdminKey',
    tag: 'Administrators',
    summary: 'Make a key for an administrator',
    description: `Shown once. ${ADMIN_KEYS_MAX} keys at most, expired ones included.`,
    access: 'either',
    role: 'owner',
    body: {
      kind: 'json',
      schema: NEW_ADMIN_KEY,
      required: true,
      example: { name: 'grace', role: 'operator', expiresAt: '2099-12-31' },
    },
    answers: {
      201: {
        description: 'The key. It is never shown again.',
        shown: {
          schema: MADE_ADMIN_KEY,
          example: { key: 'sga_hTj9EKBPSC2qJ9wycfZqYo5RggJm5t0m9XPGCMno6zo', ...KEY_EXAMPLE },
        },
      },
    },
    refuses: ['conflict'],
    run: async (ports, _settings, { admin, body }) =>
      toAnswer(201, await createAdminKey(ports, admin, body)),
  },
  {
    method: 'GET',
    path: '/keys',
    operationId: 'listAdminKeys',
    tag: 'Administrators',
    summary: 'List the keys of administrators',
    description: 'By name, expired keys too; one page has them all.',
    access: 'either',
    role: 'viewer',
    answers: {
      200: {
        description: 'The keys.',
        shown: {
          schema: toAnsweredObject('AdminKeys', { keys: { type: 'array', items: ADMIN_KEY } }),
          example: { keys: [{ ...KEY_EXAMPLE, lastUsedAtMs: 1795219200000 }] },
        },
      },
    },
    refuses: [],
    run: async (ports) => toAnswer(200, ok(await listAdminKeys(ports))),
  },
  {
    method: 'DELETE',
    path: '/keys/{keyId}',
    operationId: 'revokeAdminKey',
    tag: 'Administrators',
    summary: "Revoke an administrator's key",
    description: 'The next request with it is refused. Its name can be given again.',
    access: 'either',
    role: 'owner',
    params: { keyId: ADMIN_KEY_ID },
    answers: { 204: { description: 'Revoked.' } },
    refuses: ['not_found'],
    before: async (ports, _settings, { params }) =>
      ok(await showAdminKey(ports, params['keyId'] ?? '')),
    run: async (ports, _settings, { params }) =>
      toAnswer(204, await revokeAdminKey(ports, params['keyId'] ?? '')),
  },
  {
    method: 'GET',
    path: '/whoami',
    operationId: 'whoami',
    tag: 'Administrators',
    summary: 'Show whose credential this is',
    access: 'either',
    role: 'viewer',
    answers: {
      200: {
        description: 'Name and role.',
        shown: {
          schema: WHOAMI,
          example: { name: 'grace', role: 'operator', expiresAtMs: 1797811200000 },
        },
      },
    },
    refuses: [],
    run: async (_ports, _settings, { admin }) => {
      const { name, role } = admin
      const expiresAtMs = admin.kind === 'break-glass' ? undefined : admin.expiresAtMs
      const identity = admin.kind === 'person' ? { identityId: admin.identityId } : {}
      return toAnswer(
        200,
        ok({ name, role, ...identity, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) }),
      )
    },
  },
]
