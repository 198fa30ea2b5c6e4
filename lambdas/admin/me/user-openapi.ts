/** The OpenAPI document of the users' API, made of its table of routes. */
import { VERSION } from '../../../adapters/config/version.ts'
import { type ErrorCode, ok } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { type DescribedApi, writeOpenApi } from '../openapi.ts'
import { ALWAYS_REFUSED } from '../openapi-problems.ts'
import { toAnswer } from '../route.ts'
import { OPENAPI_SHOWN } from '../routes/document-route.ts'
import { USER_BASE, type UserRoute } from './user-route.ts'

/** What the doors of agents refuse too, and credentials that may do less than the route. */
const REFUSED: readonly ErrorCode[] = [
  ...ALWAYS_REFUSED,
  'insufficient_scope',
  'issuer_unavailable',
  'key_scope',
  'rate_limited',
  'user_disabled',
]

const USER_API: DescribedApi<UserRoute> = {
  title: "Skillgate users' API",
  about:
    'What users see and change of their own accounts. Repeated, unknown and invalid fields are refused by name, with a JSON Pointer into the body, or `/path/…` and `/query/…` for parameters. Lists are paged by `limit` and `cursor`. `x-needs`: `any` credential of the user, or one `managing` the account: an API key without limits, or an access token with the scope `account`.',
  base: USER_BASE,
  securitySchemes: {
    user: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key (`sgk_…`), or an access token of a login or of a configured issuer.',
    },
  },
  refuses: REFUSED,
  describeAccess: ({ needs }) => ({ security: [{ user: [] }], 'x-needs': needs }),
}

/** Returns the document. `version` is the version of the build. */
export function toUserOpenApi(routes: readonly UserRoute[], version: string): JsonObject {
  return writeOpenApi(USER_API, routes, version)
}

/** Returns the route of the document. `routes` returns the whole table, including this route. */
export function createUserDocumentRoute(routes: () => readonly UserRoute[]): UserRoute {
  return {
    method: 'GET',
    path: '/me/openapi.json',
    operationId: 'showMyOpenApi',
    tag: 'Service',
    summary: 'This document',
    description: 'Needs a credential like every route here.',
    needs: 'any',
    answers: {
      200: {
        description: 'OpenAPI 3.1.',
        shown: {
          schema: OPENAPI_SHOWN,
          example: {
            openapi: '3.1.0',
            info: { title: USER_API.title, version: VERSION },
            servers: [{ url: USER_BASE }],
            paths: {},
            components: {},
          },
        },
      },
    },
    refuses: [],
    run: async (_ports, settings) => toAnswer(200, ok(toUserOpenApi(routes(), settings.version))),
  }
}
