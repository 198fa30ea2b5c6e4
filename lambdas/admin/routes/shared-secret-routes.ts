/**
 * The admin routes of the gateway's own secrets, which serve users who have no secret of that name:
 * set, list by name, use and age, delete. No response has a value.
 */
import {
  deleteSharedSecret,
  listSharedSecrets,
  setSharedSecret,
} from '../../../core/flow/users/manage-shared-secrets.ts'
import { KEEP_PREVIOUS_RULE } from '../../../core/flow/users/read-secret.ts'
import {
  KEEP_PREVIOUS_SEC_MAX,
  SECRETS_PAGE_DEFAULT,
  SECRETS_PAGE_MAX,
} from '../../../core/secrets/limits.ts'
import { type Route, type RoutedRequest, readPageQuery, toAnswer } from '../route.ts'
import {
  AT_MS,
  COUNT,
  SKILL_ID,
  TEXT,
  toAnsweredObject,
  toAnsweredPage,
  toPageQuery,
  toSentObject,
} from '../schemas/field-schemas.ts'
import { ORIGINS, SECRET_NAME, SECRET_VALUE_FIELD } from './secret-routes.ts'

const PLACE_QUERY = {
  skill: {
    ...SKILL_ID,
    description: 'The only official skill that may use it. Without it, all official skills may.',
  },
}

const SHARED_SECRET_VALUE = toSentObject(
  'SharedSecretValue',
  {
    value: SECRET_VALUE_FIELD,
    origins: {
      ...ORIGINS,
      description:
        'Where it may be sent: with `?skill=` besides the origins of that skill; without it, required, and only there.',
    },
    keepPreviousSec: {
      type: 'integer',
      minimum: 0,
      maximum: KEEP_PREVIOUS_SEC_MAX,
      default: 0,
      description:
        'How long a request that the upstream refuses with 401 or 403 is sent once more with the previous value.',
      'x-rule': KEEP_PREVIOUS_RULE,
    },
  },
  ['value'],
)
const SHARED_SECRET = toAnsweredObject(
  'SharedSecret',
  {
    name: SECRET_NAME,
    skillId: { ...TEXT, description: 'Absent for a secret that all official skills may use.' },
    origins: { type: 'array', items: TEXT, description: 'Where it may be sent.' },
    setBy: { ...TEXT, description: 'Who set it.' },
    updatedAtMs: AT_MS,
    ageDays: { ...COUNT, description: 'Whole days since it was set.' },
    previousUntilMs: { ...AT_MS, description: 'Until when the previous value may be used.' },
    lastUsedDayMs: { ...AT_MS, description: 'Beginning of the day of its last use, in UTC.' },
  },
  ['skillId', 'previousUntilMs', 'lastUsedDayMs'],
)
const SECRET_EXAMPLE = {
  name: 'API_KEY',
  origins: ['https://api.example.com'],
  setBy: 'admin',
  updatedAtMs: 1795219200000,
  ageDays: 0,
}

export const SHARED_SECRET_ROUTES: readonly Route[] = [
  {
    method: 'PUT',
    path: '/secrets/{name}',
    operationId: 'setSharedSecret',
    tag: 'Secrets',
    summary: 'Set a shared secret',
    description:
      'Official skills use it for users who have no secret of the name, within 30 seconds. Send it again to rotate it.',
    access: 'either',
    role: 'operator',
    params: { name: SECRET_NAME },
    query: PLACE_QUERY,
    body: {
      kind: 'json',
      schema: SHARED_SECRET_VALUE,
      required: true,
      example: {
        value: 'the key that the upstream gave you',
        origins: ['https://api.example.com'],
        keepPreviousSec: 3600,
      },
    },
    answers: {
      200: { description: 'Set.', shown: { schema: SHARED_SECRET, example: SECRET_EXAMPLE } },
    },
    refuses: ['not_found', 'conflict'],
    run: async (ports, settings, request) => {
      const place = { ...readPlace(request), setBy: request.admin.name }
      return toAnswer(200, await setSharedSecret(ports, settings, place, request.body))
    },
  },
  {
    method: 'GET',
    path: '/secrets',
    operationId: 'listSharedSecrets',
    tag: 'Secrets',
    summary: 'List shared secrets by name, use and age',
    description: 'Secrets for all skills first, then by skill and name. Values are never shown.',
    access: 'either',
    role: 'viewer',
    query: toPageQuery({ max: SECRETS_PAGE_MAX, otherwise: SECRETS_PAGE_DEFAULT }),
    answers: {
      200: {
        description: 'A page of shared secrets.',
        shown: {
          schema: toAnsweredPage('SharedSecretPage', 'secrets', SHARED_SECRET),
          example: { secrets: [{ ...SECRET_EXAMPLE, lastUsedDayMs: 1795219200000 }] },
        },
      },
    },
    refuses: [],
    run: async (ports, _settings, request) =>
      toAnswer(200, await listSharedSecrets(ports, readPageQuery(request))),
  },
  {
    method: 'DELETE',
    path: '/secrets/{name}',
    operationId: 'deleteSharedSecret',
    tag: 'Secrets',
    summary: 'Delete a shared secret',
    description: 'Calls stop using it, and its previous value, within 30 seconds.',
    access: 'either',
    role: 'operator',
    params: { name: SECRET_NAME },
    query: PLACE_QUERY,
    answers: { 204: { description: 'Deleted.' } },
    refuses: ['not_found'],
    run: async (ports, settings, request) =>
      toAnswer(204, await deleteSharedSecret(ports, settings, readPlace(request))),
  },
]

function readPlace({ params, query }: RoutedRequest) {
  return { name: params['name'] ?? '', skill: query['skill'] }
}
