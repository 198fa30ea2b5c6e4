/**
 * Seals the state that an upstream hands the agent's client between two rounds of a call, and opens
 * it when it comes back. The seal is under the caller's API key and binds tool, arguments and
 * expiry, so a state of another user, tool or call does not open. A caller can still forge a state
 * under their own key: an upstream that must not trust its user signs its state itself. Bound by
 * ADR 0027.
 */
import { readAuthorization } from '../../access/api-key.ts'
import { base64OfBytes } from '../../call/base64.ts'
import type { ExecuteBody } from '../../call/execute.ts'
import type { InputFills } from '../../call/fill-template.ts'
import { stableText, stampedState, stampState, statePurpose } from '../../call/input-state.ts'
import { INPUT_STATE_TTL_MS } from '../../call/limits.ts'
import { Fault, ok, type Result, refuse } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports.ts'
import type { ExecuteRequest } from './execute-request.ts'

type Needs = Pick<Ports, 'clock' | 'digests' | 'seals'>

export function sealState(
  ports: Needs,
  request: Pick<ExecuteRequest, 'authorization' | 'body'>,
  toolName: string,
  state: string,
): string {
  const purpose = purposeOf(ports, toolName, request.body.arguments)
  const stamped = stampState(state, ports.clock.nowMs() + INPUT_STATE_TTL_MS)
  return base64OfBytes(ports.seals.seal(keyOf(request), purpose, stamped))
}

/**
 * The input that templates are filled with, its state opened. Refuses with `input_state_invalid`.
 */
export function openInput(
  ports: Needs,
  request: Pick<ExecuteRequest, 'authorization' | 'body'>,
  toolName: string,
): Result<InputFills | undefined> {
  const { input } = request.body
  if (input === undefined) return ok(undefined)
  const { state, ...rest } = input
  if (state === undefined) return ok(rest)
  const opened = openState(ports, request, toolName, state)
  return opened === undefined ? INVALID : ok({ ...rest, state: opened })
}

function openState(
  ports: Needs,
  request: { readonly authorization: string | undefined; readonly body: ExecuteBody },
  toolName: string,
  state: string,
): string | undefined {
  const sealed = bytesIn(state)
  if (sealed === undefined) return undefined
  const purpose = purposeOf(ports, toolName, request.body.arguments)
  try {
    const text = ports.seals.open(keyOf(request), purpose, sealed)
    return stampedState(text, ports.clock.nowMs())
  } catch (cause) {
    if (cause instanceof Fault) return undefined
    throw cause
  }
}

const INVALID = refuse(
  'input_state_invalid',
  'requestState: was not issued by this gateway for this call, or is over 15 minutes old. It is valid only for the same tool, arguments and API key. Call the tool again without requestState. Nothing was charged.',
)

function purposeOf(ports: Needs, toolName: string, args: JsonObject): string {
  return statePurpose(toolName, ports.digests.sha256(stableText(args)))
}

/** The header holds a key: it has authenticated this call. */
function keyOf({ authorization }: Pick<ExecuteRequest, 'authorization'>): string {
  const sent = readAuthorization(authorization)
  if (sent.kind !== 'bearer') throw new Fault('internal', 'a call without an API key')
  return sent.token
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function bytesIn(text: string): Uint8Array | undefined {
  if (!BASE64.test(text)) return undefined
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
}
