/**
 * A call whose upstream must know more from the client first, on a revision that lets a server send
 * requests: they go out on the answer's own stream, the client POSTs its answers (perhaps to
 * another process), and the call is made again with them. Nothing is charged before the last round.
 * Where nobody can be asked, the result says so. Bound by MCP 2026-07-28, basic/patterns/mrtr, and
 * ADR 0027.
 */

import type { ExecuteInput } from '../../call/execute.ts'
import { failureMessage } from '../../call/failure-messages.ts'
import type { JsonObject } from '../../json/json.ts'
import type { InputRequired, Revision } from '../../mcp/revision.ts'
import { textResult } from '../../mcp/text-result.ts'
import { resultOf, type ToolOutcome } from '../tools/tool-outcome.ts'
import { type Asker, type AskNeeds, askClient } from './ask-client.ts'

/** Rounds of questions in one call: a form and what follows from it, not a conversation. */
export const INPUT_ROUNDS_MAX = 8

export type InputRounds = {
  readonly revision: Revision
  /** Undefined: this client cannot be asked. */
  readonly asker: Asker | undefined
  /** Aborts when the caller wants the call no more. */
  readonly cancelled: AbortSignal | undefined
  /** Of the first round: what the client told. */
  readonly input: ExecuteInput | undefined
  first(input: ExecuteInput | undefined): Promise<ToolOutcome>
  again(input: ExecuteInput): Promise<ToolOutcome>
}

/** `input` comes out only for revisions that have such a result. */
export function callWithInput(ports: AskNeeds, rounds: InputRounds): Promise<ToolOutcome> {
  const first = rounds.first(rounds.input ?? capabilitiesOf(rounds))
  const canSayIt = rounds.revision.results.inputRequired !== undefined
  return canSayIt ? first : askAndAgain(ports, rounds, first)
}

async function askAndAgain(
  ports: AskNeeds,
  rounds: InputRounds,
  firstRound: Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { asker, revision } = rounds
  const first = await firstRound
  if (first.kind !== 'input') return first
  if (asker === undefined) return unable('This client cannot be asked.')
  let called: ToolOutcome = first
  for (let round = 1; called.kind === 'input'; round += 1) {
    if (round > INPUT_ROUNDS_MAX) return unable(`It asked more than ${INPUT_ROUNDS_MAX} times.`)
    const asked = await askClient(ports, asker, revision, called.input.requests)
    if (rounds.cancelled?.aborted === true) return { kind: 'cancelled' }
    if (!asked.ok) return unable(asked.error)
    called = await rounds.again(answered(rounds, called.input, asked.value))
  }
  return called
}

function answered(
  rounds: InputRounds,
  { state }: InputRequired,
  responses: JsonObject,
): ExecuteInput {
  return { ...capabilitiesOf(rounds), responses, ...(state === undefined ? {} : { state }) }
}

/** A stateless legacy client told its capabilities to nobody who remembers: it may have all of them. */
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

function unable(why: string): ToolOutcome {
  const detail = `This tool must ask the user something before it can run. ${why}`
  return resultOf(textResult(failureMessage({ code: 'client_capability_missing', detail }), true))
}
