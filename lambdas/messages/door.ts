/**
 * The messages function: takes a message from the sse function, answers 202 at once, then works.
 * Only the gateway's own sse function may call it (AWS_IAM). Bound by docs/service.md, Messages,
 * and docs/design/streams.md#messages: AWS's runtime client sends the response at `end()`, and takes the next invocation
 * only when this handler is done.
 */
import { answerEmpty } from '../../adapters/http/answer.ts'
import type { StreamingHandler } from '../../adapters/http/events.ts'
import { guarded } from '../../adapters/http/guarded.ts'
import { answerProblem } from '../../adapters/http/problem.ts'
import { bodyOf } from '../../adapters/http/request.ts'
import { decodeHanded, HANDED_BYTES_MAX } from '../../adapters/internal-http/handed-codec.ts'
import { type ProcessMessageNeeds, processMessage } from '../../core/flow/sse/process-message.ts'
import { toolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import type { Settings } from '../../core/settings.ts'

export type MessagesPorts = ProcessMessageNeeds

export function messagesDoor(ports: MessagesPorts, settings: Settings): StreamingHandler {
  const context = { ports, settings, caches: { lists: toolListCache() } }
  return guarded({ log: ports.log }, async (event, out) => {
    if (event.requestContext.authorizer?.iam === undefined) {
      return answerProblem(out, {
        code: 'forbidden',
        detail: 'This door takes messages from the gateway itself only.',
      })
    }
    const body = bodyOf(event, { bytesMax: HANDED_BYTES_MAX })
    if (!body.ok) return answerProblem(out, body.error)
    const handed = decodeHanded(body.value)
    await answerEmpty(out, 202)
    await processMessage(context, handed)
  })
}
