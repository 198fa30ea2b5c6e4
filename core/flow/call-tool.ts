/**
 * tools/call: built-in tools answer here, any other name goes to execute with the locked header, a
 * call id and a deadline. The guard is a race against a timer, here and in execute; when this one
 * fires all the same, the call is voided before the agent is told. Failures are results.
 * Bound by the spec (tools/call, Errors) and design section 4 (tools/call).
 */

import { adviceFor } from '../call/advice.ts'
import type { ExecuteAnswer } from '../call/execute.ts'
import { CALL_TIMEOUT_MS } from '../call/limits.ts'
import { err, ok, type Result } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import { RPC_INVALID_PARAMS, type RpcError } from '../jsonrpc/message.ts'
import type { ToolResult } from '../mcp/content.ts'
import { textResult } from '../mcp/text-result.ts'
import type { Ports } from '../ports.ts'
import type { Settings } from '../settings.ts'
import { builtInName } from '../skills/built-in.ts'
import { type BuiltInNeeds, callBuiltIn } from './call-built-in.ts'

export type CallToolNeeds = BuiltInNeeds & Pick<Ports, 'clock' | 'execute' | 'log'>

export type ToolCall = {
  readonly name: string
  readonly arguments: JsonObject
  /** The header locked at session open; undefined for an anonymous session. */
  readonly authorization: string | undefined
  readonly uid: string | undefined
  readonly callId: string
  readonly deadlineMs: number
}

/** An unknown tool is an RpcError (-32602); everything else that goes wrong is a result. */
export async function callTool(
  ports: CallToolNeeds,
  settings: Settings,
  call: ToolCall,
): Promise<Result<ToolResult, RpcError>> {
  const builtIn = builtInName(settings.prefix, call.name)
  if (builtIn !== undefined) return ok(await callBuiltIn(ports, settings, builtIn, call))
  if (call.authorization === undefined)
    return ok(textResult(adviceFor({ code: 'unauthenticated' }), true))
  const answer = await raceGuard(ports, call, call.authorization)
  if (answer === 'cut' || answer === 'broken') {
    const voided = await voidSafely(ports, call)
    const code = answer === 'cut' ? 'timed_out' : 'internal'
    return ok(textResult(adviceFor({ code, afterMs: CALL_TIMEOUT_MS, free: voided }), true))
  }
  // Another attempt of this very call is running: it would be paid for after we said it failed.
  if (answer.kind === 'problem' && answer.body.code === 'conflict') await voidSafely(ports, call)
  return toolResult(call, answer)
}

function toolResult(call: ToolCall, answer: ExecuteAnswer): Result<ToolResult, RpcError> {
  if (answer.kind === 'success') {
    const { content, credits, structuredContent } = answer.body
    return ok({
      content,
      credits,
      isError: false,
      ...(structuredContent === undefined ? {} : { structuredContent }),
    })
  }
  if (answer.kind === 'input') {
    return ok(textResult(adviceFor({ code: 'client_capability_missing' }), true))
  }
  const { code, credits, detail, errors } = answer.body
  if (code === 'unknown_skill') {
    return err({
      code: RPC_INVALID_PARAMS,
      message: `Unknown tool: ${call.name.slice(0, 128)}. tools/list names those there are.`,
    })
  }
  const failed = textResult(adviceFor({ code, detail, faults: errors }), true)
  return ok(credits === undefined ? failed : { ...failed, credits })
}

async function raceGuard(
  ports: CallToolNeeds,
  call: ToolCall,
  authorization: string,
): Promise<ExecuteAnswer | 'cut' | 'broken'> {
  const done = new AbortController()
  const body = { skill: call.name, arguments: call.arguments }
  const terms = { callId: call.callId, deadlineMs: call.deadlineMs }
  const executed = ports.execute
    .execute({ authorization, body, terms }, done.signal)
    .catch((cause: unknown) => {
      if (!done.signal.aborted)
        ports.log.note('error', 'execute-unreachable', { callId: call.callId }, cause)
      return 'broken' as const
    })
  const guard = ports.clock
    .sleep(Math.max(0, call.deadlineMs - ports.clock.nowMs()), done.signal)
    .then(() => 'cut' as const)
  const answer = await Promise.race([executed, guard])
  done.abort()
  return answer
}

/** True when the call is free for certain. */
async function voidSafely(ports: CallToolNeeds, call: ToolCall): Promise<boolean> {
  if (call.uid === undefined) return true
  for (let attempt = 1; attempt <= VOID_ATTEMPTS; attempt += 1) {
    try {
      await ports.execute.voidCall({ uid: call.uid, callId: call.callId, reason: 'void' })
      return true
    } catch (cause) {
      ports.log.note('error', 'void-failed', { callId: call.callId, attempt }, cause)
      if (attempt < VOID_ATTEMPTS) await ports.clock.sleep(VOID_RETRY_MS * attempt)
    }
  }
  return false
}

/** Tries of a void before the agent is told that the charge is uncertain. */
const VOID_ATTEMPTS = 3
const VOID_RETRY_MS = 200
