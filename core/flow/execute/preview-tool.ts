/**
 * A call of `<prefix>_preview_call`: what a call of another tool would cost and send, told to the agent that
 * would make it. Free, counted in the minute, and for tools that this caller may call alone. Calls no upstream, opens
 * no secret. Bound by docs/service.md, Built-in tools, and ADR 0054.
 */
import type { Principal } from '../../access/principal.ts'
import { callIdAt } from '../../call/call-id.ts'
import { problemIn } from '../../call/dry-run-problem.ts'
import { err, ok, type Result, refuse } from '../../errors.ts'
import { isJsonObject, type JsonObject } from '../../json/json.ts'
import { creditsNumber } from '../../ledger/amount.ts'
import { standingNow } from '../../ledger/find-leftovers.ts'
import type { StandingProfile } from '../../ledger/leftovers.ts'
import type { Settings } from '../../settings.ts'
import { previewName } from '../../skills/built-in-names.ts'
import { resolve } from '../../skills/resolve.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { storedPrice } from '../../skills/stored-skill.ts'
import { NO_GROUPS, visibleCandidates } from '../../skills/visible.ts'
import { authenticate, NO_KEY, NO_USER } from '../access/authenticate.ts'
import { countRequest } from '../access/count-request.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import { type DryRunNeeds, dryRun } from './dry-run.ts'
import {
  type ExecuteNeeds,
  type ExecuteRequest,
  type ExecuteResponse,
  problemAnswer,
} from './execute-request.ts'
import { holdProblem } from './hold-problem.ts'
import { listedCandidates, lookupOf } from './listed-skill.ts'

type Needs = ExecuteNeeds & DryRunNeeds

/** Refusals are answers. Throws `Fault` when the store does not answer. */
export async function previewTool(
  ports: Needs,
  settings: Settings,
  breakers: Pick<CircuitBreakers, 'look'>,
  request: ExecuteRequest,
): Promise<ExecuteResponse> {
  const startedAtMs = ports.clock.nowMs()
  const callId = request.terms?.callId ?? callIdAt(startedAtMs, ports.ids.token(16))
  const previewed = await preview(ports, settings, breakers, request)
  if (!previewed.ok) {
    ports.log.note('info', 'call-refused', { callId, code: previewed.error.code })
    return { ...problemAnswer(callId, previewed.error), headers: {} }
  }
  const { credits, view } = previewed.value
  const body = {
    callId,
    skillId: previewName(settings.prefix),
    source: 'built-in',
    content: [{ type: 'text', text: JSON.stringify(view) }],
    structuredContent: view,
    isError: false,
    credits: { charged: 0, refunded: 0, remaining: credits },
    durationMs: ports.clock.nowMs() - startedAtMs,
  } as const
  return { answer: { kind: 'success', body }, headers: {} }
}

type Previewed = { readonly view: JsonObject; readonly credits: number }

async function preview(
  ports: Needs,
  settings: Settings,
  breakers: Pick<CircuitBreakers, 'look'>,
  request: ExecuteRequest,
): Promise<Result<Previewed>> {
  const caller = await callerOf(ports, settings, request)
  if (!caller.ok) return caller
  const asked = readAsked(request.body.arguments)
  if (!asked.ok) return asked
  const { profile } = caller.value
  const record = await recordOf(ports, settings, caller.value, asked.value.tool)
  if (!record.ok) return record
  const order = { record: record.value, uid: profile.uid, arguments: asked.value.args, send: false }
  const report = await dryRun(ports, settings, breakers, order)
  if (!report.ok) return report
  const { hookRequests, problems, request: shown, secrets } = report.value
  const price = storedPrice(record.value, settings.prefix)
  const heldAtMs = ports.clock.nowMs()
  const { keyHash } = caller.value.principal
  const held = holdProblem(settings, profile, { record: record.value, price, heldAtMs, keyHash })
  const credits = creditsNumber(profile.credits)
  const view = {
    tool: record.value.toolName,
    price: creditsNumber(price),
    credits,
    wouldRun: problems.length === 0 && held === undefined,
    problems: [...problems, ...(held === undefined ? [] : [problemIn(held)])],
    ...(shown === undefined ? {} : { request: shown }),
    ...(hookRequests.length === 0 ? {} : { requestsBefore: hookRequests }),
    secrets: secrets.map(({ name, state }) => ({ name, state })),
  }
  const json: unknown = JSON.parse(JSON.stringify(view))
  return ok({ view: json as JsonObject, credits })
}

type Caller = { readonly principal: Principal; readonly profile: StandingProfile }

async function callerOf(
  ports: Needs,
  settings: Settings,
  { authorization }: ExecuteRequest,
): Promise<Result<Caller>> {
  const who = await authenticate(ports, authorization)
  if (who.kind === 'refused') return err(who.refusal)
  if (who.kind === 'anonymous') return err(NO_KEY)
  const { principal } = who
  const counted = await countRequest(ports, settings, principal)
  if (!counted.ok) return counted
  const { profile } = counted.value
  if (profile === undefined) return err(NO_USER)
  return ok({ principal, profile: await standingNow(ports, profile) })
}

function readAsked({
  arguments: args = {},
  tool,
  ...rest
}: JsonObject): Result<{ readonly tool: string; readonly args: JsonObject }> {
  const [unknown] = Object.keys(rest)
  const isRight = typeof tool === 'string' && isJsonObject(args) && unknown === undefined
  if (isRight) return ok({ tool, args })
  return refuse(
    'invalid_arguments',
    'arguments: send {"tool": "<name of a tool>", "arguments": {…}} and nothing else.',
  )
}

/** The skill that a call of this name would run. */
async function recordOf(
  ports: Needs,
  settings: Settings,
  { principal, profile: { groups = NO_GROUPS } }: Caller,
  name: string,
): Promise<Result<SkillRecord>> {
  const { candidates } = await ports.callLookup.read(lookupOf(settings, principal, name))
  const found = visibleCandidates(candidates, groups)
  const called = { uid: principal.uid, name, groups, found }
  const all = resolve(found) === undefined ? await listedCandidates(ports, settings, called) : found
  const record = resolve(all)
  if (record !== undefined) return ok(record)
  const shown = JSON.stringify(name.slice(0, 128))
  return refuse(
    'unknown_skill',
    `tool: there is no skill named ${shown} for this key. tools/list shows the tools that exist; built-in ones are free and need no preview.`,
  )
}
