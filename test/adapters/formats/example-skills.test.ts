import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { makeSchemasWithPatterns } from '../../../adapters/formats/json-schema.ts'
import { makeSkillMarkdown } from '../../../adapters/formats/skill-markdown.ts'
import { makeHooks } from '../../../adapters/hooks/registry.ts'
import { createSleepingClock } from '../../../bench/lib/sleeping-clock.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { findHostError } from '../../../core/request/check-signing.ts'
import { checkTarget } from '../../../core/request/check-target.ts'
import { draftRequest } from '../../../core/request/draft-request.ts'
import { makeDefinition } from '../../../core/skills/definition/markdown-skill.ts'
import { isRunnable, readSkill } from '../../../core/skills/definition/read-skill.ts'
import * as limits from '../../../core/skills/limits.ts'

const FOLDER = new URL('../../../examples/skills/', import.meta.url)
const load = (name: string) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))
const names = readdirSync(FOLDER).filter((name) => /(?<!schema)\.json$/.test(name))
const schema = load('skill.schema.json')
const { faults, schemaFaults } = makeSchemasWithPatterns()

const ARGUMENTS: { readonly [name: string]: JsonObject } = {
  'aws-item.json': { order: '2026/17' },
  'aws-object.json': { order: '2026/17' },
  'aws-queue.json': { order: '2026/17' },
  'exchange-rate.json': { base: 'EUR', against: ['NOK', 'CHF'] },
  'joke.json': { topic: 'lambdas & cold starts' },
  'market-report.json': { market: 'salmon' },
  'note.json': { title: 'Milk', lines: ['two', 'bottles'] },
  'order-status.json': { order: '2026/17' },
  'patience.json': { seconds: 1.5 },
  'portrait.json': { subject: 'Ada' },
  'ticket.json': { title: 'Printer "B" is out of paper', labels: ['printer', 'paper'] },
}
const SECRETS = new Map([
  ['RATES_API_KEY', 'rates-s3cret'],
  ['DESK_TEAM', 'team-s3cret'],
])
/** Without what a hook adds. */
const REQUESTS: { readonly [name: string]: string } = {
  'aws-item.json':
    'POST https://dynamodb.eu-north-1.amazonaws.com/ {"TableName":"orders","Key":{"id":{"S":"2026/17"}}}',
  'aws-object.json': 'GET https://invoices-example.s3.eu-north-1.amazonaws.com/2026%2F17.txt',
  'aws-queue.json':
    'POST https://sqs.eu-north-1.amazonaws.com/ {"QueueUrl":"https://sqs.eu-north-1.amazonaws.com/123456789012/reprints","MessageBody":"2026/17"}',
  'exchange-rate.json': 'GET http://127.0.0.1:3000/rates/EUR?symbol=NOK&symbol=CHF',
  'joke.json': 'GET http://127.0.0.1:8787/sample/joke?topic=lambdas+%26+cold+starts',
  'market-report.json': 'GET http://127.0.0.1:3000/reports/salmon',
  'note.json': 'POST http://127.0.0.1:8787/sample/echo {"title":"Milk","lines":["two","bottles"]}',
  'order-status.json': 'GET https://shop.example.com/v2/orders/2026%2F17/status',
  'patience.json': 'GET http://127.0.0.1:8787/sample/slow?seconds=1.5',
  'portrait.json': 'POST http://127.0.0.1:3000/portraits {"subject":"Ada"}',
  'ticket.json':
    'POST http://127.0.0.1:3000/tickets {"subject":"Printer \\"B\\" is out of paper",' +
    '"labels":["printer","paper"],"via":"agent: Printer \\"B\\" is out of paper"}',
}
const WITH_SECRETS: { readonly [name: string]: JsonObject } = {
  'exchange-rate.json': { 'x-api-key': 'rates-s3cret' },
  'ticket.json': { 'x-desk-team': 'team-s3cret' },
}
const clock = createSleepingClock({ nowMs: () => 0, sleep: async () => {} })

test('there are three example skills that the twin serves, and eight patterns', () => {
  expect(names).toEqual([
    'aws-item.json',
    'aws-object.json',
    'aws-queue.json',
    'exchange-rate.json',
    'joke.json',
    'market-report.json',
    'note.json',
    'order-status.json',
    'patience.json',
    'portrait.json',
    'ticket.json',
  ])
})

describe.each(names)('%s', (name) => {
  test('the example fits the schema that editors use', () => {
    expect(faults(schema, load(name))).toEqual([])
  })

  test('the example is read without a warning and can be run', () => {
    const read = readSkill(load(name), { prefix: 'sg' })
    if (!read.ok) throw new Error(JSON.stringify(read.error))
    expect(isRunnable(read.value.skill)).toBe(true)
    expect(read.value.warnings).toEqual([])
    expect(schemaFaults(read.value.skill.parameters)).toEqual([])
    const outboundAllow = ['127.0.0.1:8787', '127.0.0.1:3000']
    const { endpoint, signing } = read.value.skill
    expect(checkTarget(endpoint, { outboundAllow }).ok).toBe(true)
    if (signing === undefined) return
    expect(findHostError(endpoint, signing, { outboundAllow: [] })).toBeUndefined()
  })

  test('the example makes the request that it says', () => {
    const read = readSkill(load(name), { prefix: 'sg' })
    if (!read.ok) throw new Error(JSON.stringify(read.error))
    const args = ARGUMENTS[name] ?? {}
    expect(faults(read.value.skill.parameters, args)).toEqual([])
    const draft = draftRequest(read.value.skill, args)
    const request = draft.ok ? draft.value.complete(SECRETS) : draft
    if (!request.ok) throw new Error(JSON.stringify(request.error))
    const { method, url, body, headers, sensitive } = request.value
    expect([method, url, body].filter((part) => part !== undefined).join(' ')).toBe(REQUESTS[name])
    const secretHeaders = (sensitive?.headers ?? []).map((header) => [header, headers[header]])
    expect(Object.fromEntries(secretHeaders)).toEqual(WITH_SECRETS[name] ?? {})
  })

  test('the example gives its hook the options that it takes', () => {
    const read = readSkill(load(name), { prefix: 'sg' })
    if (!read.ok) throw new Error(JSON.stringify(read.error))
    const { optionFaults } = makeHooks({ clock, outboundAllow: [] })
    for (const hook of read.value.skill.hooks) {
      expect(optionFaults(hook.name, hook.options)).toEqual([])
    }
  })
})

test('the schema for editors has the limits of the code', () => {
  const { properties, $defs } = schema
  const meta = $defs.meta.properties
  const config = $defs.config.properties
  const job = config.task.properties.job.properties
  expect({
    SKILL_ID_CHARS_MAX: properties.id.maxLength,
    PRICE_CREDITS_MAX: properties.credits_per_call.maximum,
    STATE_REASON_CHARS_MAX: properties.state_reason.maxLength,
    NAME_CHARS_MAX: meta.name.maxLength,
    DESCRIPTION_CHARS_MAX: meta.description.maxLength,
    EMOJI_UNITS_MAX: meta.emoji.maxLength,
    TAGS_MAX: meta.tags.maxItems,
    TAG_CHARS_MAX: meta.tags.items.maxLength,
    TYPICAL_MS_MAX: meta.typical_ms.maximum,
    PROPERTIES_MAX: meta.parameters.properties.properties.maxProperties,
    ENDPOINT_CHARS_MAX: config.endpoint.maxLength,
    HEADERS_MAX: config.headers.maxProperties,
    QUERY_MAX: config.query.maxProperties,
    ROLE_ARN_CHARS_MAX: $defs.roleArn.maxLength,
    EXTERNAL_ID_CHARS_MAX: $defs.auth.properties.role.oneOf[1].properties.external_id.maxLength,
    PAIR_NAME_CHARS_MAX: config.headers.propertyNames.maxLength,
    PAIR_VALUE_CHARS_MAX: $defs.template.maxLength,
    PICK_CHARS_MAX: config.response.properties.pick.maxLength,
    FAIL_CONDITIONS_MAX: config.response.properties.fail_if.oneOf[1].maxItems,
    FAIL_TEXT_CHARS_MAX: $defs.failCondition.oneOf[1].properties.contains.maxLength,
    OK_STATUSES_MAX: config.response.properties.ok_statuses.maxItems,
    RETRIES_MAX: config.retries.maximum,
    FORGIVE_WITHIN_SEC_MIN: config.repeat.properties.forgive_within_sec.minimum,
    FORGIVE_WITHIN_SEC_MAX: config.repeat.properties.forgive_within_sec.maximum,
    TASK_SEC_MIN: config.task.properties.max_sec.minimum,
    JOB_SEC_MAX: config.task.properties.max_sec.maximum,
    JOB_VALUES_MAX: job.values.maxProperties,
    JOB_WORDS_MAX: job.status.properties.done.maxItems,
    JOB_WORD_CHARS_MAX: job.status.properties.failed.items.maxLength,
    JOB_POLL_SEC_MIN: job.poll_sec.minimum,
    JOB_POLL_SEC_MAX: job.poll_sec.maximum,
    JOB_POLL_SEC_DEFAULT: job.poll_sec.default,
    MCP_TOOL_CHARS_MAX: config.mcp.properties.tool.maxLength,
    MCP_UPSTREAM_CHARS_MAX: config.mcp.properties.upstream.maxLength,
    HOOKS_MAX: config.plugin_hooks.maxItems,
    HOOK_NAME_CHARS_MAX: config.plugin_hook.maxLength,
    TIMEOUT_MS_MAX: config.timeout_ms.maximum,
    TIMEOUT_MS_DEFAULT: config.timeout_ms.default,
    RESPONSE_BYTES_MAX: config.max_response_bytes.maximum,
    RESPONSE_BYTES_DEFAULT: config.max_response_bytes.default,
  }).toEqual(
    Object.fromEntries(
      Object.entries(limits).filter(
        ([name]) =>
          !/^(ARG_PARTS|DEFINITION|MARKDOWN|OPERATING|SHARED|PARAM_HEADER|PARAMETERS|PRICE_DECIMALS|FAULTS|TOOL|TOOLS|HASH|CURSOR|SEARCH|SKILLS_PAGE|SKILLS_READ|SKILLS_SEARCH|SKILL_VERSIONS|TASK_SEC_MAX)/.test(
            name,
          ),
      ),
    ),
  )
  expect(properties.credits_per_call.multipleOf).toBe(1e-6)
})

test('tide.md is a Markdown skill that is read without a warning', async () => {
  const read = await makeSkillMarkdown().read(readFileSync(new URL('tide.md', FOLDER), 'utf8'))
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  const definition = makeDefinition(read.value, 'sg')
  const skill = definition.ok ? readSkill(definition.value, { prefix: 'sg' }) : definition
  if (!skill.ok) throw new Error(JSON.stringify(skill.error))
  expect(skill.value.warnings).toEqual([])
  expect(skill.value.skill).toMatchObject({
    skillId: 'sg_tide',
    source: 'official',
    name: 'Tide',
    description:
      'Tells when the sea is highest at a harbour today. Use it before you plan a trip by boat.',
    tags: ['sea', 'planning'],
    priceMicroCredits: 250_000,
    timeoutMs: 5000,
    responsePick: '/high_waters',
  })
  expect(schemaFaults(skill.value.skill.parameters)).toEqual([])
  const draft = draftRequest(skill.value.skill, { harbour: 'nobgo' })
  const request = draft.ok ? draft.value.complete(new Map()) : draft
  expect(request.ok ? request.value.url : '').toBe(
    'https://tides.example.com/v1/harbours/nobgo/today?datum=chart',
  )
})

test('the schema for editors is a sound schema itself', () => {
  expect(schemaFaults(schema)).toEqual([])
})

test.each([
  [{ id: 'a/b' }, '/id'],
  [{ source: 'global' }, '/source'],
  [{ credits_per_call: -1 }, '/credits_per_call'],
  [{ config: { endpoint: 'ftp://x' } }, '/config/endpoint'],
  [{ meta: { name: 'n', description: '' } }, '/meta/description'],
  [{ meta: { name: 'n', description: 'd', typical_ms: 15_001 } }, '/meta/typical_ms'],
  [{ meta: { name: 'n', description: 'd', output_schema: true } }, '/meta/output_schema'],
  [{ config: { endpoint: 'https://a.example/', retries: 3 } }, '/config/retries'],
  [{ config: { endpoint: 'https://a.example/', response: { as: 'xml' } } }, '/config/response/as'],
  [
    { config: { endpoint: 'https://a.example/', response: { pick: 'a' } } },
    '/config/response/pick',
  ],
  [
    { config: { endpoint: 'https://a.example/', auth: { type: 'bearer', secret: 'sk-1' } } },
    '/config/auth/secret',
  ],
  [
    { config: { endpoint: 'https://a.example/', auth: { type: 'header', secret: 'KEY' } } },
    '/config/auth/name',
  ],
  [
    {
      config: {
        endpoint: 'https://a.example/',
        plugin_hook: 'hmac_sha256_signature',
        plugin_options: { secret: 'KEY', algorithm: 'md5' },
      },
    },
    '/config/plugin_options/algorithm',
  ],
  [
    { config: { endpoint: 'https://a.example/', plugin_hook: 'oauth2_client_credentials' } },
    '/config/plugin_options',
  ],
  [
    { config: { endpoint: 'https://a.example/', response: { ok_statuses: [429] } } },
    '/config/response/ok_statuses/0',
  ],
  [
    { config: { endpoint: 'https://a.example/', response: { fail_if: { pointer: '/ok' } } } },
    '/config/response/fail_if',
  ],
  [
    {
      config: {
        endpoint: 'https://a.example/',
        plugin_hooks: [{ name: 'csv_to_json', options: { delimiter: ',' } }],
      },
    },
    '/config/plugin_hooks/0/options/delimiter',
  ],
  [
    {
      config: {
        endpoint: 'https://a.example/',
        plugin_hook: 'xml_to_json',
        plugin_options: { list: 'item' },
      },
    },
    '/config/plugin_options/list',
  ],
])('an editor marks the skill %j', (change, pointer) => {
  const found = faults(schema, { ...load('joke.json'), ...change })
  expect(found.map((fault) => fault.pointer)).toContain(pointer)
})
