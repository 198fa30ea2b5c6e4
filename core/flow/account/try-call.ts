/**
 * POST me/calls: a call that a user tries, made by the function execute with the user's own
 * credential. The body and the answer are those of POST /v1/execute, and so are its limits and its
 * charge. Keeps nothing of either. Bound by docs/service.md, Users' API, and ADR 0144.
 *
 *   body read ─▶ execute makes the call ─▶ its answer ─▶ ours
 *                   └─ no answer in time: 5xx; under its Idempotency-Key the call is charged once
 */
import type { Credential } from '../../access/credential.ts'
import { makeCallId } from '../../call/call-id.ts'
import { checkNumbers } from '../../call/check-numbers.ts'
import type { ExecuteBody, GivenAnswer } from '../../call/execute.ts'
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import { toProblem } from '../../call/problem.ts'
import { readExecuteBody } from '../../call/read-execute.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { parseText } from '../../json/parse-json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import type { Ports } from '../../ports/ports.ts'
import { openCallScope } from '../access/call-scope.ts'

export type TryCallNeeds = Pick<Ports, 'clock' | 'ids' | 'log'> & {
  readonly execute: Pick<Ports['execute'], 'execute'>
}

export type TriedCall = {
  readonly credential: Credential
  /** The JSON text of the body. */
  readonly text: string
  readonly idempotencyKey: string | undefined
  /** User-Agent of the request. */
  readonly client: string | undefined
}

/** Bytes of an answer. A function behind API Gateway answers 6 MB at most, headers included. */
export const TRIED_ANSWER_BYTES_MAX = 5_000_000

const ID_BYTES = 16

/** Refuses a body that execute would refuse unread. Throws `Fault` if execute does not answer. */
export async function tryCall(
  ports: TryCallNeeds,
  { client, credential, idempotencyKey, text }: TriedCall,
): Promise<Result<GivenAnswer>> {
  const body = readBody(text)
  if (!body.ok) return body
  const nowMs = ports.clock.nowMs()
  const callId = makeCallId(nowMs, ports.ids.token(ID_BYTES))
  const terms = { callId, deadlineMs: nowMs + CALL_TIMEOUT_MS, door: 'rest', client } as const
  const scope = openCallScope(ports)
  // This answer is sent when the call is over, so nothing is gained by a wait for its reader.
  scope.release()
  const { signal } = new AbortController()
  try {
    const call = { body: body.value, credential, idempotencyKey, terms }
    return ok(cutAnswer(await ports.execute.execute(call, signal, scope)))
  } finally {
    await scope.close(Promise.resolve())
  }
}

function readBody(text: string): Result<ExecuteBody> {
  if (text === '') {
    return refuse('malformed', 'body: is empty; send {"skill": "…", "arguments": {…}}.')
  }
  const parsed = parseText(text)
  if (!parsed.ok) return parsed
  const body = readExecuteBody(parsed.value)
  if (!body.ok) return body
  const numbers = checkNumbers(text)
  return numbers.ok ? body : numbers
}

/** The call was made and charged, so the refusal has its id and credits. */
function cutAnswer(answer: GivenAnswer): GivenAnswer {
  if (answer.kind === 'problem') return answer
  const { callId, credits } = answer.body
  if (countBytes(JSON.stringify(answer.body)) <= TRIED_ANSWER_BYTES_MAX) return answer
  const detail = `The call was made, and its answer has more than ${TRIED_ANSWER_BYTES_MAX} bytes, the most that this path answers. Make it with POST /v1/execute; under the same Idempotency-Key it is not charged again.`
  return { kind: 'problem', body: toProblem({ code: 'too_large', detail }, { callId, credits }) }
}
