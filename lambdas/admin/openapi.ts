/**
 * Shows a table of routes as one OpenAPI 3.1 document. The document adds no rules: its schemas are
 * those that check the requests. A schema with a title becomes a component of that name, and each
 * set of refusals becomes one response, so that the document stays short.
 */
import type { ErrorCode } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json/json.ts'
import { isJsonObject } from '../../core/json/json.ts'
import {
  ALWAYS_REFUSED,
  describeProblems,
  describeRefusals,
  PROBLEM_HEADERS,
} from './openapi-problems.ts'
import {
  ADMIN_BASE,
  type Properties,
  type Route,
  type RouteBody,
  type RouteShape,
  type RouteSuccess,
  type Schema,
} from './route.ts'

type Components = {
  readonly schemas: { [title: string]: Json }
  readonly responses: { [name: string]: Json }
}

/** What a document says about all routes of a table. */
export type DescribedApi<R extends RouteShape> = {
  readonly title: string
  readonly about: string
  /** Prefix of the paths in the table. */
  readonly base: string
  readonly securitySchemes: JsonObject
  /** Refusals of every route. */
  readonly refuses: readonly ErrorCode[]
  /** Returns `security` and further members of the operation. */
  describeAccess(route: R): JsonObject
}

/** Returns the document of the admin API. `version` is the version of the build. */
export function toOpenApi(routes: readonly Route[], version: string): JsonObject {
  return writeOpenApi(ADMIN_API, routes, version)
}

/** Returns the document of any table. */
export function writeOpenApi<R extends RouteShape>(
  api: DescribedApi<R>,
  routes: readonly R[],
  version: string,
): JsonObject {
  const components: Components = { schemas: {}, responses: {} }
  const paths: { [path: string]: JsonObject } = {}
  for (const route of routes) {
    const operation = toOperation(api, route, components)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  const tags = [...new Set(routes.map(({ tag }) => tag))]
  return {
    openapi: '3.1.0',
    info: { title: api.title, version, description: api.about },
    servers: [{ url: api.base, description: 'Where this document came from.' }],
    tags: tags.map((name) => ({ name })),
    paths,
    components: {
      schemas: {
        ...sortByName(components.schemas),
        ...describeProblems('Remedy' in components.schemas),
      },
      responses: sortByName(components.responses),
      headers: PROBLEM_HEADERS,
      securitySchemes: api.securitySchemes,
    },
  }
}

const ABOUT =
  'Repeated, unknown and invalid fields are refused by name, with a JSON ' +
  'Pointer into the body, or `/path/…` and `/query/…` for parameters. Lists are paged by ' +
  '`limit` and `cursor`. Bodies may have 3 MB, those of sets and imports 4 MB. `x-role` is the least role of a named key: owner may do all, ' +
  'operator and publisher their part and all that viewer may.'

const SECURITY_SCHEMES: JsonObject = {
  internalSecret: {
    type: 'http',
    scheme: 'bearer',
    description: 'The internal API secret, for every route.',
  },
  adminKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Admin-Key',
    description:
      'The admin key, or a named key (`sga_…`) whose role allows the route. Never together with Authorization.',
  },
  adminKeyBearer: { type: 'http', scheme: 'bearer', description: 'Either of them as bearer.' },
}

const ADMIN_API: DescribedApi<Route> = {
  title: 'Skillgate administration',
  about: ABOUT,
  base: ADMIN_BASE,
  securitySchemes: SECURITY_SCHEMES,
  refuses: ALWAYS_REFUSED,
  describeAccess: (route) => ({ security: toSecurity(route), 'x-role': route.role }),
}

function toOperation<R extends RouteShape>(
  api: DescribedApi<R>,
  route: R,
  components: Components,
): JsonObject {
  const { answers, body, description, operationId, summary, tag } = route
  const parameters = [
    ...toParameters('path', route.params ?? {}, components),
    ...toParameters('query', route.query ?? {}, components),
  ]
  const responses: { [status: string]: Json } = {}
  for (const [status, success] of Object.entries(answers)) {
    responses[status] = { description: success.description, ...toContents(success, components) }
  }
  for (const { name, response, status } of describeRefusals(route, api.refuses)) {
    components.responses[name] = response
    responses[status] = { $ref: `#/components/responses/${name}` }
  }
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...api.describeAccess(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: toRequestBody(body, components) }),
    responses,
  }
}

function toContents({ shown, texts = {} }: RouteSuccess, components: Components): JsonObject {
  if (shown === undefined) return {}
  const others = Object.entries(texts).map(([type, example]) =>
    toContent(type, { schema: { type: 'string' }, example }, components),
  )
  return { content: Object.assign(toContent('application/json', shown, components), ...others) }
}

function toSecurity({ access }: Route): Json {
  if (access === 'internal-secret') return [{ internalSecret: [] }]
  return [{ internalSecret: [] }, { adminKey: [] }, { adminKeyBearer: [] }]
}

function toParameters(
  place: 'path' | 'query',
  properties: Properties,
  components: Components,
): readonly JsonObject[] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    ...(description === undefined ? {} : { description }),
    ...(place === 'path' ? { required: true } : {}),
    schema: extractTitled(schema, components),
  }))
}

function toRequestBody(body: RouteBody, components: Components): JsonObject {
  if (body.kind === 'json') {
    return { required: body.required, content: toContent('application/json', body, components) }
  }
  const contents = Object.entries(body.content).map(([type, shown]) =>
    toContent(type, shown, components),
  )
  return { required: true, content: Object.assign({}, ...contents) }
}

function toContent(
  mediaType: string,
  { example, schema }: { readonly schema: Schema; readonly example: Json },
  components: Components,
): JsonObject {
  return { [mediaType]: { schema: extractTitled(schema, components), example } }
}

/** Keywords whose values are data, even if they look like schemas. */
const DATA_KEYWORDS = new Set(['const', 'default', 'enum', 'examples', 'required'])

/**
 * Moves every titled schema in `schema`, including `schema` itself, to the components, and returns
 * references to them.
 */
function extractTitled(schema: Json, components: Components): Json {
  if (Array.isArray(schema)) return schema.map((one: Json) => extractTitled(one, components))
  if (!isJsonObject(schema)) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      DATA_KEYWORDS.has(keyword) ? value : extractTitled(value, components),
    ]),
  )
  const title = schema['title']
  if (typeof title !== 'string') return inner
  components.schemas[title] = inner
  return { $ref: `#/components/schemas/${title}` }
}

function sortByName(components: { readonly [name: string]: Json }): JsonObject {
  return Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)))
}
