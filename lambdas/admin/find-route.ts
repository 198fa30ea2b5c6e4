/**
 * Finds the route of a method and a path in a table. A path segment that is not percent-encoded
 * UTF-8 is refused, because proxies and servers might decode it differently.
 */
import { ok, type Refusal, type Result, refuse } from '../../core/errors.ts'
import { ADMIN_BASE, type RouteShape, type Schema } from './route.ts'
import { ROUTES } from './routes.ts'

export type FoundRoute<R extends RouteShape> = {
  readonly route: R
  /** The decoded segments of the path, by name. */
  readonly params: { readonly [name: string]: string }
  readonly paramsSchema: Schema
  readonly querySchema: Schema
}

export type NoRoute = {
  readonly refusal: Refusal
  readonly headers?: Readonly<Record<string, string>>
}

type CompiledRoute<R extends RouteShape> = {
  readonly route: R
  readonly names: readonly string[]
  readonly pattern: RegExp
  readonly paramsSchema: Schema
  readonly querySchema: Schema
}

export type RouteFinder<R extends RouteShape> = (
  method: string,
  path: string,
) => Result<FoundRoute<R>, NoRoute>

/**
 * Returns the finder of a table whose paths are below `base`, which begins with the version. The
 * finder takes paths with the version or without it: `/v1/admin/users` or `/admin/users`. Patterns
 * and schemas are compiled once, because the validator caches compiled schemas by identity.
 */
export function makeRouteFinder<R extends RouteShape>(
  base: string,
  routes: readonly R[],
): RouteFinder<R> {
  const compiled = routes.map((route) => ({
    route,
    names: [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    pattern: toPattern(route.path),
    paramsSchema: { type: 'object', properties: route.params ?? {} },
    querySchema: { type: 'object', properties: route.query ?? {} },
  }))
  const below = new RegExp(`^(?:/v1)?${base.replace(/^\/v1/, '')}(/.*)$`, 's')
  const known = routes.map(({ method, path }) => `${method} ${base}${path}`).join(', ')
  return (method, path) => {
    const routePath = below.exec(path)?.[1] ?? ''
    const matches = compiled.flatMap((place) => {
      const match = place.pattern.exec(routePath)
      return match === null ? [] : [{ place, parts: match.slice(1) }]
    })
    const found = matches.find(({ place }) => place.route.method === method)
    if (found !== undefined) return readParams(found.place, found.parts)
    const error = matches.length === 0 ? refuseUnknownPath(known) : refuseMethod(matches)
    return { ok: false, error }
  }
}

/** Finds a route of administrators. */
export const findRoute = makeRouteFinder(ADMIN_BASE, ROUTES)

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

function readParams<R extends RouteShape>(
  place: CompiledRoute<R>,
  parts: readonly string[],
): Result<FoundRoute<R>, NoRoute> {
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

function refuseUnknownPath(known: string): NoRoute {
  return {
    refusal: { code: 'not_found', detail: `path: there is nothing here. Routes: ${known}.` },
  }
}

function refuseMethod(
  matches: readonly { readonly place: { readonly route: RouteShape } }[],
): NoRoute {
  const allow = matches.map(({ place }) => place.route.method).join(', ')
  return {
    refusal: { code: 'method_not_allowed', detail: `This path takes ${allow}.` },
    headers: { allow },
  }
}
