/**
 * Answers what agents read beside tools, for both transports. Its code is loaded with the first such
 * request: most clients read resources once, at their start.
 */
import { loadOnce } from '../../cache/load-once.ts'
import type { Result } from '../../errors.ts'
import type { RpcError } from '../../jsonrpc/message.ts'
import type { ReadIntent } from '../../mcp/intent.ts'
import type { DispatchContext } from '../tools/dispatch-intent.ts'
import type { AnswerReadingNeeds, ReadingTerms } from './answer-reading.ts'
import type { ReadHereNeeds } from './resource-sources.ts'
import type { UpstreamListNeeds } from './upstream-lists.ts'

export type AnswerReadNeeds = AnswerReadingNeeds & ReadHereNeeds & UpstreamListNeeds

const loadReading = loadOnce(() => import('./answer-reading.ts'))
const loadSources = loadOnce(() => import('./resource-sources.ts'))

/** Returns the result as JSON text. Throws `Fault` if the store fails. */
export async function answerRead(
  context: DispatchContext<AnswerReadNeeds>,
  intent: ReadIntent,
  terms: Omit<ReadingTerms, 'further'>,
): Promise<Result<string, RpcError>> {
  const { ports, settings } = context
  const [{ answerReading }, { openReads, withLists }] = await Promise.all([
    loadReading(),
    loadSources(),
  ])
  const further = withLists(ports, settings, openReads(ports, settings))
  return answerReading(context, intent, { ...terms, further })
}
