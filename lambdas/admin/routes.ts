/** The admin routes as a table: method, path, credential, and the flow behind it. */
import type { AdminRequest } from '../../adapters/http/admin-kit.ts'
import { ok, type Result, refuse } from '../../core/errors.ts'
import type { AdminAccess } from '../../core/flow/authenticate-admin.ts'
import { broadcast } from '../../core/flow/change-tool-list.ts'
import { createUser, grantCredits, issueKey, readUser } from '../../core/flow/manage-users.ts'
import { syncCache } from '../../core/flow/sync-cache.ts'
import { syncSkill } from '../../core/flow/sync-skill.ts'
import type { Json } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import type { Ports } from '../../core/ports.ts'
import type { Settings } from '../../core/settings.ts'
import { SKILL_SOURCES, type SkillSource } from '../../core/skills/skill.ts'

export type AdminPorts = Pick<
  Ports,
  | 'broadcast'
  | 'clock'
  | 'digests'
  | 'ids'
  | 'keys'
  | 'ledger'
  | 'log'
  | 'profiles'
  | 'schemas'
  | 'skills'
  | 'toolsCache'
>

/** `params` are the decoded path parameters. */
export type RoutedRequest = AdminRequest & { readonly params: readonly string[] }
type Answer = Promise<Result<{ status: number; body: object }>>

export type Route = {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  /** The path as texts name it. */
  readonly shown: string
  readonly access: AdminAccess
  run(ports: AdminPorts, settings: Settings, request: RoutedRequest): Answer
}

export const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/admin\/refresh-tools$/,
    shown: '/v1/admin/refresh-tools',
    access: 'internal-secret',
    run: async (ports) => answer(200, ok({ changedAtMs: await broadcast(ports) })),
  },
  {
    method: 'POST',
    path: /^\/admin\/sync_skill$/,
    shown: '/v1/admin/sync_skill',
    access: 'either',
    run: runSyncSkill,
  },
  {
    method: 'POST',
    path: /^\/admin\/sync_cache$/,
    shown: '/v1/admin/sync_cache',
    access: 'either',
    run: async (ports, settings, request) => {
      const body = request.body.length === 0 ? ok<Json>({}) : parseJson(request.body)
      return body.ok ? answer(200, await syncCache(ports, settings, body.value)) : body
    },
  },
  {
    method: 'POST',
    path: /^\/admin\/users$/,
    shown: '/v1/admin/users',
    access: 'either',
    run: async (ports, _settings, request) => {
      const body = parseJson(request.body)
      return body.ok ? answer(201, await createUser(ports, body.value)) : body
    },
  },
  {
    method: 'GET',
    path: /^\/admin\/users\/([^/]+)$/,
    shown: '/v1/admin/users/{uid}',
    access: 'either',
    run: async (ports, _settings, request) => answer(200, await readUser(ports, uidOf(request))),
  },
  {
    method: 'POST',
    path: /^\/admin\/users\/([^/]+)\/credits$/,
    shown: '/v1/admin/users/{uid}/credits',
    access: 'either',
    run: async (ports, _settings, request) => {
      const body = parseJson(request.body)
      return body.ok ? answer(200, await grantCredits(ports, uidOf(request), body.value)) : body
    },
  },
  {
    method: 'POST',
    path: /^\/admin\/users\/([^/]+)\/keys$/,
    shown: '/v1/admin/users/{uid}/keys',
    access: 'either',
    run: async (ports, _settings, request) => answer(201, await issueKey(ports, uidOf(request))),
  },
]

async function runSyncSkill(ports: AdminPorts, settings: Settings, request: RoutedRequest): Answer {
  const source = readSource(request.query.get('source'))
  if (!source.ok) return source
  const list = request.query.get('list') ?? 'now'
  if (list !== 'now' && list !== 'later') return refuse('malformed', 'list: must be now or later.')
  const text = decodeText(request.body)
  if (!text.ok) return text
  const uid = request.query.get('uid') ?? undefined
  const synced = await syncSkill(ports, settings, {
    text: text.value,
    source: source.value,
    uid,
    list,
  })
  return answer(synced.ok && synced.value.created ? 201 : 200, synced)
}

function readSource(value: string | null): Result<SkillSource | undefined> {
  if (value === null) return ok(undefined)
  const source = SKILL_SOURCES.find((one) => one === value)
  return source === undefined
    ? refuse('malformed', `source: must be one of ${SKILL_SOURCES.join(', ')}.`)
    : ok(source)
}

function decodeText(body: Uint8Array): Result<string> {
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return refuse('malformed', 'body: is not UTF-8. Encode the skill in UTF-8.')
  }
}

function uidOf(request: RoutedRequest): string {
  return request.params[0] ?? ''
}

function answer(status: number, result: Result<object>): Result<{ status: number; body: object }> {
  return result.ok ? ok({ status, body: result.value }) : result
}
