/**
 * Answers a call of the built-in tool `<prefix>_usage`. Loaded with its first call by
 * show-usage.ts.
 */
import { writeCursorRule } from '../../json/cursor.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import { type LedgerEntry, readCharge } from '../../ledger/entry.ts'
import { LEDGER_PAGE_DEFAULT, LEDGER_PAGE_MAX } from '../../ledger/limits.ts'
import type { ToolResult } from '../../mcp/content.ts'
import { makeTextResult } from '../../mcp/text-result.ts'
import { readLedger } from '../users/read-ledger.ts'
import { toBudgetFields } from './budget-fields.ts'
import type { BuiltInPorts, UserRequest } from './built-in-tool.ts'

/** Bad arguments are a result with `isError`. Throws `Fault` if the store fails. */
export async function showUsage(
  { arguments: args, caller }: UserRequest,
  ports: BuiltInPorts,
): Promise<ToolResult> {
  const { limit = LEDGER_PAGE_DEFAULT, cursor, ...unknown } = args
  const extra = Object.keys(unknown)
  if (extra.length > 0) {
    const names = extra.slice(0, 5).map((name) => name.slice(0, 40))
    return makeTextResult(`Unknown arguments: ${names.join(', ')}. ${USAGE_TEXT}`, true)
  }
  if (!isLimit(limit)) {
    return makeTextResult(
      `limit: must be a whole number from 1 to ${LEDGER_PAGE_MAX}. ${USAGE_TEXT}`,
      true,
    )
  }
  if (cursor !== undefined && typeof cursor !== 'string') return BAD_CURSOR
  const page = await readLedger(ports, caller.profile, { limit, cursor })
  // A bad cursor is the only reason to refuse a page.
  if (!page.ok) return BAD_CURSOR
  const { entries, nextCursor } = page.value
  const usage = {
    calls: entries.map(toShownCall),
    ...toBudgetFields(caller),
    ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }),
  }
  return {
    content: [{ type: 'text', text: JSON.stringify(usage) }],
    structuredContent: usage,
    isError: false,
  }
}

const USAGE_TEXT = `This tool takes {"limit"?: 1 to ${LEDGER_PAGE_MAX}, "cursor"?: next_cursor of the previous answer}.`

const BAD_CURSOR = makeTextResult(
  `cursor: ${writeCursorRule('the next_cursor of an earlier answer')}. ${USAGE_TEXT}`,
  true,
)

function isLimit(limit: Json): limit is number {
  return (
    typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= LEDGER_PAGE_MAX
  )
}

function toShownCall(entry: LedgerEntry): JsonObject {
  const { callId, createdAtMs, ended, reason, skill, state } = entry
  return {
    call_id: callId,
    ...(skill === undefined ? {} : { skill: skill.skillId, source: skill.source }),
    ...(skill?.version === undefined ? {} : { skill_version: skill.version }),
    state,
    ...(reason === undefined ? {} : { reason }),
    amount: toCreditsNumber(entry.amount),
    charged: toCreditsNumber(readCharge(entry)),
    created_at_ms: createdAtMs,
    ...(ended === undefined ? {} : { ended_at_ms: ended.atMs, duration_ms: ended.durationMs }),
    ...(ended?.upstreamStatus === undefined ? {} : { upstream_status: ended.upstreamStatus }),
  }
}
