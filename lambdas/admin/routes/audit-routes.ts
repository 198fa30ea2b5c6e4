/**
 * The admin routes of the audit trail: list changes, and verify a day. No route changes or removes
 * a record.
 */
import { ADMIN_ROLES } from '../../../core/access/admin-role.ts'
import { USER_ROLE } from '../../../core/audit/audit-record.ts'
import { CHANGE_OUTCOMES } from '../../../core/audit/change-view.ts'
import {
  AUDIT_DAYS_KEPT,
  AUDIT_PAGE_DEFAULT,
  AUDIT_PAGE_MAX,
  TARGETS_SHOWN_MAX,
} from '../../../core/audit/limits.ts'
import { listAudit } from '../../../core/flow/audit/list-audit.ts'
import { verifyAudit } from '../../../core/flow/audit/verify-audit.ts'
import {
  UTC_DAY_PATTERN,
  UTC_DAY_RULE,
  UTC_TIME_PATTERN,
  UTC_TIME_RULE,
} from '../../../core/json/utc-time.ts'
import { type Route, readPageQuery, type Schema, toAnswer } from '../route.ts'
import {
  AT_MS,
  COUNT,
  TEXT,
  toAnsweredObject,
  toAnsweredPage,
  toPageQuery,
} from '../schemas/field-schemas.ts'

const TIME: Schema = { type: 'string', pattern: UTC_TIME_PATTERN, 'x-rule': UTC_TIME_RULE }
const FILTER: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  'x-rule': 'must be 1 to 200 characters',
}
const DIGESTS: Schema = {
  type: 'object',
  additionalProperties: TEXT,
  description: 'A keyed digest for each field; `withheld` for keys and secrets.',
}

const CHANGE = toAnsweredObject(
  'AuditedChange',
  {
    id: { ...TEXT, description: 'Day and number of the record.' },
    atMs: AT_MS,
    who: toAnsweredObject(
      'ChangedBy',
      {
        name: TEXT,
        role: {
          type: 'string',
          enum: [...ADMIN_ROLES, USER_ROLE],
          description: 'user: somebody who changed the own account; the name is then the uid.',
        },
        keyId: { ...TEXT, description: 'Of a named key, or the key of a user.' },
        identityId: {
          ...TEXT,
          description: 'Of a person who signed in at an issuer; tells two of one name apart.',
        },
      },
      ['keyId', 'identityId'],
    ),
    operation: { ...TEXT, description: 'operationId of the route.' },
    method: TEXT,
    route: TEXT,
    target: { type: 'object', additionalProperties: TEXT, description: 'Ids, by name.' },
    targets: {
      type: 'array',
      items: TEXT,
      maxItems: TARGETS_SHOWN_MAX,
      description: 'The first ids of a change of many records; all of them find it.',
    },
    targetCount: { ...COUNT, description: 'How many ids that change named.' },
    sent: { ...DIGESTS, description: 'Fields of the request, each with its keyed digest.' },
    before: { ...DIGESTS, description: 'Fields before the change, where the route knows them.' },
    after: { ...DIGESTS, description: 'Fields of the answer.' },
    digestKey: {
      ...TEXT,
      description:
        'Names the key of the digests. Two digests can be compared only if they have the same key.',
    },
    requestId: TEXT,
    sourceAddress: TEXT,
    outcome: {
      type: 'string',
      enum: CHANGE_OUTCOMES,
      description:
        '`unknown`: no outcome was recorded, so the change may have happened, or is still running.',
    },
    status: COUNT,
    endedAtMs: AT_MS,
    hash: { ...TEXT, description: 'Hash of the record, which its chain continues from.' },
  },
  ['before', 'after', 'status', 'endedAtMs', 'targets', 'targetCount'],
)

const VERIFICATION = toAnsweredObject('AuditVerification', {
  day: TEXT,
  isWhole: { type: 'boolean', description: 'No record is missing, changed, moved or added.' },
  records: { ...COUNT, description: 'Number of records: two for each change.' },
  hash: { ...TEXT, description: 'Hash of the last record; keep a copy elsewhere to compare.' },
  faultCount: COUNT,
  faults: {
    type: 'array',
    items: toAnsweredObject('AuditFault', { seq: COUNT, kind: TEXT, message: TEXT }, ['seq']),
  },
})

const DIGEST_EXAMPLE = 'q3x0Zt8uN1mVfJ2kLw9y7A'

const LIST_ROUTE: Route = {
  method: 'GET',
  path: '/audit',
  operationId: 'listAudit',
  tag: 'Administrators',
  summary: 'List changes by administrators, and by users of their own accounts',
  description: `Newest first, for ${AUDIT_DAYS_KEPT} days. A page may have fewer changes than its limit, or none, and a nextCursor all the same.`,
  access: 'either',
  role: 'viewer',
  query: {
    since: { ...TIME, description: 'Not before this time.' },
    until: { ...TIME, description: 'Before this time.' },
    who: {
      ...FILTER,
      description: 'Name of an administrator or uid of a user, or their keyId or identityId.',
    },
    operation: { ...FILTER, description: 'operationId, such as `grantCredits`.' },
    target: {
      ...FILTER,
      description: 'An id in `target` or among the targets, such as a uid or a skill’s id.',
    },
    ...toPageQuery({ max: AUDIT_PAGE_MAX, otherwise: AUDIT_PAGE_DEFAULT }),
  },
  answers: {
    200: {
      description: 'A page of changes.',
      shown: {
        schema: toAnsweredPage('AuditPage', 'changes', CHANGE),
        example: {
          changes: [
            {
              id: '2026-11-21/41',
              atMs: 1795219200000,
              who: {
                name: 'grace',
                role: 'operator',
                keyId: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
              },
              operation: 'patchUser',
              method: 'PATCH',
              route: '/users/{uid}',
              target: { uid: 'ada' },
              sent: { tier: DIGEST_EXAMPLE },
              digestKey: 'b1Xc0aZ9',
              requestId: '5f0c1e9a-0f5b-4b0e-9a3e-6d8c2f1b7a10',
              sourceAddress: '192.0.2.7',
              outcome: 'done',
              status: 200,
              endedAtMs: 1795219200012,
              hash: 'k1rM3p0Jv5lqX2e8wYtB7nDsG4hFzUaCo9iE6yQxV0s',
            },
          ],
        },
      },
    },
  },
  refuses: [],
  run: async (ports, _settings, request) => {
    const { operation, since, target, until, who } = request.query
    return toAnswer(
      200,
      await listAudit(ports, { operation, since, target, until, who, ...readPageQuery(request) }),
    )
  },
}

const VERIFY_ROUTE: Route = {
  method: 'GET',
  path: '/audit/verify',
  operationId: 'verifyAudit',
  tag: 'Administrators',
  summary: 'Verify the records of a day',
  description: 'Recomputes the chain of the day, and compares its ends with the days beside it.',
  access: 'either',
  role: 'viewer',
  query: {
    day: {
      type: 'string',
      pattern: UTC_DAY_PATTERN,
      description: 'In UTC; today without it.',
      'x-rule': UTC_DAY_RULE,
    },
  },
  answers: {
    200: {
      description: 'What was found, by number of record.',
      shown: {
        schema: VERIFICATION,
        example: {
          day: '2026-11-21',
          isWhole: false,
          records: 81,
          hash: 'k1rM3p0Jv5lqX2e8wYtB7nDsG4hFzUaCo9iE6yQxV0s',
          faultCount: 1,
          faults: [{ seq: 41, kind: 'missing', message: 'this record is gone' }],
        },
      },
    },
  },
  refuses: [],
  run: async (ports, _settings, { query }) => toAnswer(200, await verifyAudit(ports, query['day'])),
}

export const AUDIT_ROUTES: readonly Route[] = [LIST_ROUTE, VERIFY_ROUTE]
