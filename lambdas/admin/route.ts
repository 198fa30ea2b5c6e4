/**
 * The definition of a route of the admin function: its path, its credential, the JSON Schemas of
 * request and response, and its flow. The same schemas check each request (read-request.ts) and form
 * the OpenAPI document (openapi.ts), so the two cannot disagree. Routes of users have the same shape
 * (me/user-route.ts).
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
  | 'alarms'
  | 'callExcerpts'
  | 'auditTrail'
  | 'events'
  | 'guides'
  | 'toolListVersion'
  | 'clock'
  | 'digests'
  | 'dryRuns'
  | 'identityInvites'
  | 'ids'
  | 'keys'
  | 'ledger'
  | 'v0'
  | 'log'
  | 'mcpListings'
  | 'mcpUpstreams'
  | 'openApiDocuments'
  | 'profiles'
  | 'schemas'
  | 'skillMarkdown'
  | 'secrets'
  | 'sharedSecrets'
  | 'skills'
  | 'skillVersions'
  | 'taggedFunctions'
  | 'tokenVerifier'
  | 'toolsCache'
  | 'usagePages'
  | 'usageSums'
  | 'usernames'
  | 'userDirectory'
> & {
  /** Makes the calls that users try; a call is made by the function execute. */
  readonly execute: Pick<Ports['execute'], 'execute'>
  /** For ending the streams of a user who is deleted. */
  readonly leases: Pick<Ports['leases'], 'list' | 'remove'>
  readonly logins: Pick<Ports['logins'], 'end' | 'find' | 'list' | 'readSecret' | 'secret'>
  readonly sessions: Pick<Ports['sessions'], 'end'>
  readonly rateCounters: Pick<Ports['rateCounters'], 'count' | 'read'>
  /** For tasks, which stand in the minutes of their deadlines, and how far the sweep has come. */
  readonly sweepEntries: Pick<Ports['sweepEntries'], 'list' | 'readCursor'>
  /** Checks the hook options of skills; runs no hook. */
  readonly hooks: Pick<Hooks, 'optionFaults' | 'secretNames' | 'urls'>
  /** Seals secrets and cannot read them. */
  readonly secretSeals: Pick<SecretSeals, 'seal'>
}

/** The ports that routes get; the door adds the threads that make plans. */
export type RoutePorts = AdminPorts & { readonly plans: PlanThreads }

/** JSON Schema 2020-12. A schema with a `title` becomes a component of the OpenAPI document. */
export type Schema = JsonObject
export type Properties = { readonly [name: string]: Schema }

/** `json` is parsed and checked against its schema; `text` goes to the flow unchanged. */
export type RouteBody =
  | {
      readonly kind: 'json'
      readonly schema: Schema
      /** If false, a missing body is read as `{}`. */
      readonly required: boolean
      readonly example: Json
      /** Replaces the door's limit in bytes. */
      readonly bytesMax?: number
      /** Most levels of nesting. Default: JSON_DEPTH_MAX. */
      readonly depthMax?: number
      /**
       * True for a foreign document: numbers that no double keeps become marked texts
       * (core/json/exact-numbers.ts), and a repeated name is refused. In other bodies such a number
       * is an error.
       */
      readonly isDocument?: true
    }
  | {
      readonly kind: 'text'
      readonly content: { readonly [mediaType: string]: ResponseExample }
      /** Replaces the door's limit in bytes. */
      readonly bytesMax?: number
    }

export type ResponseExample = { readonly schema: Schema; readonly example: Json }

/** A successful response. Without `shown` it has no body. */
export type RouteSuccess = {
  readonly description: string
  readonly shown?: ResponseExample
  /** Examples of other formats that a request can choose, by media type. */
  readonly texts?: { readonly [mediaType: string]: string }
}

/** What a route says to its callers. */
export type RouteShape = {
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'
  /** The path below the base of its table; `{name}` is one segment, described in `params`. */
  readonly path: string
  readonly operationId: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  readonly params?: Properties
  readonly query?: Properties
  readonly body?: RouteBody
  readonly answers: { readonly [status: number]: RouteSuccess }
  /** Refusals in addition to those of every route (openapi-problems.ts). */
  readonly refuses: readonly ErrorCode[]
}

/** A route whose flow gets requests of the type `Request`. */
export type RouteOf<Request> = RouteShape & {
  /**
   * For a POST that changes nothing. `recorded`: the route never changes anything but works long,
   * so the audit trail records it. A function decides for each request; the trail skips requests
   * that only read, and the flow checks the role.
   */
  readonly reads?: 'recorded' | ((request: Request) => boolean)
  /**
   * Reads the state that a change will replace, in the shape of the route's response; the audit
   * trail keeps digests of its members. A refusal, such as that of an unknown user, is treated as
   * no state.
   */
  before?(
    ports: AdminPorts,
    settings: Settings,
    request: Request,
  ): Promise<Result<object | undefined>>
  run(ports: RoutePorts, settings: Settings, request: Request): Promise<RouteAnswer>
}

/** A route of administrators, below {@link ADMIN_BASE}. */
export type Route = RouteOf<RoutedRequest> & {
  readonly access: AdminAccess
  /** The least role that may use the route. */
  readonly role: AdminRole
}

export type Tag =
  | 'Tool list'
  | 'Skills'
  | 'Guides'
  | 'Imports'
  | 'Upstreams'
  | 'Users'
  | 'Calls'
  | 'Events'
  | 'Keys'
  | 'Secrets'
  | 'Administrators'
  | 'Account'
  | 'Tools'
  | 'Service'

/** A request that fits the schemas of its route. */
export type CheckedRequest = {
  /** The decoded path parameters. */
  readonly params: { readonly [name: string]: string }
  /** The query as it was sent; numbers are still text. */
  readonly query: { readonly [name: string]: string }
  /** `{}` if no body was sent, and for routes that take text or no body. */
  readonly body: Json
  /** Empty unless the route takes a text. */
  readonly text: string
}

/** A request of an administrator, whose role the route allows. */
export type RoutedRequest = CheckedRequest & { readonly admin: Administrator }

/** If `body` is undefined the response is empty. A text names its type in the headers. */
export type RouteAnswer = Result<{
  status: number
  body: object | string | undefined
  headers?: { readonly [name: string]: string }
}>

/**
 * Tells whether the audit trail records a request: it may change or cause something, or it works
 * long.
 */
export function isRecorded<Request>(route: RouteOf<Request>, request: Request): boolean {
  return route.reads === 'recorded' || isChanging(route, request)
}

/** Tells whether a request may change something. */
export function isChanging<Request>(
  { method, reads }: Pick<RouteOf<Request>, 'method' | 'reads'>,
  request: Request,
): boolean {
  if (method === 'GET' || reads === 'recorded') return false
  return reads === undefined || !reads(request)
}

/** Returns the result of a flow as a response with this status; a refusal stays a refusal. */
export function toAnswer(status: number, result: Result<object | undefined>): RouteAnswer {
  return result.ok ? ok({ status, body: result.value }) : result
}

/** Reads limit and cursor of the query. */
export function readPageQuery({ query }: Pick<CheckedRequest, 'query'>): PageQuery {
  return { limit: query['limit'], cursor: query['cursor'] }
}

/** Reads the uid of the path. */
export function readUid({ params }: Pick<CheckedRequest, 'params'>): string {
  return params['uid'] ?? ''
}
