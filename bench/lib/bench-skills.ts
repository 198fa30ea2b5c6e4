/** The skills of bench:mcp. Every answer repeats the city, so that it can be checked. */
import type { Json, JsonObject } from '../../core/json/json.ts'

export type BenchSkill = {
  readonly name: string
  /** Unified JSON. */
  readonly definition: JsonObject
}

export function plainSkill(upstreamUrl: string): BenchSkill {
  const config = { endpoint: `${upstreamUrl}/weather`, method: 'GET' }
  const city = { type: 'string', minLength: 1, maxLength: 100 }
  return { name: 'plain', definition: definition('plain', config, { city }) }
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
