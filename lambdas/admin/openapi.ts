/**
 * The route table as one OpenAPI 3.1 document. It adds no rules: it shows the schemas that check
 * the requests. A schema with a title becomes a component of that name, and each set of refusals
 * one response, so that the document stays short.
 */
import type { Json, JsonObject } from '../../core/json/json.ts'
import { isJsonObject } from '../../core/json/json.ts'
import { PROBLEM_PARTS, refusalsOf } from './openapi-problems.ts'
import {
  ADMIN_BASE,
  type Properties,
  type Route,
  type RouteBody,
  type RouteSuccess,
  type Schema,
} from './route.ts'

type Parts = {
  readonly schemas: { [title: string]: Json }
  readonly responses: { [name: string]: Json }
}

export function openApiOf(routes: readonly Route[], version: string): JsonObject {
  const parts: Parts = { schemas: {}, responses: {} }
  const paths: { [path: string]: JsonObject } = {}
  for (const route of routes) {
    const operation = operationOf(route, parts)
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
      schemas: { ...sorted(parts.schemas), ...PROBLEM_PARTS.schemas },
      responses: sorted(parts.responses),
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

function operationOf(route: Route, parts: Parts): JsonObject {
  const { answers, body, description, operationId, summary, tag } = route
  const parameters = [
    ...parametersOf('path', route.params ?? {}, parts),
    ...parametersOf('query', route.query ?? {}, parts),
  ]
  const responses: { [status: string]: Json } = {}
  for (const [status, success] of Object.entries(answers)) {
    responses[status] = { description: success.description, ...contentsOf(success, parts) }
  }
  for (const { name, response, status } of refusalsOf(route)) {
    parts.responses[name] = response
    responses[status] = { $ref: `#/components/responses/${name}` }
  }
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: securityOf(route),
    'x-role': route.role,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBodyOf(body, parts) }),
    responses,
  }
}

function contentsOf({ shown, texts = {} }: RouteSuccess, parts: Parts): JsonObject {
  if (shown === undefined) return {}
  const others = Object.entries(texts).map(([type, example]) =>
    contentOf(type, { schema: { type: 'string' }, example }, parts),
  )
  return { content: Object.assign(contentOf('application/json', shown, parts), ...others) }
}

function securityOf({ access }: Route): Json {
  if (access === 'internal-secret') return [{ internalSecret: [] }]
  return [{ internalSecret: [] }, { adminKey: [] }, { adminKeyBearer: [] }]
}

function parametersOf(
  place: 'path' | 'query',
  properties: Properties,
  parts: Parts,
): readonly JsonObject[] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    ...(description === undefined ? {} : { description }),
    ...(place === 'path' ? { required: true } : {}),
    schema: referring(schema, parts),
  }))
}

function requestBodyOf(body: RouteBody, parts: Parts): JsonObject {
  if (body.kind === 'json') {
    return { required: body.required, content: contentOf('application/json', body, parts) }
  }
  const contents = Object.entries(body.content).map(([type, shown]) =>
    contentOf(type, shown, parts),
  )
  return { required: true, content: Object.assign({}, ...contents) }
}

function contentOf(
  mediaType: string,
  { example, schema }: { readonly schema: Schema; readonly example: Json },
  parts: Parts,
): JsonObject {
  return { [mediaType]: { schema: referring(schema, parts), example } }
}

/** Keywords whose values are data, even if they look like schemas. */
const DATA = new Set(['const', 'default', 'enum', 'examples', 'required'])

/** Moves every titled schema in `schema`, itself included, to the components. */
function referring(schema: Json, parts: Parts): Json {
  if (Array.isArray(schema)) return schema.map((one: Json) => referring(one, parts))
  if (!isJsonObject(schema)) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      DATA.has(keyword) ? value : referring(value, parts),
    ]),
  )
  const title = schema['title']
  if (typeof title !== 'string') return inner
  parts.schemas[title] = inner
  return { $ref: `#/components/schemas/${title}` }
}

function sorted(parts: { readonly [name: string]: Json }): JsonObject {
  return Object.fromEntries(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)))
}
