/** The admin routes of API keys. A key appears only in the response that issues it. */
import { KEYS_PAGE_DEFAULT, KEYS_PAGE_MAX } from '../../../core/access/limits.ts'
import { ok, type Result } from '../../../core/errors.ts'
import {
  changeKey,
  issueKey,
  KEY_ID_PATTERN,
  type KeyView,
  listKeys,
  revokeKey,
} from '../../../core/flow/users/manage-keys.ts'
import { KEY_BUDGETS_MAX, KEY_DAYS_MAX } from '../../../core/ledger/limits.ts'
import {
  type AdminPorts,
  type CheckedRequest,
  type Route,
  readPageQuery,
  readUid,
  type Schema,
  toAnswer,
} from '../route.ts'
import {
  AT_MS,
  BUDGET_SHOWN,
  TEXT,
  toAnsweredObject,
  toAnsweredPage,
  toPageQuery,
  toSentObject,
  UID,
} from '../schemas/field-schemas.ts'
import { KEY_DAY_SHOWN, SCOPE_SHOWN, SENT_SCOPE } from '../schemas/key-schemas.ts'

/**
 * The id is the SHA-256 of the key, in base64url, with `sub:` before that of a sub-key, `i:` before
 * that of an identity and `n:` before that of an invitation.
 */
export const KEY_ID: Schema = {
  type: 'string',
  pattern: KEY_ID_PATTERN,
  examples: ['n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg'],
  description: 'Identifies the key; not secret.',
  'x-rule':
    'must be a keyId as the list of keys shows it: 43 characters of A-Z, a-z, 0-9, - and _, with sub: before them for a sub-key, i: for an identity and n: for an invitation',
}

const KEY_EXAMPLE = {
  keyId: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  keyPrefix: 'sgk_hTj9',
  expiresAtMs: 1797811200000,
}

const KEY_PREFIX = {
  ...TEXT,
  description:
    'First characters of the key, for people; of an identity, the host of its issuer; invite for an invitation, v0 for a key of the earlier service.',
}

const ISSUED = toAnsweredObject('IssuedKey', {
  key: { ...TEXT, description: 'The key, shown only here: only its hash is stored.' },
  keyId: KEY_ID,
  keyPrefix: KEY_PREFIX,
  expiresAtMs: AT_MS,
})

export const KEY = toAnsweredObject(
  'Key',
  {
    keyId: KEY_ID,
    keyPrefix: KEY_PREFIX,
    createdAtMs: AT_MS,
    lastUsedAtMs: {
      ...AT_MS,
      description:
        'Accurate to a day. The time of issue until the first renewal. Absent for an identity.',
    },
    expiresAtMs: { ...AT_MS, description: 'Absent for an identity, which never expires.' },
    identity: toAnsweredObject('LinkedIdentity', { issuer: TEXT, subject: TEXT }),
    ...SCOPE_SHOWN,
    invitation: {
      type: 'string',
      enum: ['pending', 'used'],
      description: 'Of an invitation: whether somebody has logged in with it.',
    },
    monthlyBudget: BUDGET_SHOWN,
    callsPerDay: KEY_DAY_SHOWN,
  },
  [
    'lastUsedAtMs',
    'expiresAtMs',
    'identity',
    'invitation',
    ...Object.keys(SCOPE_SHOWN),
    'monthlyBudget',
    'callsPerDay',
  ],
)

const KEY_LIMITS = toSentObject('KeyLimits', SENT_SCOPE, [])
const KEY_CHANGE: Schema = {
  ...toSentObject('KeyChange', SENT_SCOPE, []),
  minProperties: 1,
  'x-rule': 'is empty; send tools, maxCreditsPerCall, monthlyBudget, callsPerDay or mayIssueKeys',
}

const ALL_KEYS = { limit: undefined, cursor: undefined }

/** Reads the key that a route changes, in the form that lists show. */
export async function readKeyBefore(
  ports: Pick<AdminPorts, 'clock' | 'keys' | 'profiles'>,
  key: { readonly uid: string; readonly keyId: string },
): Promise<Result<KeyView | undefined>> {
  const listed = await listKeys(ports, key.uid, ALL_KEYS)
  return listed.ok ? ok(listed.value.keys.find(({ keyId }) => keyId === key.keyId)) : listed
}

function readKey(request: Pick<CheckedRequest, 'params'>) {
  return { uid: readUid(request), keyId: request.params['keyId'] ?? '' }
}

export const KEY_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/users/{uid}/keys',
    operationId: 'issueKey',
    tag: 'Keys',
    summary: 'Issue an API key',
    description:
      'A key ends after 30 days without use; use renews it. A field limits what the key may do, and without fields it may do what its user may.',
    access: 'either',
    role: 'operator',
    params: { uid: UID },
    body: { kind: 'json', schema: KEY_LIMITS, required: false, example: { tools: ['sg_*'] } },
    answers: {
      201: {
        description: 'The key. It is never shown again.',
        shown: {
          schema: ISSUED,
          example: { key: 'sgk_hTj9EKBPSC2qJ9wycfZqYo5RggJm5t0m9XPGCMno6zo', ...KEY_EXAMPLE },
        },
      },
    },
    refuses: ['not_found', 'conflict'],
    run: async (ports, _settings, request) =>
      toAnswer(201, await issueKey(ports, readUid(request), request.body ?? {})),
  },
  {
    method: 'GET',
    path: '/users/{uid}/keys',
    operationId: 'listKeys',
    tag: 'Keys',
    summary: 'List API keys',
    description: 'Newest first, including expired keys.',
    access: 'either',
    role: 'viewer',
    params: { uid: UID },
    query: toPageQuery({ max: KEYS_PAGE_MAX, otherwise: KEYS_PAGE_DEFAULT }),
    answers: {
      200: {
        description: 'A page of keys.',
        shown: {
          schema: toAnsweredPage('KeyPage', 'keys', KEY),
          example: {
            keys: [{ ...KEY_EXAMPLE, createdAtMs: 1795219200000, lastUsedAtMs: 1795219200000 }],
          },
        },
      },
    },
    refuses: ['not_found'],
    run: async (ports, _settings, request) =>
      toAnswer(200, await listKeys(ports, readUid(request), readPageQuery(request))),
  },
  {
    method: 'PATCH',
    path: '/users/{uid}/keys/{keyId}',
    operationId: 'patchKey',
    tag: 'Keys',
    summary: 'Change the limits of a key',
    description: `A change of tools or maxCreditsPerCall is in effect everywhere after 30 seconds. A new budget or limit of calls per day binds the next call, and keeps what the month or day has counted. At most ${KEY_BUDGETS_MAX} keys of a user have a budget, and ${KEY_DAYS_MAX} calls per day.`,
    access: 'either',
    role: 'operator',
    params: { uid: UID, keyId: KEY_ID },
    body: {
      kind: 'json',
      schema: KEY_CHANGE,
      required: true,
      example: { monthlyBudget: 100 },
    },
    answers: {
      200: {
        description: 'The key after the change.',
        shown: {
          schema: KEY,
          example: {
            ...KEY_EXAMPLE,
            createdAtMs: 1795219200000,
            lastUsedAtMs: 1795219200000,
            monthlyBudget: { limit: 100, spent: 0, renewsOn: '2026-12-01' },
          },
        },
      },
    },
    refuses: ['not_found', 'conflict'],
    before: (ports, _settings, request) => readKeyBefore(ports, readKey(request)),
    run: async (ports, _settings, request) =>
      toAnswer(200, await changeKey(ports, readKey(request), request.body)),
  },
  {
    method: 'DELETE',
    path: '/users/{uid}/keys/{keyId}',
    operationId: 'revokeKey',
    tag: 'Keys',
    summary: 'Revoke an API key',
    description: 'The key stops working within 30 seconds.',
    access: 'either',
    role: 'operator',
    params: { uid: UID, keyId: KEY_ID },
    answers: { 204: { description: 'Revoked.' } },
    refuses: ['not_found'],
    before: (ports, _settings, request) => readKeyBefore(ports, readKey(request)),
    run: async (ports, _settings, request) =>
      toAnswer(204, await revokeKey(ports, readKey(request))),
  },
]
