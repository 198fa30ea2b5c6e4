/**
 * A call whose upstream needs input of the client, in a revision in which a server may send
 * requests. The requests go out on the stream of the response, the client POSTs its answers
 * (perhaps to another process), and the call runs again with them. Nothing is charged before the
 * last round. A client that cannot be asked gets a result that says so. Bound by MCP 2026-07-28,
 * basic/patterns/mrtr, and ADR 0027.
 */
import type { ExecuteInput } from '../../call/execute.ts'
import type { JsonObject } from '../../json/json.ts'
import type { InputRequired, Revision } from '../../mcp/revision.ts'
import { type ToolOutcome, toFailedResult, toResultOutcome } from '../tools/tool-outcome.ts'
import { type Asker, type AskNeeds, askClient } from './ask-client.ts'

/**
 * Rounds of questions in one call: enough for a form and its follow-ups, too few for a
 * conversation.
 */
export const INPUT_ROUNDS_MAX = 8

export type InputRounds = {
  readonly revision: Revision
  /** Undefined if this client cannot be asked. */
  readonly asker: Asker | undefined
  /** Aborts when the caller cancels the call. */
  readonly cancelled: AbortSignal | undefined
  /** The input that the client sent with the call itself. */
  readonly input: ExecuteInput | undefined
  first(input: ExecuteInput | undefined): Promise<ToolOutcome>
  again(input: ExecuteInput): Promise<ToolOutcome>
}

/**
 * Runs all rounds of a call. The outcome has kind `input` only in revisions that have such a
 * result.
 */
export function callWithInput(ports: AskNeeds, rounds: InputRounds): Promise<ToolOutcome> {
  const first = rounds.first(rounds.input ?? toCapabilities(rounds))
  const hasInputResult = rounds.revision.results.inputRequired !== undefined
  return hasInputResult ? first : runRounds(ports, rounds, first)
}

async function runRounds(
  ports: AskNeeds,
  rounds: InputRounds,
  firstRound: Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { asker, revision } = rounds
  const first = await firstRound
  if (first.kind !== 'input') return first
  if (asker === undefined) return failUnasked(first.input, 'This client cannot be asked.')
  let outcome: ToolOutcome = first
  for (let round = 1; outcome.kind === 'input'; round += 1) {
    const { input } = outcome
    if (round > INPUT_ROUNDS_MAX) {
      return failUnasked(input, `It asked more than ${INPUT_ROUNDS_MAX} times.`)
    }
    const replies = await askClient(ports, asker, revision, input.requests)
    if (rounds.cancelled?.aborted === true) return { kind: 'cancelled', callId: input.callId }
    if (!replies.ok) return failUnasked(input, replies.error)
    outcome = await rounds.again(toNextInput(rounds, input, replies.value))
  }
  return outcome
}

function toNextInput(
  rounds: InputRounds,
  { state }: InputRequired,
  responses: JsonObject,
): ExecuteInput {
  return { ...toCapabilities(rounds), responses, ...(state === undefined ? {} : { state }) }
}

/**
 * A client of a revision with a handshake declares its capabilities at `initialize`. They are not
 * stored, so all are assumed.
 */
function toCapabilities({ asker, revision }: InputRounds): ExecuteInput | undefined {
  if (asker === undefined || revision.serverRequests.size === 0) return undefined
  const known = CAPABILITIES.get(revision)
  if (known !== undefined) return known
  const names = [...revision.serverRequests].map((method) => method.split('/', 1)[0] ?? '')
  const all = { capabilities: Object.fromEntries(names.map((name) => [name, {}])) }
  CAPABILITIES.set(revision, all)
  return all
}

const CAPABILITIES = new WeakMap<Revision, ExecuteInput>()

/** The failed call has the id of the round that needed input. */
function failUnasked({ callId }: InputRequired, why: string): ToolOutcome {
  const detail = `This tool must ask the user something before it can run. ${why}`
  return toResultOutcome(toFailedResult(callId, { code: 'client_capability_missing', detail }))
}
