/** The admin routes as a table: method, path, credential, and the flow behind it. Users' are beside. */
import { ok, type Result, refuse } from '../../core/errors.ts'
import { broadcast } from '../../core/flow/change-tool-list.ts'
import { syncCache } from '../../core/flow/sync-cache.ts'
import { syncSkill } from '../../core/flow/sync-skill.ts'
import type { Json } from '../../core/json/json.ts'
import type { Settings } from '../../core/settings.ts'
import { SKILL_SOURCES, type SkillSource } from '../../core/skills/skill.ts'
import {
  type AdminPorts,
  answer,
  parseAdminJson,
  type Route,
  type RouteAnswer,
  type RoutedRequest,
} from './route.ts'
import { SECRET_ROUTES } from './secret-routes.ts'
import { USER_ROUTES } from './user-routes.ts'

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
      const body = request.body.length === 0 ? ok<Json>({}) : parseAdminJson(request)
      return body.ok ? answer(200, await syncCache(ports, settings, body.value)) : body
    },
  },
  ...USER_ROUTES,
  ...SECRET_ROUTES,
]

async function runSyncSkill(
  ports: AdminPorts,
  settings: Settings,
  request: RoutedRequest,
): Promise<RouteAnswer> {
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
