/** Skills of a fuzzed gateway: one for each way in which arguments, secrets and answers travel. */

import { syncSkill } from '../../core/flow/registry/sync-skill.ts'
import { syncToolList } from '../../core/flow/registry/sync-tool-list.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { okOf, type SkillMore, skillJson, type World } from '../core/flow/world.ts'
import { ORIGIN } from './fuzzed-upstream.ts'

const TEXT = { type: 'string' }
const ANY: JsonObject = { type: 'object', properties: {} }

const SKILLS: readonly (readonly [id: string, more: SkillMore])[] = [
  [
    'sg_weather',
    {
      price: 0.5,
      config: { endpoint: `${ORIGIN}/weather/{city}?unit=c` },
      parameters: {
        type: 'object',
        properties: { city: { ...TEXT, maxLength: 100 }, days: { type: 'integer', maximum: 7 } },
        required: ['city'],
      },
    },
  ],
  ['sg_any', { price: 1, config: { endpoint: `${ORIGIN}/any`, method: 'POST' }, parameters: ANY }],
  ['sg_free', { price: 0, config: { endpoint: `${ORIGIN}/free` }, parameters: ANY }],
  ['sg_head', { config: { endpoint: `${ORIGIN}/head`, method: 'HEAD' }, parameters: ANY }],
  [
    'sg_strict',
    {
      config: { endpoint: `${ORIGIN}/strict`, method: 'PUT' },
      parameters: {
        type: 'object',
        additionalProperties: false,
        required: ['note'],
        properties: {
          note: { ...TEXT, pattern: '^[a-z-]*[0-9a-z-]*$', minLength: 1 },
          when: { ...TEXT, format: 'date' },
          tags: { type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true, maxItems: 3 },
          size: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 },
        },
      },
    },
  ],
  [
    'sg_template',
    {
      parameters: { type: 'object', properties: { note: TEXT, list: { type: 'array' } } },
      config: {
        endpoint: `${ORIGIN}/template`,
        method: 'POST',
        headers: { 'x-note': '{{args.note}}', 'x-long': 'for {{args.note}}!' },
        query: { q: '{{args.note}}' },
        body: { note: '{{args.note}}', text: '“{{args.note}}”', list: ['{{args.list}}'] },
      },
    },
  ],
  [
    'sg_form',
    {
      parameters: ANY,
      config: {
        endpoint: `${ORIGIN}/form`,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    },
  ],
  [
    'sg_vault',
    {
      parameters: { type: 'object', properties: { note: TEXT } },
      config: {
        endpoint: `${ORIGIN}/vault`,
        method: 'POST',
        auth: { type: 'bearer', secret: 'TOKEN' },
        headers: { 'x-twice': '{{secrets.TOKEN}} {{secrets.TOKEN}}' },
        query: { key: '{{secrets.QUERY}}' },
        body: { note: '{{args.note}}', key: '{{secrets.TOKEN}}' },
      },
    },
  ],
  [
    'sg_basic',
    {
      parameters: ANY,
      config: { endpoint: `${ORIGIN}/basic`, auth: { type: 'basic', secret: 'LOGIN' } },
    },
  ],
  [
    'sg_signed',
    {
      parameters: ANY,
      config: {
        endpoint: `${ORIGIN}/signed`,
        method: 'POST',
        plugin_hook: 'hmac_sha256_signature',
        plugin_options: { secret: 'TOKEN' },
      },
    },
  ],
  [
    'sg_oauth',
    {
      parameters: ANY,
      config: {
        endpoint: `${ORIGIN}/oauth`,
        plugin_hook: 'oauth2_client_credentials',
        plugin_options: {
          token_url: `${ORIGIN}/token`,
          client_id_secret: 'QUERY',
          client_secret_secret: 'TOKEN',
        },
      },
    },
  ],
  [
    'sg_mirror',
    {
      config: { endpoint: `${ORIGIN}/mirror` },
      parameters: {
        type: 'object',
        properties: {
          region: { ...TEXT, 'x-mcp-header': 'Region' },
          size: { type: 'integer', 'x-mcp-header': 'Size' },
        },
      },
    },
  ],
  ['sg_mcp', { parameters: ANY, config: { endpoint: `${ORIGIN}/mcp`, response: { as: 'mcp' } } }],
  [
    'sg_pick',
    {
      parameters: ANY,
      config: { endpoint: `${ORIGIN}/pick`, response: { as: 'json', pick: '/a' } },
    },
  ],
  [
    'sg_outcomes',
    {
      price: 0.5,
      parameters: {
        type: 'object',
        properties: { q: { type: 'object', properties: { from: { default: 'now' } } } },
      },
      config: {
        endpoint: `${ORIGIN}/outcomes`,
        query: { from: '{{args.q.from}}', deep: '{{args.q.0.a}}' },
        headers: { 'x-key': '{{secrets.TOKEN}}' },
        response: {
          fail_if: [{ pointer: '/a', equals: 2 }, { contains: 'error' }],
          ok_statuses: [404],
          show_headers: ['link', 'location'],
        },
      },
    },
  ],
  [
    'sg_tables',
    {
      parameters: ANY,
      config: {
        endpoint: `${ORIGIN}/tables`,
        headers: { 'x-key': '{{secrets.TOKEN}}' },
        plugin_hooks: [
          { name: 'xml_to_json' },
          { name: 'csv_to_json', options: { media_type: 'text/plain' } },
        ],
      },
    },
  ],
  [
    'sg_mine',
    { source: 'private', uid: 'ada', parameters: ANY, config: { endpoint: `${ORIGIN}/mine` } },
  ],
]

export const SKILL_IDS: readonly string[] = SKILLS.map(([id]) => id)

/** `bobs` stands in every part of bob's own skill but its name. */
export async function storeSkills(world: World, bobs: string): Promise<void> {
  for (const [id, more] of SKILLS) await store(world, id, more)
  await store(world, 'sg_private', {
    source: 'private',
    uid: 'bob',
    description: `Does ${bobs}.`,
    parameters: { type: 'object', properties: { note: { type: 'string', description: bobs } } },
    config: { endpoint: `${ORIGIN}/${bobs}`, headers: { 'x-bob': bobs } },
  })
  okOf(await syncToolList(world.ports, world.settings, {}))
}

/** Listed all at once afterwards, which takes a third of the time. */
async function store({ ports, settings }: World, id: string, more: SkillMore): Promise<void> {
  const text = JSON.stringify(skillJson(id, more))
  okOf(await syncSkill(ports, settings, { text, source: undefined, uid: more.uid, list: 'later' }))
}
