/**
 * Finds the route of a method and a path. A path segment that is not percent-encoded UTF-8 is
 * refused, because proxies and servers might decode it differently.
 */
import { ok, type Refusal, type Result, refuse } from '../../core/errors.ts'
import { ADMIN_BASE, type Route, type Schema } from './route.ts'
import { ROUTES } from './routes.ts'

export type FoundRoute = {
  readonly route: Route
  /** Decoded. */
  readonly params: { readonly [name: string]: string }
  readonly paramsSchema: Schema
  readonly querySchema: Schema
}

export type NoRoute = {
  readonly refusal: Refusal
  readonly headers?: Readonly<Record<string, string>>
}

type Place = {
  readonly route: Route
  readonly names: readonly string[]
  readonly pattern: RegExp
  readonly paramsSchema: Schema
  readonly querySchema: Schema
}

/** Built once, because the validator caches compiled schemas by identity. */
const PLACES: readonly Place[] = ROUTES.map((route) => ({
  route,
  names: [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
  pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
  paramsSchema: { type: 'object', properties: route.params ?? {} },
  querySchema: { type: 'object', properties: route.query ?? {} },
}))

/** `path` with or without the stage: `/v1/admin/users` or `/admin/users`. */
export function findRoute(method: string, path: string): Result<FoundRoute, NoRoute> {
  const below = /^(?:\/v1)?\/admin(\/.*)$/s.exec(path)?.[1] ?? ''
  const matches = PLACES.flatMap((place) => {
    const match = place.pattern.exec(below)
    return match === null ? [] : [{ place, parts: match.slice(1) }]
  })
  const found = matches.find(({ place }) => place.route.method === method)
  if (found !== undefined) return readParams(found.place, found.parts)
  return { ok: false, error: matches.length === 0 ? nothing() : otherMethod(matches) }
}

function readParams(place: Place, parts: readonly string[]): Result<FoundRoute, NoRoute> {
  const params: { [name: string]: string } = {}
  for (const [index, name] of place.names.entries()) {
    const value = decode(parts[index] ?? '')
    if (value === undefined) {
      const fault = { pointer: `/path/${name}`, message: BROKEN }
      const refused = refuse('malformed', `/path/${name}: ${BROKEN}`, { faults: [fault] })
      return { ok: false, error: { refusal: refused.error } }
    }
    params[name] = value
  }
  return ok({ ...place, params })
}

const BROKEN = 'is not percent-encoded UTF-8; encode it once'

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    // The URIError adds no detail.
    return undefined
  }
}

function nothing(): NoRoute {
  const known = ROUTES.map(({ method, path }) => `${method} ${ADMIN_BASE}${path}`).join(', ')
  return {
    refusal: { code: 'not_found', detail: `path: there is nothing here. Routes: ${known}.` },
  }
}

function otherMethod(matches: readonly { readonly place: Place }[]): NoRoute {
  const allow = matches.map(({ place }) => place.route.method).join(', ')
  return {
    refusal: { code: 'method_not_allowed', detail: `This path takes ${allow}.` },
    headers: { allow },
  }
}
