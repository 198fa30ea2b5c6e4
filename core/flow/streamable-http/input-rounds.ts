/**
 * A call whose upstream needs input of the client, on a revision in which a server may send
 * requests: they leave on the stream of the response, the client POSTs its answers (perhaps to
 * another process), and the call runs again with them. Nothing is charged before the last round. A
 * client that cannot be asked gets a result that says so. Bound by MCP 2026-07-28,
 * basic/patterns/mrtr, and ADR 0027.
 */
import type { ExecuteInput } from '../../call/execute.ts'
import type { JsonObject } from '../../json/json.ts'
import type { InputRequired, Revision } from '../../mcp/revision.ts'
import { failedCall, resultOf, type ToolOutcome } from '../tools/tool-outcome.ts'
import { type Asker, type AskNeeds, askClient } from './ask-client.ts'

/**
 * Rounds of questions in one call: enough for a form and its follow-ups, not for a conversation.
 */
export const INPUT_ROUNDS_MAX = 8

export type InputRounds = {
  readonly revision: Revision
  /** Undefined: this client cannot be asked. */
  readonly asker: Asker | undefined
  /** Aborts when the caller takes the call back. */
  readonly cancelled: AbortSignal | undefined
  /** The client's own input to the first round. */
  readonly input: ExecuteInput | undefined
  first(input: ExecuteInput | undefined): Promise<ToolOutcome>
  again(input: ExecuteInput): Promise<ToolOutcome>
}

/** Returns `input` only for revisions that have such a result. */
export function callWithInput(ports: AskNeeds, rounds: InputRounds): Promise<ToolOutcome> {
  const first = rounds.first(rounds.input ?? capabilitiesOf(rounds))
  const hasInputResult = rounds.revision.results.inputRequired !== undefined
  return hasInputResult ? first : askAndAgain(ports, rounds, first)
}

async function askAndAgain(
  ports: AskNeeds,
  rounds: InputRounds,
  firstRound: Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { asker, revision } = rounds
  const first = await firstRound
  if (first.kind !== 'input') return first
  if (asker === undefined) return unable(first.input, 'This client cannot be asked.')
  let outcome: ToolOutcome = first
  for (let round = 1; outcome.kind === 'input'; round += 1) {
    const { input } = outcome
    if (round > INPUT_ROUNDS_MAX) {
      return unable(input, `It asked more than ${INPUT_ROUNDS_MAX} times.`)
    }
    const replies = await askClient(ports, asker, revision, input.requests)
    if (rounds.cancelled?.aborted === true) return { kind: 'cancelled', callId: input.callId }
    if (!replies.ok) return unable(input, replies.error)
    outcome = await rounds.again(answered(rounds, input, replies.value))
  }
  return outcome
}

function answered(
  rounds: InputRounds,
  { state }: InputRequired,
  responses: JsonObject,
): ExecuteInput {
  return { ...capabilitiesOf(rounds), responses, ...(state === undefined ? {} : { state }) }
}

/**
 * A legacy client declares its capabilities at `initialize`, and we did not keep them; assume all.
 */
function capabilitiesOf({ asker, revision }: InputRounds): ExecuteInput | undefined {
  if (asker === undefined || revision.serverRequests.size === 0) return undefined
  const known = CAPABILITIES.get(revision)
  if (known !== undefined) return known
  const names = [...revision.serverRequests].map((method) => method.split('/', 1)[0] ?? '')
  const all = { capabilities: Object.fromEntries(names.map((name) => [name, {}])) }
  CAPABILITIES.set(revision, all)
  return all
}

const CAPABILITIES = new WeakMap<Revision, ExecuteInput>()

/** Under the id of the round that asked. */
function unable({ callId }: InputRequired, why: string): ToolOutcome {
  const detail = `This tool must ask the user something before it can run. ${why}`
  return resultOf(failedCall(callId, { code: 'client_capability_missing', detail }))
}
