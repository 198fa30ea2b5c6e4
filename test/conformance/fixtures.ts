/**
 * The tools that the official suite calls, as skills: an administrator would register the same for
 * the upstream beside this file. No code of the gateway knows their names.
 */
import { PLAIN_TOOLS } from './answers.ts'
import { ASKING_TOOLS } from './questions.ts'
import { TASK_TOOLS, type TaskTool } from './task-tools.ts'

type Properties = { readonly [name: string]: object }

/** Arguments of the fixtures that have any. */
const PROPERTIES: ReadonlyMap<string, Properties> = new Map<string, Properties>([
  ['test_sampling', { prompt: { type: 'string' } }],
  ['test_elicitation', { message: { type: 'string' } }],
  [
    'test_x_mcp_header',
    {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      zone: { type: 'integer', 'x-mcp-header': 'Zone' },
    },
  ],
])

/** Every fixture in the form of POST /v1/admin/sync_skill. */
export function fixtureSkills(upstreamUrl: string): readonly object[] {
  const plain = [...PLAIN_TOOLS.keys()].map((id) => skill(upstreamUrl, id, undefined))
  const asking = [...ASKING_TOOLS.keys()].map((id) =>
    skill(upstreamUrl, id, askingBody(Object.keys(PROPERTIES.get(id) ?? {}))),
  )
  const tasks = [...TASK_TOOLS].map(([id, tool]) => taskSkill(upstreamUrl, id, tool))
  return [...plain, ...asking, ...tasks]
}

function taskSkill(upstreamUrl: string, id: string, { properties, task }: TaskTool): object {
  const body = askingBody(Object.keys(properties))
  const config = { endpoint: `${upstreamUrl}/${id}`, method: 'POST', response: { as: 'mcp' }, body }
  return {
    id,
    meta: { ...describe(id), parameters: { type: 'object', properties } },
    config: task === undefined ? config : { ...config, task },
    credits_per_call: 0,
  }
}

/** The tool whose schema must arrive unchanged; its name needs a prefix of its own. */
export function schemaSkill(upstreamUrl: string): object {
  const meta = { ...describe('json_schema_2020_12_tool'), parameters: SCHEMA_2020_12 }
  const config = { endpoint: `${upstreamUrl}/test_simple_text`, method: 'POST' }
  return {
    id: 'json_schema_2020_12_tool',
    meta,
    config: { ...config, response: { as: 'mcp' } },
    credits_per_call: 0,
  }
}

function skill(upstreamUrl: string, id: string, body: object | undefined): object {
  const properties = PROPERTIES.get(id) ?? {}
  const config = { endpoint: `${upstreamUrl}/${id}`, method: 'POST', response: { as: 'mcp' } }
  return {
    id,
    meta: { ...describe(id), parameters: { type: 'object', properties } },
    config: body === undefined ? config : { ...config, body },
    credits_per_call: 0,
  }
}

function describe(id: string): object {
  return { name: id, description: `Fixture of the official conformance suite: ${id}.` }
}

/** The client's answers reach the upstream through placeholders, like any argument. */
function askingBody(names: readonly string[]): object {
  return {
    args: Object.fromEntries(names.map((name) => [name, `{{args.${name}}}`])),
    responses: '{{input.responses}}',
    state: '{{input.state}}',
    capabilities: '{{input.capabilities}}',
  }
}

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}
