/**
 * Seals the state that an upstream hands the agent's client between two rounds of a call, and opens
 * it when it comes back. The seal is under the caller's sealing key and binds tool, arguments and
 * expiry, so a state of another user, tool or call does not open. A caller can still forge a state
 * under their own key: an upstream that must not trust its user signs its state itself. Bound by
 * ADR 0027 and ADR 0096.
 *
 * A state is good for one call. The call claims it after every other check and before its hold, by the
 * conditional write of an Idempotency-Key, which a call without a state does not make:
 *
 *   A: claim ✔ ─▶ hold ─▶ upstream ─▶ answer          the claim stays until long after the state's end
 *   B: claim refused ─▶ `input_state_invalid`, before any money moves
 * Eight at once, at whatever doors: one claims. A is refused, or fails before anything was sent: the
 * claim is dropped, and the state may come again. A dies: the state is used, and the dialogue begins
 * again. The same call id again (a message that was handed on twice) finds its own claim.
 */
import type { Principal } from '../../access/principal.ts'
import type { ExecuteBody } from '../../call/execute.ts'
import { addStateExpiry, readUnexpiredState, toStatePurpose } from '../../call/input-state.ts'
import { INPUT_STATE_TTL_MS } from '../../call/limits.ts'
import { Fault, ok, type Result, refuse } from '../../errors.ts'
import { encodeBase64 } from '../../json/base64.ts'
import type { JsonObject } from '../../json/json.ts'
import { stableText } from '../../json/stable-text.ts'
import type { Ports } from '../../ports/ports.ts'
import type { InputFills } from '../../request/fill-template.ts'
import type { ExecuteRequest } from './execute-request.ts'

type Needs = Pick<Ports, 'clock' | 'digests' | 'seals'>

type SealingRequest = { readonly body: ExecuteBody; readonly sealingKey: string }

/** `sealingKey` is the principal's; a dry run has none, and opens no state. */
export type DraftedRequest = Pick<ExecuteRequest, 'body' | 'terms'> & {
  readonly sealingKey?: string | undefined
}

export function sealState(
  ports: Needs,
  request: SealingRequest,
  toolName: string,
  state: string,
): string {
  const purpose = purposeOf(ports, toolName, request.body.arguments)
  const stamped = addStateExpiry(state, ports.clock.nowMs() + INPUT_STATE_TTL_MS)
  return encodeBase64(ports.seals.seal(request.sealingKey, purpose, stamped))
}

export type OpenedInput = {
  /** What templates are filled with. */
  readonly fills: InputFills
  /** Digest of the sealed state; undefined for input without one. */
  readonly stateHash: string | undefined
}

/** Refuses with `input_state_invalid`. */
export function openInput(
  ports: Needs,
  request: DraftedRequest,
  toolName: string,
): Result<OpenedInput | undefined> {
  const { input } = request.body
  if (input === undefined) return ok(undefined)
  const { state, ...rest } = input
  if (state === undefined) return ok({ fills: rest, stateHash: undefined })
  const { body, sealingKey } = request
  const sealed = bytesIn(state)
  const opened =
    sealed && sealingKey !== undefined
      ? openState(ports, { body, sealingKey }, toolName, sealed)
      : undefined
  if (sealed === undefined || opened === undefined) return INVALID
  // Of the bytes: base64 can spell the same ones in two ways.
  const stateHash = ports.digests.sha256(`input-state:${encodeBase64(sealed)}`)
  return ok({ fills: { ...rest, state: opened }, stateHash })
}

export type StateUse = {
  readonly stateHash: string
  readonly principal: Principal
  readonly callId: string
}

/** Refuses with `input_state_invalid` a state that another call has claimed. */
export async function claimState(
  { clock, idempotencyRecords }: Pick<Ports, 'clock' | 'idempotencyRecords'>,
  { callId, principal, stateHash }: StateUse,
): Promise<Result<undefined>> {
  const claimed = await idempotencyRecords.claim({
    id: stateHash,
    bodyHash: stateHash,
    keyHash: principal.keyHash,
    uid: principal.uid,
    callId,
    writeToken: callId,
    claimedAtMs: clock.nowMs(),
  })
  return claimed.kind === 'claimed' ? ok(undefined) : USED
}

/** For a call of which nothing was sent: its state may be used again. */
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
  const purpose = purposeOf(ports, toolName, body.arguments)
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

function purposeOf(ports: Needs, toolName: string, args: JsonObject): string {
  return toStatePurpose(toolName, ports.digests.sha256(stableText(args)))
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function bytesIn(text: string): Uint8Array | undefined {
  if (!BASE64.test(text)) return undefined
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
}
