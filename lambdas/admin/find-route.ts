/**
 * Finds the route of a method and a path. A path segment that is not percent-encoded UTF-8 is
 * refused, because proxies and servers might decode it differently.
 */
import { ok, type Refusal, type Result, refuse } from '../../core/errors.ts'
import { ADMIN_BASE, type Route, type Schema } from './route.ts'
import { ROUTES } from './routes.ts'

export type FoundRoute = {
  readonly route: Route
  /** The decoded segments of the path, by name. */
  readonly params: { readonly [name: string]: string }
  readonly paramsSchema: Schema
  readonly querySchema: Schema
}

export type NoRoute = {
  readonly refusal: Refusal
  readonly headers?: Readonly<Record<string, string>>
}

type CompiledRoute = {
  readonly route: Route
  readonly names: readonly string[]
  readonly pattern: RegExp
  readonly paramsSchema: Schema
  readonly querySchema: Schema
}

/**
 * The route table with compiled patterns and schemas. Built once, because the validator caches
 * compiled schemas by identity.
 */
const COMPILED_ROUTES: readonly CompiledRoute[] = ROUTES.map((route) => ({
  route,
  names: [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
  pattern: toPattern(route.path),
  paramsSchema: { type: 'object', properties: route.params ?? {} },
  querySchema: { type: 'object', properties: route.query ?? {} },
}))

/**
 * An empty name before a verb, as in `/upstreams/:plan`, finds the verb's route, which refuses the
 * name. Otherwise `:plan` would be the name in a route without a verb.
 */
function toPattern(path: string): RegExp {
  const parts = path
    .replaceAll('.', '\\.')
    .replaceAll(/\{\w+\}(?=:)/g, '([^/]*)')
    .replaceAll(/\{\w+\}/g, '([^/]+)')
  return new RegExp(`^${parts}$`)
}

/** Finds the route. `path` has the version or not: `/v1/admin/users` or `/admin/users`. */
export function findRoute(method: string, path: string): Result<FoundRoute, NoRoute> {
  const routePath = /^(?:\/v1)?\/admin(\/.*)$/s.exec(path)?.[1] ?? ''
  const matches = COMPILED_ROUTES.flatMap((place) => {
    const match = place.pattern.exec(routePath)
    return match === null ? [] : [{ place, parts: match.slice(1) }]
  })
  const found = matches.find(({ place }) => place.route.method === method)
  if (found !== undefined) return readParams(found.place, found.parts)
  return { ok: false, error: matches.length === 0 ? refuseUnknownPath() : refuseMethod(matches) }
}

function readParams(place: CompiledRoute, parts: readonly string[]): Result<FoundRoute, NoRoute> {
  const params: { [name: string]: string } = {}
  for (const [index, name] of place.names.entries()) {
    const value = decodeSegment(parts[index] ?? '')
    if (value === undefined) {
      const fault = { pointer: `/path/${name}`, message: ENCODING_RULE }
      const refused = refuse('malformed', `/path/${name}: ${ENCODING_RULE}`, { faults: [fault] })
      return { ok: false, error: { refusal: refused.error } }
    }
    params[name] = value
  }
  return ok({ ...place, params })
}

const ENCODING_RULE = 'is not percent-encoded UTF-8; encode it once'

function decodeSegment(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    // The URIError adds no detail.
    return undefined
  }
}

function refuseUnknownPath(): NoRoute {
  const known = ROUTES.map(({ method, path }) => `${method} ${ADMIN_BASE}${path}`).join(', ')
  return {
    refusal: { code: 'not_found', detail: `path: there is nothing here. Routes: ${known}.` },
  }
}

function refuseMethod(matches: readonly { readonly place: CompiledRoute }[]): NoRoute {
  const allow = matches.map(({ place }) => place.route.method).join(', ')
  return {
    refusal: { code: 'method_not_allowed', detail: `This path takes ${allow}.` },
    headers: { allow },
  }
}
