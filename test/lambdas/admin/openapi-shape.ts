/**
 * The form of an OpenAPI 3.1 document, as far as ours uses it: closed, so that a misspelled
 * field is found. After https://spec.openapis.org/oas/v3.1.0, section 4.8.
 */
import type { JsonObject } from '../../../core/json/json.ts'

const TEXT = { type: 'string', minLength: 1 }
const SCHEMA = { type: ['object', 'boolean'] }
const REFERENCE = closed({ $ref: { type: 'string', pattern: '^#/components/' } }, ['$ref'])
const PARAMETER = { name: TEXT, description: TEXT, schema: SCHEMA }
const NEEDED = ['name', 'in', 'schema']
const NAMED = (schema: string) => ({
  type: 'object',
  propertyNames: { pattern: '^[a-zA-Z0-9._-]+$' },
  additionalProperties: ref(schema),
})
const orReference = (what: string) => ({ oneOf: [REFERENCE, ref(what)] })

export const OPENAPI_SHAPE: JsonObject = {
  ...closed(
    {
      openapi: { const: '3.1.0' },
      info: closed({ title: TEXT, version: TEXT, description: TEXT }, ['title', 'version']),
      servers: {
        type: 'array',
        minItems: 1,
        items: closed({ url: { type: 'string', pattern: '^/' }, description: TEXT }, ['url']),
      },
      tags: { type: 'array', items: closed({ name: TEXT }, ['name']) },
      paths: {
        type: 'object',
        minProperties: 1,
        propertyNames: { pattern: '^/' },
        additionalProperties: ref('pathItem'),
      },
      components: closed({
        schemas: { type: 'object', propertyNames: { pattern: '^[a-zA-Z0-9._-]+$' } },
        responses: NAMED('response'),
        headers: NAMED('header'),
        securitySchemes: NAMED('securityScheme'),
      }),
    },
    ['openapi', 'info', 'servers', 'paths', 'components'],
  ),
  $defs: {
    pathItem: closed(
      Object.fromEntries(
        ['get', 'put', 'post', 'delete', 'patch'].map((method) => [method, ref('operation')]),
      ),
    ),
    operation: {
      // Of administrators, or of users.
      oneOf: [{ required: ['x-role'] }, { required: ['x-needs'] }],
      ...closed(
        {
          operationId: { type: 'string', pattern: '^[a-z][A-Za-z]+$' },
          tags: { type: 'array', items: TEXT, minItems: 1 },
          summary: TEXT,
          description: TEXT,
          'x-role': { enum: ['owner', 'operator', 'publisher', 'viewer'] },
          'x-needs': { enum: ['any', 'managing'] },
          security: {
            type: 'array',
            minItems: 1,
            items: { type: 'object', additionalProperties: { type: 'array' } },
          },
          parameters: { type: 'array', minItems: 1, items: ref('parameter') },
          requestBody: ref('requestBody'),
          responses: {
            type: 'object',
            minProperties: 1,
            propertyNames: { pattern: '^[1-5][0-9][0-9]$' },
            additionalProperties: orReference('response'),
          },
        },
        ['operationId', 'summary', 'security', 'responses'],
      ),
    },
    parameter: {
      oneOf: [
        closed({ ...PARAMETER, in: { const: 'path' }, required: { const: true } }, [
          ...NEEDED,
          'required',
        ]),
        closed({ ...PARAMETER, in: { const: 'query' }, required: { type: 'boolean' } }, NEEDED),
      ],
    },
    requestBody: closed({ required: { type: 'boolean' }, content: ref('content') }, ['content']),
    content: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^[a-z]+/[a-z+-]+$' },
      additionalProperties: closed({ schema: SCHEMA, example: true }, ['schema']),
    },
    response: closed(
      {
        description: TEXT,
        headers: { type: 'object', additionalProperties: orReference('header') },
        content: ref('content'),
      },
      ['description'],
    ),
    header: closed({ description: TEXT, schema: SCHEMA }, ['schema']),
    securityScheme: {
      oneOf: [
        closed({ type: { const: 'http' }, scheme: TEXT, description: TEXT }, ['type', 'scheme']),
        closed(
          { type: { const: 'apiKey' }, in: { const: 'header' }, name: TEXT, description: TEXT },
          ['type', 'in', 'name'],
        ),
      ],
    },
  },
}

function closed(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false }
}

function ref(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` }
}
