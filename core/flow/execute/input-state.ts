/**
 * Seals the state that an upstream sends to the agent's client between two rounds of a call, and
 * opens the state when the client returns it. The seal uses the caller's sealing key and covers the
 * tool, the arguments and the expiry. So the state of another user, tool or call does not open. A
 * caller can still forge a state with their own key: an upstream that must not trust its user signs
 * its state itself. Bound by ADR 0027 and ADR 0096.
 *
 * A state is valid for one call. The call claims the state after all other checks and before its
 * hold, with the same conditional write as an Idempotency-Key. A call without a state skips this:
 *
 *   A: claim ✔ ─▶ hold ─▶ upstream ─▶ answer          the claim stays until long after the state expires
 *   B: claim refused ─▶ `input_state_invalid`, before any money moves
 *
 * If several calls send one state at once, at any doors, only one claims it. If A is refused or
 * fails before anything was sent, the claim is dropped and the state may be sent again. If A dies,
 * the state is used up and the dialogue starts again. A message that was delivered twice has the
 * same call id, so its second copy finds its own claim and may run.
 */
import type { Principal } from '../../access/principal.ts'
import type { ExecuteBody, ExecuteInput } from '../../call/execute.ts'
import { addStateExpiry, readUnexpiredState, toStatePurpose } from '../../call/input-state.ts'
import { INPUT_STATE_TTL_MS } from '../../call/limits.ts'
import { Fault, ok, type Result, refuse } from '../../errors.ts'
import { encodeBase64 } from '../../json/base64.ts'
import type { JsonObject } from '../../json/json.ts'
import { stableText } from '../../json/stable-text.ts'
import type { Ports } from '../../ports/ports.ts'
import type { InputFills } from '../../request/fill-template.ts'
import { LINK_QUESTION } from '../../secrets/secret-link.ts'
import type { ExecuteRequest } from './execute-request.ts'

type Needs = Pick<Ports, 'clock' | 'digests' | 'seals'>

type SealingRequest = { readonly body: ExecuteBody; readonly sealingKey: string }

/** `sealingKey` is the principal's. A dry run has no such key and opens no state. */
export type DraftedRequest = Pick<ExecuteRequest, 'body' | 'terms'> &
  Partial<Pick<ExecuteRequest, 'idempotencyKey' | 'task'>> & {
    readonly sealingKey?: string | undefined
    readonly uid?: string | undefined
  }

/** Returns the sealed state as base64. It expires after `ttlMs`, 15 minutes by default. */
export function sealState(
  ports: Needs,
  request: SealingRequest & { readonly ttlMs?: number },
  toolName: string,
  state: string,
): string {
  const { ttlMs = INPUT_STATE_TTL_MS } = request
  const purpose = toCallPurpose(ports, toolName, request.body.arguments)
  const stamped = addStateExpiry(state, ports.clock.nowMs() + ttlMs)
  return encodeBase64(ports.seals.seal(request.sealingKey, purpose, stamped))
}

export type OpenedInput = {
  /** The values for templates: the client's answers and the opened state. */
  readonly fills: InputFills
  /** Digest of the sealed state; undefined for input without one. */
  readonly stateHash: string | undefined
}

/**
 * Opens the state of the request's input; undefined for a request without input. Refuses with
 * `input_state_invalid` a state that does not open or has expired.
 */
export function openInput(
  ports: Needs,
  request: DraftedRequest,
  toolName: string,
): Result<OpenedInput | undefined> {
  const { input } = request.body
  if (input === undefined) return ok(undefined)
  const { state, ...sent } = input
  const rest = withoutLinkAnswer(sent)
  if (state === undefined) return ok({ fills: rest, stateHash: undefined })
  const { body, sealingKey } = request
  const sealed = bytesIn(state)
  const opened =
    sealed && sealingKey !== undefined
      ? openState(ports, { body, sealingKey }, toolName, sealed)
      : undefined
  if (sealed === undefined || opened === undefined) return INVALID
  // The digest covers the decoded bytes, because two base64 texts can encode the same bytes.
  const stateHash = ports.digests.sha256(`input-state:${encodeBase64(sealed)}`)
  return ok({ fills: { ...rest, state: opened }, stateHash })
}

/** The answer to a question of the gateway is not for the upstream. */
function withoutLinkAnswer(input: Omit<ExecuteInput, 'state'>): Omit<ExecuteInput, 'state'> {
  const { responses, ...others } = input
  if (responses?.[LINK_QUESTION] === undefined) return input
  const { [LINK_QUESTION]: _own, ...rest } = responses
  return Object.keys(rest).length === 0 ? others : { ...others, responses: rest }
}

export type StateUse = {
  readonly stateHash: string
  readonly principal: Principal
  readonly callId: string
}

/** Refuses with `input_state_invalid` a state that another call has claimed. */
export async function claimState(
  { clock, digests, idempotencyRecords }: Pick<Ports, 'clock' | 'digests' | 'idempotencyRecords'>,
  { callId, principal, stateHash }: StateUse,
): Promise<Result<undefined>> {
  const claimed = await idempotencyRecords.claim({
    id: stateHash,
    bodyHash: stateHash,
    sealingKeyHash: digests.sha256(principal.sealingKey),
    uid: principal.uid,
    callId,
    writeToken: callId,
    claimedAtMs: clock.nowMs(),
  })
  return claimed.kind === 'claimed' ? ok(undefined) : USED
}

/** Frees the state of a call that sent nothing, so that it may be used again. Never throws. */
export async function freeState(
  { idempotencyRecords, log }: Pick<Ports, 'idempotencyRecords' | 'log'>,
  { callId, principal, stateHash }: StateUse,
): Promise<void> {
  const { uid } = principal
  await idempotencyRecords.drop({ id: stateHash, writeToken: callId }).catch((cause: unknown) => {
    log.note('warn', 'claim-not-freed', { callId, uid }, cause)
  })
}

function openState(
  ports: Needs,
  { body, sealingKey }: SealingRequest,
  toolName: string,
  sealed: Uint8Array,
): string | undefined {
  const purpose = toCallPurpose(ports, toolName, body.arguments)
  try {
    const text = ports.seals.open(sealingKey, purpose, sealed)
    return readUnexpiredState(text, ports.clock.nowMs())
  } catch (cause) {
    if (cause instanceof Fault) return undefined
    throw cause
  }
}

const INVALID = refuse(
  'input_state_invalid',
  'requestState: was not issued by this gateway for this call, or is over 15 minutes old. It is valid only for the same tool, arguments and API key. Call the tool again without requestState. Nothing was charged.',
)

const USED = refuse(
  'input_state_invalid',
  'requestState: was used before, and it is good for one call. The service may have carried that call out: check before you call the tool again without requestState. Nothing was charged for this attempt.',
)

function toCallPurpose(ports: Needs, toolName: string, args: JsonObject): string {
  return toStatePurpose(toolName, ports.digests.sha256(stableText(args)))
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function bytesIn(text: string): Uint8Array | undefined {
  if (!BASE64.test(text)) return undefined
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
}
