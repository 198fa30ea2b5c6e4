/**
 * The messages function: takes a message from the sse function, answers 202 at once, then works.
 * Calls are made in this function, by the code of execute. Only the gateway's own sse function may
 * call it (AWS_IAM). Bound by docs/service.md, Messages, ADR 0135, and
 * docs/design/streams.md#messages: AWS's runtime client sends the response at `end()`, and takes the
 * next invocation only when this handler is done.
 */
import { answerEmpty } from '../../adapters/http/answer.ts'
import type { StreamingHandler } from '../../adapters/http/events.ts'
import { guardDoor } from '../../adapters/http/guarded.ts'
import { answerProblem } from '../../adapters/http/problem.ts'
import { readBodyBytes } from '../../adapters/http/request.ts'
import { decodeHandedMessage, HANDED_BYTES_MAX } from '../../adapters/internal-http/handed-codec.ts'
import { makeExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import { type ProcessMessageNeeds, processMessage } from '../../core/flow/sse/process-message.ts'
import { makeToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Settings } from '../../core/settings.ts'
import { callsHere, type ExecutePorts, visitsHere } from '../call/answer-call.ts'
import { readingsHere } from '../call/readings-here.ts'

export type MessagesPorts = Omit<ProcessMessageNeeds, 'execute' | 'jobVisits' | 'mcpReadings'> &
  ExecutePorts &
  Pick<Ports, 'mcpServers'>

/** Builds a door that makes calls in its own process. */
export function createMessagesDoor(ports: MessagesPorts, settings: Settings): StreamingHandler {
  const lists = makeToolListCache()
  const host = { ports, settings, caches: makeExecuteCaches(), lists }
  const here = {
    execute: callsHere(host),
    jobVisits: visitsHere(host),
    mcpReadings: readingsHere(host),
  }
  const context = { ports: { ...ports, ...here }, settings, caches: { lists } }
  return guardDoor({ log: ports.log }, async (event, out) => {
    if (event.requestContext.authorizer?.iam === undefined) {
      return answerProblem(out, {
        code: 'forbidden',
        detail: 'This door takes messages from the gateway itself only.',
      })
    }
    const body = readBodyBytes(event, { bytesMax: HANDED_BYTES_MAX })
    if (!body.ok) return answerProblem(out, body.error)
    const handed = decodeHandedMessage(body.value)
    await answerEmpty(out, 202)
    await processMessage(context, handed)
  })
}
