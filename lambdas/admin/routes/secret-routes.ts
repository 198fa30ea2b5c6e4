/**
 * The admin routes of users' secrets: set, list by name, date and use, delete. No response has a
 * value.
 */
import {
  deleteSecret,
  listSecrets,
  setSecret,
  showSecret,
} from '../../../core/flow/users/manage-secrets.ts'
import { ORIGIN_RULE } from '../../../core/flow/users/read-secret.ts'
import {
  SECRET_BYTES_MAX,
  SECRET_CHARS_MIN,
  SECRET_MARKET_SKILLS_MAX,
  SECRET_ORIGINS_MAX,
  SECRETS_PAGE_DEFAULT,
  SECRETS_PAGE_MAX,
} from '../../../core/secrets/limits.ts'
import {
  SECRET_NAME_PATTERN,
  SECRET_NAME_RULE,
  SECRET_VALUE_RULE,
} from '../../../core/secrets/secret.ts'
import {
  type Route,
  type RoutedRequest,
  readPageQuery,
  readUid,
  type Schema,
  toAnswer,
} from '../route.ts'
import {
  AT_MS,
  SKILL_ID,
  SOURCE,
  TEXT,
  toAnsweredObject,
  toAnsweredPage,
  toPageQuery,
  toSentObject,
  UID,
} from '../schemas/field-schemas.ts'

export const SECRET_NAME: Schema = {
  type: 'string',
  pattern: SECRET_NAME_PATTERN,
  examples: ['API_KEY'],
  description: 'The name as used in skills: `{{secrets.NAME}}`.',
  'x-rule': `must be ${SECRET_NAME_RULE}`,
}
const PLACE_QUERY = {
  skill: {
    ...SKILL_ID,
    description: 'The only skill that may use it. Without it, all skills may.',
  },
}

export const SECRET_VALUE_FIELD: Schema = {
  type: 'string',
  minLength: SECRET_CHARS_MIN,
  maxLength: SECRET_BYTES_MAX,
  writeOnly: true,
  description: `Never shown again. ${SECRET_BYTES_MAX} bytes of UTF-8 at most.`,
  'x-rule': SECRET_VALUE_RULE,
}
export const ORIGINS: Schema = {
  type: 'array',
  items: { ...TEXT, 'x-rule': ORIGIN_RULE },
  maxItems: SECRET_ORIGINS_MAX,
  'x-rule': `must be a list of ${SECRET_ORIGINS_MAX} at most`,
}

export const SECRET_VALUE = toSentObject(
  'SecretValue',
  {
    value: SECRET_VALUE_FIELD,
    origins: {
      ...ORIGINS,
      description:
        'Where it may be sent: for one skill, besides the origins of that skill; for all skills, only there. Each as browsers write it: `https://api.example.com`.',
    },
    marketSkills: {
      type: 'array',
      items: SKILL_ID,
      maxItems: SECRET_MARKET_SKILLS_MAX,
      description:
        'Without `?skill=` and with `origins`: the market skills that the user lets use it. No other market skill may.',
      'x-rule': `must be a list of ${SECRET_MARKET_SKILLS_MAX} at most`,
    },
  },
  ['value'],
)
export const SECRET = toAnsweredObject(
  'Secret',
  {
    name: SECRET_NAME,
    skillId: { ...TEXT, description: 'Absent for a secret that all skills may use.' },
    tier: { ...SOURCE, description: 'Tier of the only skill that may use it.' },
    origins: {
      type: 'array',
      items: TEXT,
      description:
        'Where it may be sent. Empty for a secret that all skills may use: wherever official and private skills send it.',
    },
    marketSkills: {
      type: 'array',
      items: TEXT,
      description:
        'Market skills that may use a secret for all skills; absent when there are none.',
    },
    setAnew: {
      type: 'boolean',
      description:
        'True: this build cannot read where it may be sent, such as after going back to it from a later one. Calls are refused until it is set again.',
    },
    updatedAtMs: AT_MS,
  },
  ['skillId', 'tier', 'marketSkills', 'setAnew'],
)
const SECRET_EXAMPLE = {
  name: 'API_KEY',
  skillId: 'sg_weather',
  tier: 'official',
  origins: ['https://api.example.com'],
  updatedAtMs: 1795219200000,
}

export const SECRET_ROUTES: readonly Route[] = [
  {
    method: 'PUT',
    path: '/users/{uid}/secrets/{name}',
    operationId: 'setSecret',
    tag: 'Secrets',
    summary: 'Set a secret',
    description: 'Calls use it within 30 seconds, for the tier and origins that it is set for.',
    access: 'either',
    role: 'operator',
    params: { uid: UID, name: SECRET_NAME },
    query: PLACE_QUERY,
    body: {
      kind: 'json',
      schema: SECRET_VALUE,
      required: true,
      example: { value: 'the key that the upstream gave you' },
    },
    answers: { 200: { description: 'Set.', shown: { schema: SECRET, example: SECRET_EXAMPLE } } },
    refuses: ['not_found', 'conflict'],
    before: (ports, settings, request) => showSecret(ports, settings, readPlace(request)),
    run: async (ports, settings, request) =>
      toAnswer(200, await setSecret(ports, settings, readPlace(request), request.body)),
  },
  {
    method: 'GET',
    path: '/users/{uid}/secrets',
    operationId: 'listSecrets',
    tag: 'Secrets',
    summary: 'List secrets by name, date and use',
    description: 'Secrets for all skills first, then by skill and name. Values are never shown.',
    access: 'either',
    role: 'viewer',
    params: { uid: UID },
    query: toPageQuery({ max: SECRETS_PAGE_MAX, otherwise: SECRETS_PAGE_DEFAULT }),
    answers: {
      200: {
        description: 'A page of secrets.',
        shown: {
          schema: toAnsweredPage('SecretPage', 'secrets', SECRET),
          example: { secrets: [SECRET_EXAMPLE] },
        },
      },
    },
    refuses: ['not_found'],
    run: async (ports, _settings, request) =>
      toAnswer(200, await listSecrets(ports, readUid(request), readPageQuery(request))),
  },
  {
    method: 'DELETE',
    path: '/users/{uid}/secrets/{name}',
    operationId: 'deleteSecret',
    tag: 'Secrets',
    summary: 'Delete a secret',
    description: 'Calls stop using it within 30 seconds.',
    access: 'either',
    role: 'operator',
    params: { uid: UID, name: SECRET_NAME },
    query: PLACE_QUERY,
    answers: { 204: { description: 'Deleted.' } },
    refuses: ['not_found'],
    before: (ports, settings, request) => showSecret(ports, settings, readPlace(request)),
    run: async (ports, settings, request) =>
      toAnswer(204, await deleteSecret(ports, settings, readPlace(request))),
  },
]

function readPlace(request: RoutedRequest) {
  const { params, query } = request
  return { uid: readUid(request), name: params['name'] ?? '', skill: query['skill'] }
}
