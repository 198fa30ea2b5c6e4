/**
 * The skills of bench:call: the same call in its plainest form, and with each feature of a skill.
 * Every answer repeats the city, so that it can be checked.
 */
import type { Json, JsonObject } from '../../core/json/json.ts'

export type BenchSkill = {
  readonly name: string
  /** Unified JSON. */
  readonly definition: JsonObject
  /** Contains CITY, which the load generator replaces. */
  readonly arguments: JsonObject
  readonly secrets: { readonly [name: string]: string }
}

/** A typical length of such keys. */
export const API_KEY = 'bk_live_7Qm2xVt9RzKp4LwY8NcD3HfB6JsG1TaE'
const HMAC_SECRET = 'whsec_c0ffee5eed1234567890abcdefABCDEF'

const CITY: JsonObject = { type: 'string', minLength: 1, maxLength: 100 }
const NONE = {}

const TEMPLATED_ARGUMENTS: JsonObject = {
  city: 'CITY',
  country: 'São Tomé',
  units: 'metric',
  tags: ['now', 'week'],
}

const TEMPLATES: JsonObject = {
  headers: { 'x-units': '{{args.units}}', 'x-asked': 'city in {{args.units}}, by bench' },
  query: { city: '{{args.city}}', units: '{{args.units}}' },
  body: {
    where: { city: '{{args.city}}', country: '{{args.country}}' },
    tags: '{{args.tags}}',
    note: 'for {{args.city}} in {{args.country}}, {{args.units}}',
  },
}

const HMAC: JsonObject = {
  plugin_hook: 'hmac_sha256_signature',
  plugin_options: {
    secret: 'SIGNING_SECRET',
    timestamp_header: 'x-timestamp',
    payload: 'timestamp\nmethod\npath\nbody',
  },
}

export function benchSkills(upstreamUrl: string): readonly BenchSkill[] {
  const plain = plainConfig(upstreamUrl)
  const templated = { endpoint: `${upstreamUrl}/in/{country}/weather`, method: 'POST' }
  const oauth: JsonObject = {
    plugin_hook: 'oauth2_client_credentials',
    plugin_options: {
      token_url: `${upstreamUrl}/token`,
      client_id_secret: 'CLIENT_ID',
      client_secret_secret: 'CLIENT_SECRET',
    },
  }
  const inHeader: JsonObject = { auth: { type: 'header', secret: 'API_KEY', name: 'x-api-key' } }
  const credentials = { CLIENT_ID: 'bench-client', CLIENT_SECRET: 'bench-client-secret' }
  return [
    plainSkill(upstreamUrl),
    {
      name: 'templates',
      definition: definition('templates', { ...templated, ...TEMPLATES }, templatedProperties()),
      arguments: TEMPLATED_ARGUMENTS,
      secrets: NONE,
    },
    skill('secret', { ...plain, ...inHeader }, { API_KEY }),
    skill('hmac', { ...plain, ...HMAC }, { SIGNING_SECRET: HMAC_SECRET }),
    skill('oauth', { ...plain, ...oauth }, credentials),
  ]
}

export function plainSkill(upstreamUrl: string): BenchSkill {
  return skill('plain', plainConfig(upstreamUrl), NONE)
}

function plainConfig(upstreamUrl: string): JsonObject {
  return { endpoint: `${upstreamUrl}/weather`, method: 'GET' }
}

function skill(name: string, config: JsonObject, secrets: BenchSkill['secrets']): BenchSkill {
  const args = { city: 'CITY' }
  return { name, definition: definition(name, config, { city: CITY }), arguments: args, secrets }
}

function templatedProperties(): JsonObject {
  const text = { type: 'string' }
  return { city: CITY, country: text, units: text, tags: { type: 'array', items: text } }
}

/** Costs a thousandth of a credit, so that the ledger takes part. */
export function definition(name: string, config: Json, properties: JsonObject): JsonObject {
  return {
    id: `sg_bench_${name}`,
    source: 'official',
    meta: {
      name: `Weather, ${name}`,
      description: 'Tells the weather in a city.',
      parameters: {
        type: 'object',
        properties,
        required: Object.keys(properties),
        additionalProperties: false,
      },
    },
    config,
    credits_per_call: 0.001,
  }
}
