/**
 * Writes a tool's price and typical duration, and a result's call and cost, into `_meta`, so that
 * description and content stay the skill's. The names have the prefix `skillgate/`. Bound by the
 * `_meta` naming rules of MCP (since 2025-06-18).
 */
import type { JsonObject } from '../json/json.ts'
import type { Tool, ToolUi } from '../skills/skill.ts'
import type { ResultCall, ToolResult } from './content.ts'
import { withoutUndefined } from './members.ts'

const PRICE_META = 'skillgate/price'
const LATENCY_META = 'skillgate/latency'
const CALL_META = 'skillgate/call'
const CREDITS_META = 'skillgate/credits'
const REPLAYED_META = 'skillgate/replayed'

/** Prices are stored in millionths of a credit. The quotient's shortest text is exact. */
const MICRO_PER_CREDIT = 1_000_000

/** The rule of docs/service.md, Ledger. */
const REFUND =
  'A call that fails, is cancelled or is stopped by its time limit is refunded in full.'
const FREE = 'Calls are free.'

export function makeToolMeta(tool: Tool): JsonObject {
  const { costsAsNamed, priceMicroCredits, timeoutMs, typicalMs, ui } = tool
  const latency = timeoutMs === undefined ? undefined : withoutUndefined({ typicalMs, timeoutMs })
  const price = { credits: priceMicroCredits / MICRO_PER_CREDIT, refund: writeRefundRule(tool) }
  return withoutUndefined({
    [PRICE_META]: costsAsNamed === true ? undefined : price,
    [LATENCY_META]: latency,
    ui: ui && toUiMeta(ui),
  })
}

/** The key is that of Apps (SEP-1865), which hosts read. */
function toUiMeta({ resourceUri, visibility }: ToolUi): JsonObject {
  return { resourceUri, ...(visibility === undefined ? {} : { visibility: [...visibility] }) }
}

/** Says in a sentence how a failed call is charged. */
export function writeRefundRule({ priceMicroCredits }: Pick<Tool, 'priceMicroCredits'>): string {
  return priceMicroCredits === 0 ? FREE : REFUND
}

/**
 * Returns the call's id, and its price if a call was started, because the content is the tool's. A
 * repeated answer is marked, so that nobody adds its price twice. Undefined for a result without a
 * call.
 */
export function makeResultMeta({ call, credits, replayed }: ToolResult): JsonObject | undefined {
  if (call === undefined && credits === undefined) return undefined
  return withoutUndefined({ [CALL_META]: call, [CREDITS_META]: credits, [REPLAYED_META]: replayed })
}

/** Returns the call's id for `_meta` of an answer with questions, and for `data` of an error. */
export function makeCallMeta(call: ResultCall): JsonObject {
  return { [CALL_META]: call }
}
