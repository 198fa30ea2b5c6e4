/**
 * A tool's price and typical duration, in `_meta` under our own prefix, so that the description
 * stays the skill's. Bound by the `_meta` naming rules of MCP (2025-06-18 on).
 */
import type { Json, JsonObject } from '../json/json.ts'
import type { Tool } from '../skills/skill.ts'
import type { ToolResult } from './content.ts'
import { members } from './members.ts'

const PRICE_META = 'skillgate/price'
const LATENCY_META = 'skillgate/latency'
const CREDITS_META = 'skillgate/credits'

/** Prices are kept in millionths of a credit; the quotient's shortest text is the exact decimal. */
const MICRO_PER_CREDIT = 1_000_000

/** The rule of docs/service.md, Ledger. */
const REFUND = 'A call that fails, is cancelled or is cut by its time limit is refunded in full.'
const FREE = 'Calls are free.'

export function toolMeta(tool: Tool): JsonObject {
  const { priceMicroCredits, timeoutMs, typicalMs } = tool
  const refund = priceMicroCredits === 0 ? FREE : REFUND
  const latency = timeoutMs === undefined ? undefined : members({ typicalMs, timeoutMs })
  return members({
    [PRICE_META]: { credits: priceMicroCredits / MICRO_PER_CREDIT, refund },
    [LATENCY_META]: latency,
  })
}

/**
 * The price of a call, beside content that belongs to the tool; undefined when no call was begun.
 */
export function creditsMeta({ credits }: ToolResult): { readonly [key: string]: Json } | undefined {
  return credits === undefined ? undefined : { [CREDITS_META]: credits }
}
