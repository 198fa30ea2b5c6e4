/**
 * POST /v1/execute/reading: reads for messages of the version before this one, which sends the
 * caller's credential. It is removed with the next release (ADR 0135).
 */
import { type AgentRequest, refuseWith } from '../../adapters/http/agent-door.ts'
import { answerJson } from '../../adapters/http/answer.ts'
import type { Credential } from '../../core/access/credential.ts'
import type { ExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import {
  answerHandedRead,
  type HandedReadNeeds,
  readHandedRead,
} from '../../core/flow/resources/answer-handed-read.ts'
import type { ToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import type { AskServerNeeds } from '../../core/flow/upstreams/ask-server.ts'
import type { Settings } from '../../core/settings.ts'
import { readingsHere } from '../call/readings-here.ts'
import { readJson } from './listing.ts'

export type ReadingNeeds = Omit<HandedReadNeeds, 'mcpReadings'> & AskServerNeeds

export type ReadingHost = {
  readonly ports: ReadingNeeds
  readonly settings: Settings
  readonly caches: Pick<ExecuteCaches, 'upstreams'>
  readonly lists: ToolListCache
}

/** Answers with the reading, or with a refusal. */
export async function sendReading(
  host: ReadingHost,
  request: AgentRequest,
  credential: Credential,
): Promise<void> {
  const json = readJson(request)
  const asked = json.ok ? readHandedRead(json.value) : json
  if (!asked.ok) return refuseWith(request, asked.error)
  const { lists, ports, settings } = host
  const reads = { ...ports, mcpReadings: readingsHere(host) }
  const read = await answerHandedRead(reads, settings, lists, { credential, asked: asked.value })
  if (!read.ok) return refuseWith(request, read.error)
  return answerJson(request.out, 200, read.value)
}
