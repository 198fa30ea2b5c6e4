/**
 * Shows the route table as one OpenAPI 3.1 document. The document adds no rules: its schemas are
 * those that check the requests. A schema with a title becomes a component of that name, and each
 * set of refusals becomes one response, so that the document stays short.
 */
import type { Json, JsonObject } from '../../core/json/json.ts'
import { isJsonObject } from '../../core/json/json.ts'
import { describeRefusals, PROBLEM_PARTS } from './openapi-problems.ts'
import {
  ADMIN_BASE,
  type Properties,
  type Route,
  type RouteBody,
  type RouteSuccess,
  type Schema,
} from './route.ts'

type Components = {
  readonly schemas: { [title: string]: Json }
  readonly responses: { [name: string]: Json }
}

/** Returns the document. `version` is the version of the build. */
export function toOpenApi(routes: readonly Route[], version: string): JsonObject {
  const components: Components = { schemas: {}, responses: {} }
  const paths: { [path: string]: JsonObject } = {}
  for (const route of routes) {
    const operation = toOperation(route, components)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  const tags = [...new Set(routes.map(({ tag }) => tag))]
  return {
    openapi: '3.1.0',
    info: { title: 'Skillgate administration', version, description: ABOUT },
    servers: [{ url: ADMIN_BASE, description: 'Where this document came from.' }],
    tags: tags.map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...sortByName(components.schemas), ...PROBLEM_PARTS.schemas },
      responses: sortByName(components.responses),
      headers: PROBLEM_PARTS.headers,
      securitySchemes: SECURITY_SCHEMES,
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

function toOperation(route: Route, components: Components): JsonObject {
  const { answers, body, description, operationId, summary, tag } = route
  const parameters = [
    ...toParameters('path', route.params ?? {}, components),
    ...toParameters('query', route.query ?? {}, components),
  ]
  const responses: { [status: string]: Json } = {}
  for (const [status, success] of Object.entries(answers)) {
    responses[status] = { description: success.description, ...toContents(success, components) }
  }
  for (const { name, response, status } of describeRefusals(route)) {
    components.responses[name] = response
    responses[status] = { $ref: `#/components/responses/${name}` }
  }
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: toSecurity(route),
    'x-role': route.role,
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
