/** The routes of the users' API for tools and for the secrets that they need. No response has a value. */
import {
  listOwnTools,
  OWN_TOOLS_PAGE_DEFAULT,
  OWN_TOOLS_PAGE_MAX,
} from '../../../core/flow/account/list-own-tools.ts'
import { setOwnSecret } from '../../../core/flow/account/set-own-secret.ts'
import { deleteSecret, listSecrets, showSecret } from '../../../core/flow/users/manage-secrets.ts'
import { SEARCH_QUERY_CHARS_MAX } from '../../../core/skills/limits.ts'
import { type RouteBody, readPageQuery, toAnswer } from '../route.ts'
import { ORIGINS, SECRET_NAME, SECRET_ROUTES, SECRET_VALUE } from '../routes/secret-routes.ts'
import {
  CREDITS_SHOWN,
  SOURCE,
  TEXT,
  toAnsweredObject,
  toAnsweredPage,
  toPageQuery,
} from '../schemas/field-schemas.ts'
import { readCallerUid, shareForm, type UserRequest, type UserRoute } from './user-route.ts'

const YES = { type: 'boolean', enum: [true] }

const TOOL_SECRET = toAnsweredObject(
  'ToolSecret',
  {
    name: SECRET_NAME,
    origins: { type: 'array', items: TEXT, description: 'Where the tool sends it.' },
    isSet: { type: 'boolean', description: 'A call would get it.' },
    isShared: { ...YES, description: 'The gateway has a value for users who set none.' },
    mustConfirm: {
      ...YES,
      description: 'Set, but not for where the tool sends now; setting it again confirms that.',
    },
    isLogin: { ...YES, description: 'A login at the upstream, which begins with the first call.' },
  },
  ['isShared', 'mustConfirm', 'isLogin'],
)

const TOOL = toAnsweredObject(
  'MyTool',
  {
    name: TEXT,
    title: TEXT,
    description: TEXT,
    inputSchema: { type: 'object', description: 'JSON Schema of the arguments.' },
    price: { ...CREDITS_SHOWN, description: 'Credits of one call.' },
    source: SOURCE,
    skillId: { ...TEXT, description: 'Names the tool in ?skill= of a secret.' },
    secrets: { type: 'array', items: TOOL_SECRET },
  },
  ['title', 'source', 'skillId'],
)

const TOOL_EXAMPLE = {
  name: 'sg_weather',
  description: 'The weather in a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
  price: 0.5,
  source: 'official',
  skillId: 'sg_weather',
  secrets: [{ name: 'API_KEY', origins: ['https://api.example.com'], isSet: false }],
}

const TOOL_ROUTE: UserRoute = {
  method: 'GET',
  path: '/me/tools',
  operationId: 'listMyTools',
  tag: 'Tools',
  summary: 'List the tools that you may call',
  description:
    'By name, or with `search` the best matches first, on one page. Each tool has its price, its schema, and the secrets that it needs. A page of long tools may have fewer than its limit.',
  needs: 'any',
  query: {
    search: {
      type: 'string',
      minLength: 1,
      maxLength: SEARCH_QUERY_CHARS_MAX,
      description: 'Words that describe a tool.',
      'x-rule': `must be 1 to ${SEARCH_QUERY_CHARS_MAX} characters`,
    },
    ...toPageQuery({ max: OWN_TOOLS_PAGE_MAX, otherwise: OWN_TOOLS_PAGE_DEFAULT }),
  },
  answers: {
    200: {
      description: 'A page of tools.',
      shown: {
        schema: toAnsweredPage('MyToolPage', 'tools', TOOL),
        example: { tools: [TOOL_EXAMPLE] },
      },
    },
  },
  refuses: [],
  run: async (ports, settings, request) => {
    const { caller, lists, query } = request
    const asked = { search: query['search'], ...readPageQuery(request) }
    return toAnswer(200, await listOwnTools(ports, settings, { caller, lists, query: asked }))
  },
}

/** The body of administrators, with the origins that the user has seen. */
const OWN_VALUE: RouteBody = {
  kind: 'json',
  schema: {
    ...SECRET_VALUE,
    title: 'MySecretValue',
    properties: {
      ...Object(SECRET_VALUE['properties']),
      confirmedOrigins: {
        ...ORIGINS,
        description:
          'With `?skill=`: the origins that you saw for the tool. If it sends to another one by now, nothing is stored.',
      },
    },
  },
  required: true,
  example: {
    value: 'the key that the upstream gave you',
    confirmedOrigins: ['https://api.example.com'],
  },
}

function readPlace(request: UserRequest) {
  const { params, query } = request
  return { uid: readCallerUid(request), name: params['name'] ?? '', skill: query['skill'] }
}

export const OWN_TOOL_ROUTES: readonly UserRoute[] = [
  TOOL_ROUTE,
  {
    ...shareForm(SECRET_ROUTES, 'listSecrets'),
    method: 'GET',
    path: '/me/secrets',
    operationId: 'listMySecrets',
    tag: 'Secrets',
    summary: 'List your secrets by name, date and use',
    description: 'Secrets for all skills first, then by skill and name. Values are never shown.',
    needs: 'managing',
    run: async (ports, _settings, request) =>
      toAnswer(200, await listSecrets(ports, readCallerUid(request), readPageQuery(request))),
  },
  {
    ...shareForm(SECRET_ROUTES, 'setSecret'),
    method: 'PUT',
    path: '/me/secrets/{name}',
    operationId: 'setMySecret',
    tag: 'Secrets',
    summary: 'Set one of your secrets',
    description: 'Calls use it within 30 seconds, for the tier and origins that it is set for.',
    needs: 'managing',
    body: OWN_VALUE,
    before: (ports, settings, request) => showSecret(ports, settings, readPlace(request)),
    run: async (ports, settings, request) => {
      const { name, skill } = readPlace(request)
      const secret = { profile: request.caller.profile, name, skill }
      return toAnswer(200, await setOwnSecret(ports, settings, secret, request.body))
    },
  },
  {
    ...shareForm(SECRET_ROUTES, 'deleteSecret'),
    method: 'DELETE',
    path: '/me/secrets/{name}',
    operationId: 'deleteMySecret',
    tag: 'Secrets',
    summary: 'Delete one of your secrets',
    description: 'Calls stop using it within 30 seconds.',
    needs: 'managing',
    before: (ports, settings, request) => showSecret(ports, settings, readPlace(request)),
    run: async (ports, settings, request) =>
      toAnswer(204, await deleteSecret(ports, settings, readPlace(request))),
  },
]
