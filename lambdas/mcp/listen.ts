/**
 * Answers `subscriptions/listen`: with a stream for as long as the host allows, or with a refusal.
 * Bound by MCP 2026-07-28, basic/patterns/subscriptions.
 */

import { type AgentRequest, refuseWith } from '../../adapters/http/agent-door.ts'
import { answerText } from '../../adapters/http/answer.ts'
import { EVENT_STREAM_HEADERS, makeBlockWriter } from '../../adapters/http/block-writer.ts'
import { startResponse } from '../../adapters/http/lambda-stream.ts'
import type { Credential } from '../../core/access/credential.ts'
import { ERRORS } from '../../core/errors.ts'
import { type OpenListenNeeds, openListen } from '../../core/flow/streamable-http/open-listen.ts'
import { type ListenNeeds, runListen } from '../../core/flow/streamable-http/run-listen.ts'
import { TASKS_UNDECLARED } from '../../core/flow/streamable-http/serve-task.ts'
import type { ListWatch } from '../../core/flow/tools/tool-list-watch.ts'
import { writeErrorReply } from '../../core/jsonrpc/write-message.ts'
import type { Work } from '../../core/mcp/classified.ts'
import type { Settings } from '../../core/settings.ts'

type Door = {
  readonly ports: OpenListenNeeds & ListenNeeds
  readonly settings: Settings
  readonly watch: ListWatch
}

/** Opens the stream and writes to it until it ends. The log says why it ended. */
export async function listen(
  door: Door,
  request: AgentRequest,
  { credential, work }: { readonly credential: Credential; readonly work: Work },
): Promise<void> {
  const { ports, settings, watch } = door
  const { context, cors, out } = request
  const tasks = work.intent.kind === 'listen' ? work.intent.tasks : undefined
  if (tasks?.declared === false) return refuseUndeclared(request, work)
  const opened = await openListen(ports, settings, {
    credential,
    taskIds: tasks?.ids,
  })
  if (!opened.ok) {
    ports.log.note('info', 'stream-refused', { code: opened.error.code })
    return refuseWith(request, opened.error)
  }
  const headers = { ...EVENT_STREAM_HEADERS, ...cors }
  const writer = makeBlockWriter(startResponse(out, { statusCode: 200, headers }))
  const remainingMs = context.getRemainingTimeInMillis()
  const nowMs = ports.clock.nowMs()
  const outlet = {
    write: (block: string) => writer.write(block),
    closed: writer.closed,
    deadlineMs: Number.isFinite(remainingMs) ? nowMs + remainingMs : undefined,
  }
  const why = await runListen(ports, settings, { opened: opened.value, outlet, watch, work })
  ports.log.note('info', 'stream-ended', { why, openMs: ports.clock.nowMs() - nowMs })
  await writer.end()
}

function refuseUndeclared({ cors, out }: AgentRequest, { id }: Work): Promise<void> {
  const headers = { 'content-type': 'application/json', ...cors }
  const { status } = ERRORS.client_capability_missing
  return answerText(out, status, writeErrorReply(id, TASKS_UNDECLARED), headers)
}
