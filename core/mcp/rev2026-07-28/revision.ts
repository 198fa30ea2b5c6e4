/**
 * Revision 2026-07-28: no sessions and no handshake; each request names its client and
 * capabilities. Answers name their kind and cache time, and a call may ask a question in its
 * result. There is no `initialize`, no `ping`, no batch and no request from the server: clients
 * that send those get -32601 or 400. Bound by MCP 2026-07-28, schema, and
 * basic/transports/streamable-http.
 */
import { CALL_METHOD, LIST_METHOD } from '../methods.ts'
import { progressText } from '../notifications.ts'
import { readListTools } from '../read-params.ts'
import type { ReadRequest, Revision } from '../revision.ts'
import { acknowledgedText, changedText, endedText, logText } from './notifications.ts'
import { readCall } from './read-call.ts'
import { readDiscover, readListen } from './read-request.ts'
import { readTaskRequest } from './read-task.ts'
import {
  callResult,
  discoverResult,
  emptyResult,
  inputResult,
  listResult,
  taskResult,
} from './results.ts'

export const REVISION_2026_07_28: Revision = {
  version: '2026-07-28',
  era: 'modern',
  batches: false,
  requests: new Map<string, ReadRequest>([
    ['server/discover', readDiscover],
    [LIST_METHOD, readListTools],
    [CALL_METHOD, readCall],
    ['subscriptions/listen', readListen],
    ['tasks/get', readTaskRequest('get')],
    ['tasks/update', readTaskRequest('update')],
    ['tasks/cancel', readTaskRequest('cancel')],
  ]),
  // Over HTTP a client cancels by closing the connection; a posted cancellation has no effect.
  readNotification: () => ({ kind: 'other' }),
  results: {
    initialize: () => {
      throw new Error('2026-07-28 has no initialize, so no code may build its result.')
    },
    discover: discoverResult,
    empty: emptyResult,
    listTools: listResult,
    callTool: callResult,
    inputRequired: inputResult,
    task: taskResult,
    listenEnded: endedText,
  },
  notifications: {
    progress: progressText,
    log: logText,
    listenAcknowledged: acknowledgedText,
    toolsListChanged: changedText,
  },
  serverRequests: new Set(),
}
