/**
 * What an upstream's answer comes to for the one who pays: a result that keeps what the skill
 * promises, questions that the caller's client can be asked, or a failure. Moves no money. Bound by
 * docs/service.md, Response mapping, and ADR 0027.
 */
import { missingCapabilities } from '../../call/client-capabilities.ts'
import { oneLine } from '../../call/failure-text.ts'
import type { InputAsked } from '../../call/input-required.ts'
import type { Mask } from '../../call/mask.ts'
import { isAsked, toResult } from '../../call/to-result.ts'
import type { UpstreamResponse } from '../../call/upstream.ts'
import { type ErrorCode, err, ok, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { RefundReason } from '../../ledger/ledger.ts'
import type { ToolResult } from '../../mcp/content.ts'
import type { Ports } from '../../ports.ts'
import type { Skill } from '../../skills/skill.ts'

export type Failure = {
  readonly code: ErrorCode & RefundReason
  readonly detail: string
  readonly retryAfterSec?: number
  /** With `client_capability_missing`. */
  readonly requiredCapabilities?: JsonObject
}

/** Why there is no result: something failed, or the upstream must know more first. */
export type NoResult = Failure | InputAsked

type CheckedResult = Result<ToolResult, NoResult>

/** `capabilities` is what the caller's client can be asked. */
export function checkResult(
  ports: Pick<Ports, 'schemas'>,
  response: UpstreamResponse,
  skill: Skill,
  { capabilities, mask }: { readonly capabilities: JsonObject; readonly mask: Mask },
): CheckedResult {
  const made = toResult(response, skill, mask)
  if (made.ok) {
    return skill.outputSchema === undefined
      ? made
      : checkOutput(ports, skill.outputSchema, made.value)
  }
  if (isAsked(made.error)) return checkClient(made.error, capabilities)
  return err({ code: 'upstream_failed', detail: made.error.detail })
}

/** Clients throw away a result that lacks what the tool's list entry promised (MCP, output schema). */
function checkOutput(
  { schemas }: Pick<Ports, 'schemas'>,
  outputSchema: JsonObject,
  result: ToolResult,
): CheckedResult {
  const { structuredContent } = result
  if (structuredContent === undefined) {
    return promiseBroken(
      'has no structured content, which meta.output_schema of the skill promises',
    )
  }
  const [fault] = schemas.faults(outputSchema, structuredContent)
  if (fault === undefined) return ok(result)
  const where = fault.pointer === '' ? '' : ` at ${oneLine(fault.pointer)}`
  return promiseBroken(
    `does not fit meta.output_schema of the skill:${where} ${oneLine(fault.message)}`,
  )
}

function promiseBroken(how: string): CheckedResult {
  return err({ code: 'upstream_failed', detail: `The upstream's answer ${how}.` })
}

function checkClient(asked: InputAsked, capabilities: JsonObject): CheckedResult {
  const missing = missingCapabilities(asked, capabilities)
  if (missing === undefined) return err(asked)
  const names = Object.keys(missing).join(', ')
  return err({
    code: 'client_capability_missing',
    detail: `This tool must ask the client before it can answer, and the client has not declared that it can be asked (${names}). It was not charged.`,
    requiredCapabilities: missing,
  })
}
