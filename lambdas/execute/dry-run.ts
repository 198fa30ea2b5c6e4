/**
 * POST /v1/execute/dry-run: reports what a call would do, or does in a test, for the admin function
 * only. A dry run names its user without the user's key, so the roles of the agents' functions,
 * which may call execute too, are refused. Bound by ADR 0054.
 */
import { type AgentRequest, refuseWith } from '../../adapters/http/agent-door.ts'
import { answerJson } from '../../adapters/http/answer.ts'
import {
  checkJsonType,
  REQUEST_BODY_BYTES_MAX,
  readBodyBytes,
} from '../../adapters/http/request.ts'
import { type DryRunOrder, type DryRunReport, readDryRunOrder } from '../../core/call/dry-run.ts'
import { ok, type Result } from '../../core/errors.ts'
import { type DryRunNeeds, dryRun } from '../../core/flow/dry-run/dry-run.ts'
import { sendTest } from '../../core/flow/dry-run/send-test.ts'
import type { ExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import type { ExecuteNeeds } from '../../core/flow/execute/execute-request.ts'
import type { Json } from '../../core/json/json.ts'
import { JSON_DEPTH_MAX } from '../../core/json/limits.ts'
import { parseText } from '../../core/json/parse-json.ts'
import { readText } from '../../core/json/read-text.ts'
import type { Settings } from '../../core/settings.ts'

/** Most bytes of an order, which holds a skill beside the arguments. */
export const DRY_RUN_BYTES_MAX = 2 * REQUEST_BODY_BYTES_MAX

/** Most levels of nesting: those of a skill and its arguments, and two around them. */
const ORDER_DEPTH_MAX = JSON_DEPTH_MAX + 2

/** Answers with the report, or with a refusal. */
export async function answerDryRun(host: DryRunHost, request: AgentRequest): Promise<void> {
  const json = readJson(request)
  const order = json.ok ? readDryRunOrder(json.value) : json
  if (!order.ok) return refuseWith(request, order.error)
  const report = await dryRunOrSend(host, order.value)
  if (!report.ok) return refuseWith(request, report.error)
  return answerJson(request.out, 200, report.value)
}

export type DryRunHost = {
  readonly ports: DryRunNeeds & ExecuteNeeds
  readonly settings: Settings
  readonly caches: Pick<ExecuteCaches, 'upstreams'>
}

/**
 * Makes a dry run and, if ordered, a test call directly after it, so that both describe the same
 * moment.
 */
export async function dryRunOrSend(
  { caches, ports, settings }: DryRunHost,
  order: DryRunOrder,
): Promise<Result<DryRunReport>> {
  const report = await dryRun(ports, settings, caches.upstreams, order)
  if (!report.ok || !order.send) return report
  const sent = await sendTest(ports, settings, caches.upstreams, order)
  return sent === undefined ? report : ok({ ...report.value, sent })
}

function readJson({ event }: AgentRequest): Result<Json> {
  const type = checkJsonType(event)
  if (!type.ok) return type
  const body = readBodyBytes(event, { bytesMax: DRY_RUN_BYTES_MAX })
  const text = body.ok ? readText(body.value, { bytesMax: DRY_RUN_BYTES_MAX }) : body
  return text.ok ? parseText(text.value, { depthMax: ORDER_DEPTH_MAX }) : text
}
