/** The admin door as a client sees it, over a world in memory: one request, its answer read back. */
import type { AdminDoor } from '../../../adapters/http/admin-kit.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import type { Settings } from '../../../core/settings.ts'
import { type AdminPorts, createAdminDoor } from '../../../lambdas/admin/door.ts'

export type AdminCall = {
  readonly headers?: { readonly [name: string]: string }
  /** As API Gateway adds it: every value of every header. */
  readonly multiValueHeaders?: { readonly [name: string]: readonly string[] }
  readonly query?: string
  /** As API Gateway saw the client. */
  readonly sourceIp?: string
  /** Where the path is; `/admin` unless told. */
  readonly below?: string
  /** Text goes as it is, anything else as JSON. */
  readonly body?: Json
}

export type AdminReply = {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly text: string
  /** {} for an empty answer. */
  readonly json: JsonObject
}

export const INTERNAL = { authorization: 'Bearer internal-secret' }
export const ADMIN_KEY = { 'x-admin-key': 'admin-key' }

export type AdminWorld = { readonly ports: AdminPorts; readonly settings: Settings }

/** `path` below /v1/admin, as it stands in the request line; with the internal secret unless told. */
export function askAdmin(
  { ports, settings }: AdminWorld,
  method: string,
  path: string,
  sent: AdminCall = {},
): Promise<AdminReply> {
  return askDoor(createAdminDoor(ports, settings), method, path, sent)
}

/** The same of one door that stays, as a warm function does. */
export async function askDoor(
  door: AdminDoor,
  method: string,
  path: string,
  sent: AdminCall = {},
): Promise<AdminReply> {
  const query: { [name: string]: string[] } = Object.create(null)
  for (const [name, value] of new URLSearchParams(sent.query ?? '')) {
    query[name] = [...(query[name] ?? []), value]
  }
  const { below = '/admin', body } = sent
  const event = {
    httpMethod: method,
    path: `${below}${path}`,
    headers: sent.headers ?? INTERNAL,
    multiValueHeaders: sent.multiValueHeaders ?? null,
    multiValueQueryStringParameters: query,
    requestContext: {
      requestId: 'r',
      stage: 'v1',
      ...(sent.sourceIp === undefined ? {} : { identity: { sourceIp: sent.sourceIp } }),
    },
    body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
    isBase64Encoded: false,
  }
  const context = { awsRequestId: 'a', getRemainingTimeInMillis: () => 30_000 }
  const answer = await door(event, context)
  const isJson = /^application\/(?:problem\+)?json/.test(answer.headers['content-type'] ?? '')
  const json: Json = isJson ? JSON.parse(answer.body) : {}
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.body,
    json: isJsonObject(json) ? json : {},
  }
}
