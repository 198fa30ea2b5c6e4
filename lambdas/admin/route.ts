/**
 * What one admin route is: where it stands, who may ask, the JSON Schemas of what it takes and answers,
 * and the flow behind it. The same schemas check each request (read-request.ts) and are served as one
 * OpenAPI document (openapi.ts), so that neither can say something that the other does not.
 */
import type { ErrorCode, Result } from '../../core/errors.ts'
import { ok } from '../../core/errors.ts'
import type { AdminAccess } from '../../core/flow/access/authenticate-admin.ts'
import type { Json, JsonObject } from '../../core/json/json.ts'
import type { PageQuery } from '../../core/json/page-limit.ts'
import type { Hooks, Ports, SecretSeals } from '../../core/ports.ts'
import type { Settings } from '../../core/settings.ts'

/** Every route is below it; paths of the table are relative to it. */
export const ADMIN_BASE = '/v1/admin'

export type AdminPorts = Pick<
  Ports,
  | 'adminSecrets'
  | 'toolListVersion'
  | 'clock'
  | 'digests'
  | 'ids'
  | 'keys'
  | 'ledger'
  | 'v0'
  | 'log'
  | 'profiles'
  | 'schemas'
  | 'skillMarkdown'
  | 'secrets'
  | 'skills'
  | 'toolsCache'
> & {
  /** Judges options of skills and runs no hook. */
  readonly hooks: Pick<Hooks, 'optionFaults' | 'secretNames' | 'urls'>
  /** Sets secrets and reads none. */
  readonly secretSeals: Pick<SecretSeals, 'seal'>
}

/** JSON Schema 2020-12. One with a `title` becomes a component of the document under that name. */
export type Schema = JsonObject
export type Properties = { readonly [name: string]: Schema }

/** `json` is parsed and held against its schema; `text` goes to the flow as it is. */
export type RouteBody =
  | {
      readonly kind: 'json'
      readonly schema: Schema
      /** False: no body means `{}`. */
      readonly required: boolean
      readonly example: Json
    }
  | { readonly kind: 'text'; readonly content: { readonly [mediaType: string]: ResponseExample } }

export type ResponseExample = { readonly schema: Schema; readonly example: Json }

/** Without `shown` the answer has no body. */
export type RouteSuccess = { readonly description: string; readonly shown?: ResponseExample }

export type Route = {
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'
  /** Below {@link ADMIN_BASE}; `{name}` is one segment, described in `params`. */
  readonly path: string
  readonly operationId: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  readonly access: AdminAccess
  readonly params?: Properties
  readonly query?: Properties
  readonly body?: RouteBody
  readonly answers: { readonly [status: number]: RouteSuccess }
  /** What it refuses with besides what every route does (openapi.ts). */
  readonly refuses: readonly ErrorCode[]
  run(ports: AdminPorts, settings: Settings, request: RoutedRequest): Promise<RouteAnswer>
}

export type Tag = 'Tool list' | 'Skills' | 'Users' | 'Keys' | 'Secrets' | 'Service'

/** A request that fits the schemas of its route. */
export type RoutedRequest = {
  /** Decoded. */
  readonly params: { readonly [name: string]: string }
  /** As sent; a number is still its text. */
  readonly query: { readonly [name: string]: string }
  /** `{}` where none was sent, and for routes that take a text or none. */
  readonly body: Json
  /** '' unless the route takes a text. */
  readonly text: string
}

/** `body` undefined: an empty answer. */
export type RouteAnswer = Result<{ status: number; body: object | undefined }>

export function answer(status: number, result: Result<object | undefined>): RouteAnswer {
  return result.ok ? ok({ status, body: result.value }) : result
}

export function pageOf({ query }: RoutedRequest): PageQuery {
  return { limit: query['limit'], cursor: query['cursor'] }
}

export function uidOf({ params }: RoutedRequest): string {
  return params['uid'] ?? ''
}
