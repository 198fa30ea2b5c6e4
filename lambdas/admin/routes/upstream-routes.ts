/** The admin routes of MCP servers whose tools are skills (docs/upstreams.md). */
import type { Administrator } from '../../../core/access/admin-role.ts'
import { ok, type Result, refuse } from '../../../core/errors.ts'
import { countOffers } from '../../../core/flow/upstreams/apply-tools.ts'
import { type Approval, approveTools } from '../../../core/flow/upstreams/approve-tools.ts'
import { deleteUpstream } from '../../../core/flow/upstreams/delete-upstream.ts'
import type { SentSettings } from '../../../core/flow/upstreams/read-settings.ts'
import {
  type AppliedTools,
  refreshUpstream,
} from '../../../core/flow/upstreams/refresh-upstream.ts'
import { applyUpstream, planUpstream } from '../../../core/flow/upstreams/register-upstream.ts'
import {
  listUpstreams,
  showUpstream,
  toAppliedView,
  toUpstreamPlanView,
} from '../../../core/flow/upstreams/show-upstream.ts'
import type { Json } from '../../../core/json/json.ts'
import { type Route, type RouteAnswer, type RoutedRequest, toAnswer } from '../route.ts'
import { UID } from '../schemas/field-schemas.ts'
import {
  APPROVAL_EXAMPLE,
  CHANGED_EXAMPLE,
  PLAN_EXAMPLE,
  SENT_APPROVAL,
  SENT_SETTINGS,
  SENT_UPSTREAM,
  SETTINGS_EXAMPLE,
  SHOWN_EXAMPLE,
  SHOWN_TOOLS_EXAMPLE,
  SHOWN_UPSTREAM,
  TOOL_NAME,
  UPSTREAM_CHANGED,
  UPSTREAM_EXAMPLE,
  UPSTREAM_ID,
  UPSTREAM_LIST,
  UPSTREAM_PLAN,
} from '../schemas/upstream-schemas.ts'

const AS_USER = {
  uid: {
    ...UID,
    description:
      'The server is asked with the secrets of this user, for the role owner; without it, with shared secrets.',
  },
}

const COMMON = {
  tag: 'Upstreams',
  access: 'either',
  role: 'publisher',
  params: { upstreamId: UPSTREAM_ID },
} as const satisfies Partial<Route>

/** Why a list that was asked for may be refused. */
const LISTING_REFUSALS = [
  'conflict',
  'invalid_arguments',
  'secret_missing',
  'secret_refused',
  'secret_unreadable',
  'timed_out',
  'upstream_failed',
] as const

const CHANGED = {
  200: {
    description: 'What was changed, and what waits.',
    shown: { schema: UPSTREAM_CHANGED, example: CHANGED_EXAMPLE },
  },
}

export const UPSTREAM_ROUTES: readonly Route[] = [
  {
    ...COMMON,
    method: 'POST',
    path: '/upstreams/{upstreamId}:plan',
    operationId: 'planUpstream',
    reads: 'recorded',
    summary: 'Plan an MCP server as an upstream',
    description:
      'Asks the server for its tools, and shows what an apply would change. Writes nothing.',
    query: AS_USER,
    body: { kind: 'json', schema: SENT_SETTINGS, required: true, example: SETTINGS_EXAMPLE },
    answers: {
      200: { description: 'The plan.', shown: { schema: UPSTREAM_PLAN, example: PLAN_EXAMPLE } },
    },
    refuses: [...LISTING_REFUSALS],
    run: async (ports, settings, request) => {
      const asked = readRequest(request)
      if (!asked.ok) return asked
      const plan = await planUpstream(ports, settings, asked.value)
      return plan.ok ? toAnswer(200, ok(toUpstreamPlanView(settings, plan.value))) : plan
    },
  },
  {
    ...COMMON,
    method: 'PUT',
    path: '/upstreams/{upstreamId}',
    operationId: 'putUpstream',
    summary: 'Register an MCP server as an upstream, or change its settings',
    description:
      'Applies a plan: the digest says which one. Its tools become skills. Sent again, it completes what an interrupted request left.',
    query: AS_USER,
    body: { kind: 'json', schema: SENT_UPSTREAM, required: true, example: UPSTREAM_EXAMPLE },
    answers: CHANGED,
    refuses: ['not_found', ...LISTING_REFUSALS],
    run: async (ports, settings, request) => {
      const asked = readRequest(request)
      if (!asked.ok) return asked
      const { digest, ...sent } = asked.value.sent as SentSettings & { readonly digest: string }
      const terms = { ...asked.value, sent, digest, by: request.admin.name }
      const applied = await applyUpstream(ports, settings, terms)
      return applied.ok ? toChanged(applied.value.applied) : applied
    },
  },
  {
    ...COMMON,
    role: 'viewer',
    method: 'GET',
    path: '/upstreams',
    operationId: 'listUpstreams',
    params: {},
    summary: 'List upstreams',
    answers: {
      200: {
        description: 'All upstreams, by id.',
        shown: { schema: UPSTREAM_LIST, example: { upstreams: [SHOWN_EXAMPLE] } },
      },
    },
    refuses: [],
    run: async (ports) => toAnswer(200, ok(await listUpstreams(ports))),
  },
  {
    ...COMMON,
    role: 'viewer',
    method: 'GET',
    path: '/upstreams/{upstreamId}',
    operationId: 'showUpstream',
    summary: 'Show an upstream with its tools',
    description: 'With `tool`, one tool with the approved and the offered definition in full.',
    query: { tool: TOOL_NAME },
    answers: {
      200: {
        description: 'The upstream.',
        shown: { schema: SHOWN_UPSTREAM, example: SHOWN_TOOLS_EXAMPLE },
      },
    },
    refuses: ['not_found'],
    run: async (ports, settings, { params, query }) => {
      const id = params['upstreamId'] ?? ''
      return toAnswer(200, await showUpstream(ports, settings, id, query['tool']))
    },
  },
  {
    ...COMMON,
    method: 'POST',
    path: '/upstreams/{upstreamId}:refresh',
    operationId: 'refreshUpstream',
    summary: 'Refresh an upstream now',
    description:
      'Asks the server for its tools, and applies what the pins of the upstream let through.',
    query: AS_USER,
    answers: CHANGED,
    refuses: ['not_found', ...LISTING_REFUSALS],
    run: async (ports, settings, request) => {
      const user = readAsUser(request)
      if (!user.ok) return user
      const terms = { by: request.admin.name, uid: user.value }
      const id = request.params['upstreamId'] ?? ''
      const refreshed = await refreshUpstream(ports, settings, id, terms)
      return refreshed.ok ? toChanged(refreshed.value) : refreshed
    },
  },
  {
    ...COMMON,
    method: 'POST',
    path: '/upstreams/{upstreamId}:approve',
    operationId: 'approveUpstreamTools',
    summary: 'Approve tools that wait',
    description:
      'Each by the digest of what was looked at; another digest is refused. Approves all of them, or none.',
    body: { kind: 'json', schema: SENT_APPROVAL, required: true, example: APPROVAL_EXAMPLE },
    answers: CHANGED,
    refuses: ['not_found', 'conflict'],
    run: async (ports, settings, { admin, body, params }) => {
      const { tools } = asBody<{ readonly tools: readonly Approval[] }>(body)
      const id = params['upstreamId'] ?? ''
      const approved = await approveTools(ports, settings, id, { tools, by: admin.name })
      return approved.ok ? toChanged(approved.value) : approved
    },
  },
  {
    ...COMMON,
    method: 'DELETE',
    path: '/upstreams/{upstreamId}',
    operationId: 'deleteUpstream',
    summary: 'Delete an upstream with its skills',
    description: 'Sent again, it completes what an interrupted request left.',
    answers: { 204: { description: 'Deleted.' } },
    refuses: ['not_found', 'conflict'],
    run: async (ports, settings, { admin, params }) => {
      const id = params['upstreamId'] ?? ''
      return toAnswer(204, await deleteUpstream(ports, settings, { id, by: admin.name }))
    },
  },
]

function readRequest(request: RoutedRequest) {
  const user = readAsUser(request)
  if (!user.ok) return user
  const sent = asBody<SentSettings>(request.body)
  return ok({ id: request.params['upstreamId'] ?? '', sent, uid: user.value })
}

/** Whoever uses a user's secrets against any server could also read them. */
function readAsUser({ admin, query }: RoutedRequest): Result<string | undefined> {
  const { uid } = query
  return uid === undefined || isOwner(admin) ? ok(uid) : NOT_OWNER
}

function isOwner({ role }: Administrator): boolean {
  return role === 'owner'
}

const NOT_OWNER = refuse(
  'forbidden',
  'uid: asking a server with the secrets of a user needs the role owner. Leave uid out to use shared secrets.',
)

function toChanged({ listed, offers, skills }: AppliedTools): RouteAnswer {
  const counts = countOffers(offers)
  return ok({ status: 200, body: { ...toAppliedView(skills, listed), counts } })
}

/** The body was checked against its schema before. */
function asBody<T>(body: Json): T {
  return body as unknown as T
}
