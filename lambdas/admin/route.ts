/** What one admin route is, and what its flows may use. */
import type { AdminRequest } from '../../adapters/http/admin-kit.ts'
import { ADMIN_BODY_BYTES_MAX } from '../../adapters/http/request.ts'
import { ok, type Result } from '../../core/errors.ts'
import type { AdminAccess } from '../../core/flow/authenticate-admin.ts'
import type { PageQuery } from '../../core/flow/read-page.ts'
import type { Json } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import type { Hooks, Ports, SecretSeals } from '../../core/ports.ts'
import type { Settings } from '../../core/settings.ts'

export type AdminPorts = Pick<
  Ports,
  | 'adminSecrets'
  | 'broadcast'
  | 'clock'
  | 'digests'
  | 'ids'
  | 'keys'
  | 'ledger'
  | 'log'
  | 'profiles'
  | 'schemas'
  | 'secrets'
  | 'skills'
  | 'toolsCache'
> & {
  /** Judges options of skills and runs no hook. */
  readonly hooks: Pick<Hooks, 'optionFaults'>
  /** Sets secrets and reads none. */
  readonly secretSeals: Pick<SecretSeals, 'seal'>
}

/** `params` are the decoded path parameters. */
export type RoutedRequest = AdminRequest & { readonly params: readonly string[] }
/** `body` undefined: an empty answer. */
export type RouteAnswer = Result<{ status: number; body: object | undefined }>

export type Route = {
  readonly method: 'DELETE' | 'GET' | 'POST' | 'PUT'
  readonly path: RegExp
  /** The path as texts name it. */
  readonly shown: string
  readonly access: AdminAccess
  run(ports: AdminPorts, settings: Settings, request: RoutedRequest): Promise<RouteAnswer>
}

export function answer(status: number, result: Result<object | undefined>): RouteAnswer {
  return result.ok ? ok({ status, body: result.value }) : result
}

/** The whole body that the door lets in: a pushed tool list is longer than an agent's message. */
export function parseAdminJson(request: RoutedRequest): Result<Json> {
  return parseJson(request.body, { bytesMax: ADMIN_BODY_BYTES_MAX })
}

export function pageOf({ query }: RoutedRequest): PageQuery {
  return { limit: query.get('limit') ?? undefined, cursor: query.get('cursor') ?? undefined }
}

export function uidOf(request: RoutedRequest): string {
  return request.params[0] ?? ''
}
