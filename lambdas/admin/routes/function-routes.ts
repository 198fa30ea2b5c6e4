/** The admin route that makes skills of Lambda functions (docs/skills.md, Lambda functions). */
import { type FunctionsRequest, planFunctions } from '../../../core/flow/imports/plan-functions.ts'
import type { Json } from '../../../core/json/json.ts'
import { type Route, toAnswer } from '../route.ts'
import {
  FUNCTIONS_ASKED,
  FUNCTIONS_ASKED_EXAMPLE,
  FUNCTIONS_PLAN,
  FUNCTIONS_PLAN_EXAMPLE,
} from '../schemas/function-schemas.ts'

export const FUNCTION_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    tag: 'Imports',
    access: 'either',
    role: 'viewer',
    reads: 'recorded',
    path: '/imports/lambda:plan',
    operationId: 'planFunctions',
    summary: 'Make skills of Lambda functions',
    description:
      'Finds the functions of the account by a tag, and makes a skill of each. Writes nothing: plan and apply the skills as a set.',
    refuses: ['conflict', 'upstream_failed'],
    body: {
      kind: 'json',
      schema: FUNCTIONS_ASKED,
      required: true,
      example: FUNCTIONS_ASKED_EXAMPLE,
    },
    answers: {
      200: {
        description: 'The skills.',
        shown: { schema: FUNCTIONS_PLAN, example: FUNCTIONS_PLAN_EXAMPLE },
      },
    },
    run: async (ports, settings, { body }) =>
      toAnswer(200, await planFunctions(ports, settings, asRequest(body))),
  },
]

/** The body has been checked against its schema. */
function asRequest(body: Json): FunctionsRequest {
  return body as FunctionsRequest
}
