/**
 * A tool's price and typical duration, and a result's call and cost, in `_meta` under our own
 * prefix, so that description and content stay the skill's. Bound by the `_meta` naming rules of MCP (2025-06-18 on).
 */
import type { JsonObject } from '../json/json.ts'
import type { Tool } from '../skills/skill.ts'
import type { ResultCall, ToolResult } from './content.ts'
import { members } from './members.ts'

const PRICE_META = 'skillgate/price'
const LATENCY_META = 'skillgate/latency'
const CALL_META = 'skillgate/call'
const CREDITS_META = 'skillgate/credits'

/** Prices are kept in millionths of a credit; the quotient's shortest text is the exact decimal. */
const MICRO_PER_CREDIT = 1_000_000

/** The rule of docs/service.md, Ledger. */
const REFUND =
  'A call that fails, is cancelled or is stopped by its time limit is refunded in full.'
const FREE = 'Calls are free.'

export function toolMeta(tool: Tool): JsonObject {
  const { costsAsNamed, priceMicroCredits, timeoutMs, typicalMs } = tool
  const latency = timeoutMs === undefined ? undefined : members({ typicalMs, timeoutMs })
  const price = { credits: priceMicroCredits / MICRO_PER_CREDIT, refund: refundRule(tool) }
  return members({
    [PRICE_META]: costsAsNamed === true ? undefined : price,
    [LATENCY_META]: latency,
  })
}

/** What becomes of the price of a call that fails, in a sentence. */
export function refundRule({ priceMicroCredits }: Pick<Tool, 'priceMicroCredits'>): string {
  return priceMicroCredits === 0 ? FREE : REFUND
}

/**
 * What the gateway says of a call, beside content that belongs to the tool: its id, and its price
 * where a call was begun. Undefined for a result of no call.
 */
export function resultMeta({ call, credits }: ToolResult): JsonObject | undefined {
  if (call === undefined && credits === undefined) return undefined
  return members({ [CALL_META]: call, [CREDITS_META]: credits })
}

/** The call's id in `_meta` of an answer that asks the client first, and in `data` of an error. */
export function callMeta(call: ResultCall): JsonObject {
  return { [CALL_META]: call }
}
