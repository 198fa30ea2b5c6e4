/** The admin routes that import skills from OpenAPI documents (docs/openapi.md). */

import { applyImport } from '../../../core/flow/imports/apply-import.ts'
import type { ImportRequest } from '../../../core/flow/imports/import-request.ts'
import { toImportPlanView } from '../../../core/flow/imports/show-plan.ts'
import type { Json } from '../../../core/json/json.ts'
import { DOCUMENT_DEPTH_MAX, IMPORT_BODY_BYTES_MAX } from '../../../core/openapi/limits.ts'
import { type Route, type RouteBody, type Schema, toAnswer } from '../route.ts'
import {
  APPLIED,
  APPLY_ASKED,
  ASKED_EXAMPLE,
  IMPORT_ASKED,
  PLAN,
  PLAN_EXAMPLE,
} from '../schemas/import-schemas.ts'

/** Levels of nesting of the body around a document. */
const BODY_LEVELS_AROUND = 2

function toBody(schema: Schema): RouteBody {
  return {
    kind: 'json',
    schema,
    required: true,
    example: ASKED_EXAMPLE,
    bytesMax: IMPORT_BODY_BYTES_MAX,
    isDocument: true,
    depthMax: DOCUMENT_DEPTH_MAX + BODY_LEVELS_AROUND,
  }
}

const COMMON = {
  method: 'POST',
  tag: 'Imports',
  access: 'either',
  refuses: ['too_large', 'conflict', 'invalid_arguments', 'too_many_plans'],
} as const satisfies Partial<Route>

const toPlanRoute = (operationId: string, path: string, summary: string): Route => ({
  ...COMMON,
  role: 'viewer',
  reads: 'recorded',
  path,
  operationId,
  summary,
  description: 'Writes nothing, and fetches nothing: references lead into the document alone.',
  body: toBody(IMPORT_ASKED),
  answers: { 200: { description: 'The plan.', shown: { schema: PLAN, example: PLAN_EXAMPLE } } },
  run: async (ports, settings, { body }) => {
    const job = { kind: 'import', settings, request: asRequest(body) } as const
    return toAnswer(200, await ports.plans.use(job, (planner) => planner.show()))
  },
})

export const IMPORT_ROUTES: readonly Route[] = [
  toPlanRoute('planImport', '/imports/openapi:plan', 'Plan an import of an OpenAPI document'),
  toPlanRoute(
    'checkImport',
    '/imports/openapi:check',
    'Tell whether a document drifted from its skills',
  ),
  {
    ...COMMON,
    role: 'publisher',
    path: '/imports/openapi:apply',
    operationId: 'applyImport',
    summary: 'Import an OpenAPI document',
    description:
      'Puts the skills of the plan, then makes the tool list once. Sent again, it completes what an ' +
      'interrupted request left, and changes nothing else.',
    body: toBody(APPLY_ASKED),
    answers: {
      200: {
        description: 'What was changed.',
        shown: { schema: APPLIED, example: { ...PLAN_EXAMPLE, tools: 121 } },
      },
    },
    run: async (ports, settings, { admin, body }) => {
      const request = asRequest(body)
      const applied = await ports.plans.use({ kind: 'import', settings, request }, (planner) =>
        applyImport(ports, settings, request, { planner, by: admin.name }),
      )
      if (!applied.ok) return applied
      const { plan, tools } = applied.value
      const created = tools === undefined ? {} : { tools }
      return { ok: true, value: { status: 200, body: { ...toImportPlanView(plan), ...created } } }
    },
  },
]

/** The body was checked against its schema before. */
function asRequest(body: Json): ImportRequest {
  return body as unknown as ImportRequest
}
