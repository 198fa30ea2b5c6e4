/**
 * The definition of one admin route: its path, its credential, the JSON Schemas of request and
 * answer, and its flow. The same schemas check each request (read-request.ts) and form the OpenAPI
 * document (openapi.ts), so the two cannot disagree.
 */
import type { Administrator, AdminRole } from '../../core/access/admin-role.ts'
import type { ErrorCode, Result } from '../../core/errors.ts'
import { ok } from '../../core/errors.ts'
import type { AdminAccess } from '../../core/flow/access/authenticate-admin.ts'
import type { Json, JsonObject } from '../../core/json/json.ts'
import type { PageQuery } from '../../core/json/page-limit.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Hooks } from '../../core/ports/registry.ts'
import type { SecretSeals } from '../../core/ports/secrets.ts'
import type { Settings } from '../../core/settings.ts'
import type { PlanThreads } from './plans/plan-threads.ts'

/** Prefix of every route; paths in the table are relative to it. */
export const ADMIN_BASE = '/v1/admin'

export type AdminPorts = Pick<
  Ports,
  | 'adminKeys'
  | 'adminSecrets'
  | 'callExcerpts'
  | 'auditTrail'
  | 'events'
  | 'toolListVersion'
  | 'clock'
  | 'digests'
  | 'dryRuns'
  | 'ids'
  | 'keys'
  | 'ledger'
  | 'v0'
  | 'log'
  | 'openApiDocuments'
  | 'profiles'
  | 'schemas'
  | 'skillMarkdown'
  | 'secrets'
  | 'sharedSecrets'
  | 'skills'
  | 'skillVersions'
  | 'toolsCache'
  | 'usagePages'
  | 'usageSums'
  | 'usernames'
  | 'userDirectory'
> & {
  /** Ends the streams of a user who is deleted. */
  readonly leases: Pick<Ports['leases'], 'list' | 'remove'>
  readonly sessions: Pick<Ports['sessions'], 'end'>
  readonly rateCounters: Pick<Ports['rateCounters'], 'count' | 'read'>
  /** Judges hook options of skills; runs no hook. */
  readonly hooks: Pick<Hooks, 'optionFaults' | 'secretNames' | 'urls'>
  /** Sets secrets but cannot read them. */
  readonly secretSeals: Pick<SecretSeals, 'seal'>
}

/** As routes get them: the door starts the threads of plans. */
export type RoutePorts = AdminPorts & { readonly plans: PlanThreads }

/** JSON Schema 2020-12. A schema with a `title` becomes a component of the document. */
export type Schema = JsonObject
export type Properties = { readonly [name: string]: Schema }

/** `json` is parsed and checked against its schema; `text` goes to the flow unchanged. */
export type RouteBody =
  | {
      readonly kind: 'json'
      readonly schema: Schema
      /** False: a missing body counts as `{}`. */
      readonly required: boolean
      readonly example: Json
      /** A limit of the route in place of the door's. */
      readonly bytesMax?: number
      /** Default: JSON_DEPTH_MAX. */
      readonly depthMax?: number
      /**
       * A document of others: numbers that no double keeps become marked texts (core/json/exact-numbers.ts), and a name
       * that stands twice is refused. Elsewhere such a number is a fault.
       */
      readonly isDocument?: true
    }
  | {
      readonly kind: 'text'
      readonly content: { readonly [mediaType: string]: ResponseExample }
      /** Where another limit than the door's holds. */
      readonly bytesMax?: number
    }

export type ResponseExample = { readonly schema: Schema; readonly example: Json }

/** Without `shown` the answer has no body. */
export type RouteSuccess = {
  readonly description: string
  readonly shown?: ResponseExample
  /** Forms besides JSON that a request can ask for, by media type. */
  readonly texts?: { readonly [mediaType: string]: string }
}

export type Route = {
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'
  /** Below {@link ADMIN_BASE}; `{name}` is one segment, described in `params`. */
  readonly path: string
  readonly operationId: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  readonly access: AdminAccess
  /** The least role that may use it. */
  readonly role: AdminRole
  /**
   * For a POST that changes nothing. `recorded`: never, but it works long, so the audit trail has it. A function decides
   * for each request; the trail records none that only reads, and the flow judges the role.
   */
  readonly reads?: 'recorded' | ((request: RoutedRequest) => boolean)
  readonly params?: Properties
  readonly query?: Properties
  readonly body?: RouteBody
  readonly answers: { readonly [status: number]: RouteSuccess }
  /** Refusals in addition to those of every route (openapi-problems.ts). */
  readonly refuses: readonly ErrorCode[]
  /**
   * Reads the state that a change will replace, in the shape of its answer: the audit trail keeps digests of its members.
   * A refusal, such as that of an unknown user, counts as nothing.
   */
  before?(
    ports: AdminPorts,
    settings: Settings,
    request: RoutedRequest,
  ): Promise<Result<object | undefined>>
  run(ports: RoutePorts, settings: Settings, request: RoutedRequest): Promise<RouteAnswer>
}

export type Tag =
  | 'Tool list'
  | 'Skills'
  | 'Imports'
  | 'Users'
  | 'Calls'
  | 'Events'
  | 'Keys'
  | 'Secrets'
  | 'Administrators'
  | 'Service'

/** A request that fits the schemas of its route. */
export type RoutedRequest = {
  /** Who asks: a role that the route allows. */
  readonly admin: Administrator
  /** Decoded. */
  readonly params: { readonly [name: string]: string }
  /** As sent; numbers are still text. */
  readonly query: { readonly [name: string]: string }
  /** `{}` when none was sent, and for routes that take text or no body. */
  readonly body: Json
  /** '' unless the route takes a text. */
  readonly text: string
}

/** `body` undefined: an empty answer. A text names its type in the headers. */
export type RouteAnswer = Result<{
  status: number
  body: object | string | undefined
  headers?: { readonly [name: string]: string }
}>

/** Whether the audit trail has a request: it may change or cause something, or works long. */
export function isRecorded(route: Route, request: RoutedRequest): boolean {
  return route.reads === 'recorded' || isChanging(route, request)
}

export function isChanging({ method, reads }: Route, request: RoutedRequest): boolean {
  if (method === 'GET' || reads === 'recorded') return false
  return reads === undefined || !reads(request)
}

export function answer(status: number, result: Result<object | undefined>): RouteAnswer {
  return result.ok ? ok({ status, body: result.value }) : result
}

export function pageOf({ query }: RoutedRequest): PageQuery {
  return { limit: query['limit'], cursor: query['cursor'] }
}

export function uidOf({ params }: RoutedRequest): string {
  return params['uid'] ?? ''
}
