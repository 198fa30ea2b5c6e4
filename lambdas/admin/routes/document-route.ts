/** GET openapi.json: the route table as an OpenAPI document, built on request. */
import { VERSION } from '../../../adapters/config/version.ts'
import { ok } from '../../../core/errors.ts'
import { toOpenApi } from '../openapi.ts'
import { ADMIN_BASE, type Route, type Schema, toAnswer } from '../route.ts'

/** The schema of an OpenAPI document in a response. */
export const OPENAPI_SHOWN: Schema = {
  type: 'object',
  required: ['openapi', 'info', 'servers', 'paths', 'components'],
  properties: {
    openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
    info: { type: 'object' },
    servers: { type: 'array', items: { type: 'object' } },
    paths: { type: 'object' },
    components: { type: 'object' },
  },
}

/** Returns the route. `routes` returns the whole table, including this route. */
export function createDocumentRoute(routes: () => readonly Route[]): Route {
  return {
    method: 'GET',
    path: '/openapi.json',
    operationId: 'showOpenApi',
    tag: 'Service',
    summary: 'This document',
    description:
      'Needs a credential like every route here, because it shows what this build can do.',
    access: 'either',
    role: 'viewer',
    answers: {
      200: {
        description: 'OpenAPI 3.1.',
        shown: {
          schema: OPENAPI_SHOWN,
          example: {
            openapi: '3.1.0',
            info: { title: 'Skillgate administration', version: VERSION },
            servers: [{ url: ADMIN_BASE }],
            paths: {},
            components: {},
          },
        },
      },
    },
    refuses: [],
    run: async (_ports, settings) => toAnswer(200, ok(toOpenApi(routes(), settings.version))),
  }
}
