/**
 * POST /v1/execute/reading: reads for the caller of a function of the gateway that reads no kept
 * results and asks no upstreams. The caller's credential comes with it. Bound by ADR 0127.
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
import type { HandedReads } from '../../core/ports/handed-reads.ts'
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

/** Reads in this process. */
export function readsHere(host: ReadingHost): HandedReads {
  const ports = { ...host.ports, mcpReadings: readingsHere(host) }
  return {
    read: (credential, asked) =>
      answerHandedRead(ports, host.settings, host.lists, { credential, asked }),
  }
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
  const read = await readsHere(host).read(credential, asked.value)
  if (!read.ok) return refuseWith(request, read.error)
  return answerJson(request.out, 200, read.value)
}
