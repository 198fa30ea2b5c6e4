/**
 * One official tool as anybody may see it: what it does, what it costs, and how long it takes by
 * measurement. Bound by docs/service.md, Catalog.
 */
import { mendedSchema } from '../../json/client-schemas.ts'
import type { JsonObject } from '../../json/json.ts'
import { creditsNumber } from '../../ledger/amount.ts'
import { refundRule } from '../../mcp/tool-meta.ts'
import type { Tool } from '../../skills/skill.ts'
import { callsIn, type DurationCounts, percentileMs } from '../../usage/durations.ts'

/** Below it a percentile says little, and would show single calls. */
export const LATENCY_CALLS_MIN = 20

export const LATENCY_RULE =
  `p50Ms and p95Ms are measured: half and 95 % of the successful calls of the last 24 full hours took no longer, ` +
  `with an error of 10 % at most. null: there were fewer than ${LATENCY_CALLS_MIN} such calls.`

/** Tools that everyone may call, of the official tier, and of which the stored version is known. */
export function isPublic({ groups, source, version }: Tool): boolean {
  return source === 'official' && version !== undefined && (groups ?? []).length === 0
}

export function catalogEntry(tool: Tool, durations: DurationCounts | undefined): JsonObject {
  const { description, inputSchema, name, priceMicroCredits, title, version = 0 } = tool
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    parameters: mendedSchema(inputSchema, 'input'),
    price: creditsNumber(priceMicroCredits),
    refund: refundRule(tool),
    latency: latencyOf(durations),
    version,
  }
}

function latencyOf(durations: DurationCounts | undefined): JsonObject | null {
  if (durations === undefined || callsIn(durations) < LATENCY_CALLS_MIN) return null
  return { p50Ms: percentileMs(durations, 0.5), p95Ms: percentileMs(durations, 0.95) }
}
