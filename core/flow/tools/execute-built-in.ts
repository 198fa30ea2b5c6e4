/**
 * POST /v1/execute of a built-in tool: the same answer as over MCP, in the shape of an execute
 * answer. The request needs a key, like every request to execute. The call costs nothing, so an
 * Idempotency-Key has no effect; a call that issues a key and is repeated issues another one. Bound
 * by docs/service.md, Built-in tools and Execute.
 */
import type { Credential } from '../../access/credential.ts'
import { buildRateLimitHeaders } from '../../access/minute.ts'
import { loadOnce } from '../../cache/load-once.ts'
import { makeCallId } from '../../call/call-id.ts'
import type { ExecuteAnswer } from '../../call/execute.ts'
import { toProblem } from '../../call/problem.ts'
import type { Refusal } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import type { ToolResult } from '../../mcp/content.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { type BuiltInName, type CallSideName, isCallSide } from '../../skills/built-in-names.ts'
import { KEY_MISSING, USER_DELETED } from '../access/authenticate.ts'
import { MAY_NOT_ISSUE, type SubKeyNeeds } from '../users/issue-sub-key.ts'
import { BUILT_IN_TOOLS } from './built-in-tools.ts'
import {
  type Answering,
  type BuiltInNeeds,
  type BuiltInUser,
  isRefused,
  runAnswering,
  runBuiltIn,
} from './call-built-in.ts'
import type { ToolListCache } from './tool-list-cache.ts'

export type ExecuteBuiltInNeeds = BuiltInNeeds & SubKeyNeeds & Pick<Ports, 'keptResults'>

export type BuiltInExecution = {
  readonly credential: Credential
  readonly name: BuiltInName
  readonly arguments: JsonObject
  /** True if the call came by `<prefix>_call`. */
  readonly byName?: boolean | undefined
  /** The id that our own function sent; undefined to make a new one. */
  readonly callId: string | undefined
  readonly lists: ToolListCache
}

type BuiltInAnswer = {
  readonly answer: ExecuteAnswer
  /** RateLimit and RateLimit-Policy; empty if the tool did not run. */
  readonly headers: { readonly [name: string]: string }
}

/** Refusals are answers. Throws `Fault` if the store fails. */
export async function executeBuiltIn(
  ports: ExecuteBuiltInNeeds,
  settings: Settings,
  execution: BuiltInExecution,
): Promise<BuiltInAnswer> {
  const startedAtMs = ports.clock.nowMs()
  const callId = execution.callId ?? makeCallId(startedAtMs, ports.ids.token(16))
  const refuse = (refusal: Refusal): BuiltInAnswer => {
    ports.log.note('info', 'call-refused', { callId, code: refusal.code })
    return { answer: { kind: 'problem', body: toProblem(refusal, { callId }) }, headers: {} }
  }
  if (execution.credential.kind === 'anonymous') return refuse(KEY_MISSING)
  const { name } = execution
  const run = isCallSide(name)
    ? await runAnswering(ports, settings, CALL_SIDE[name](ports), execution)
    : await runBuiltIn(ports, settings, BUILT_IN_TOOLS[name], execution)
  switch (run.kind) {
    case 'denied':
    case 'refused':
      return refuse(run.refusal)
    case 'no-key':
      return refuse(KEY_MISSING)
    case 'no-user':
      return refuse(USER_DELETED)
    case 'answered': {
      const headers =
        run.by === undefined ? {} : buildRateLimitHeaders({ ...run.by.minute, allowed: true })
      if (isRefused(run.result)) return { ...refuse(toRefusal(run.result)), headers }
      const durationMs = ports.clock.nowMs() - startedAtMs
      const skillId = `${settings.prefix}_${execution.name}`
      return { answer: toSuccess(run.result, run.by, { callId, skillId, durationMs }), headers }
    }
    default:
      return run satisfies never
  }
}

const CALL_SIDE: { readonly [name in CallSideName]: (ports: ExecuteBuiltInNeeds) => Answering } = {
  issue_key: issueKeys,
  read_result: readResults,
}

const importAnswer = loadOnce(() => import('./answer-issue-key.ts'))

/** The code that issues a key is loaded with the first call. */
function issueKeys(ports: SubKeyNeeds): Answering {
  return {
    anonymous: undefined,
    changes: true,
    user: async (request) => (await importAnswer()).issueSubKey(request, ports),
    findRefusal: ({ scope }) => (scope?.mayIssueKeys === true ? undefined : MAY_NOT_ISSUE),
  }
}

const importReader = loadOnce(() => import('./answer-read-result.ts'))

function readResults(ports: Pick<Ports, 'keptResults'>): Answering {
  return {
    anonymous: undefined,
    changes: false,
    user: async (request) => (await importReader()).readKeptResult(request, ports),
  }
}

function toSuccess(
  { content, isError, structuredContent }: ToolResult,
  by: BuiltInUser | undefined,
  call: { readonly callId: string; readonly skillId: string; readonly durationMs: number },
): ExecuteAnswer {
  const { callId, durationMs, skillId } = call
  const remaining = toCreditsNumber(by?.profile.credits ?? 0)
  return {
    kind: 'success',
    body: {
      callId,
      skillId,
      source: 'built-in',
      content,
      ...(structuredContent === undefined ? {} : { structuredContent }),
      isError,
      credits: { charged: 0, refunded: 0, remaining },
      durationMs,
    },
  }
}

/** Only its arguments can make a built-in tool fail. Its result then has the reason as text. */
function toRefusal({ content }: ToolResult): Refusal {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return { code: 'invalid_arguments', detail: `arguments: ${texts.join(' ')}` }
}
