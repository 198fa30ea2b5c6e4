/**
 * The admin routes that plan and apply a set of skills, for example the skills of a repository
 * (docs/skill-sets.md).
 */
import { applySet } from '../../../core/flow/imports/apply-set.ts'
import { SET_SKILLS_MAX } from '../../../core/flow/imports/read-set.ts'
import type { SetRequest } from '../../../core/flow/imports/set-request.ts'
import { toSetPlanView } from '../../../core/flow/imports/show-plan.ts'
import { SET_BYTES_MAX } from '../../../core/skills/set-limits.ts'
import { type Route, type RouteBody, type RoutedRequest, toAnswer } from '../route.ts'
import { readClearSecrets } from '../schemas/field-schemas.ts'
import {
  APPLIED_SET,
  SENT_SET,
  SET_DEFAULT,
  SET_EXAMPLE,
  SET_LINES_EXAMPLE,
  SET_PLAN,
  SET_PLAN_EXAMPLE,
  SET_QUERY,
} from '../schemas/set-schemas.ts'

const BODY: RouteBody = {
  kind: 'text',
  bytesMax: SET_BYTES_MAX,
  content: {
    'application/json': { schema: SENT_SET, example: SET_EXAMPLE },
    'application/x-ndjson': {
      schema: { type: 'string', description: 'A line of JSON for each skill.' },
      example: SET_LINES_EXAMPLE,
    },
  },
}

const COMMON = {
  method: 'POST',
  tag: 'Skills',
  access: 'either',
  query: SET_QUERY,
  body: BODY,
  refuses: ['too_large', 'conflict', 'invalid_skill', 'too_many_plans'],
} as const satisfies Partial<Route>

export const SET_ROUTES: readonly Route[] = [
  {
    ...COMMON,
    path: '/skills:plan',
    operationId: 'planSkills',
    role: 'viewer',
    reads: 'recorded',
    summary: 'Plan a set of skills',
    description: `What an apply would change. Writes nothing. Takes 1 to ${SET_SKILLS_MAX} skills.`,
    answers: {
      200: {
        description: 'The plan.',
        shown: { schema: SET_PLAN, example: SET_PLAN_EXAMPLE },
      },
    },
    run: async (ports, settings, request) => {
      const job = { kind: 'set', settings, request: toSetRequest(request) } as const
      return toAnswer(200, await ports.plans.use(job, (planner) => planner.show()))
    },
  },
  {
    ...COMMON,
    path: '/skills:apply',
    operationId: 'applySkills',
    role: 'publisher',
    summary: 'Apply a set of skills',
    description:
      'Puts the skills of the plan, then makes the tool list once. A skill that cannot be taken keeps all ' +
      'out. Sent again, it completes what an interrupted request left, and changes nothing else.',
    answers: {
      200: {
        description: 'What was changed.',
        shown: { schema: APPLIED_SET, example: { ...SET_PLAN_EXAMPLE, tools: 121 } },
      },
    },
    run: async (ports, settings, request) => {
      const setRequest = toSetRequest(request)
      const applied = await ports.plans.use(
        { kind: 'set', settings, request: setRequest },
        (planner) => applySet(ports, settings, setRequest, { planner, by: request.admin.name }),
      )
      if (!applied.ok) return applied
      const { plan, tools } = applied.value
      const made = tools === undefined ? {} : { tools }
      return { ok: true, value: { status: 200, body: { ...toSetPlanView(plan), ...made } } }
    },
  },
]

/** Reads the query, which was checked against its schema before. */
function toSetRequest(request: RoutedRequest): SetRequest {
  const { query, text } = request
  const { edits, prune, set = SET_DEFAULT, source, strict } = query
  return {
    set,
    text,
    source: source === 'market' ? 'market' : 'official',
    prune: prune === 'true',
    edits: edits === 'overwrite' ? 'overwrite' : 'keep',
    strict: strict !== 'false',
    clearSecrets: readClearSecrets(request),
  }
}
