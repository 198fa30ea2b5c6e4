/**
 * Revision 2026-07-28: no sessions and no handshake; each request has its client and capabilities.
 * Answers have their kind and cache time, and the result of a call may ask a question. There is no
 * `initialize`, no `ping`, no batch and no request of the server: clients that send those get
 * -32601 or 400. Bound by MCP 2026-07-28, schema, and basic/transports/streamable-http.
 */
import { RPC_INVALID_PARAMS } from '../../jsonrpc/message.ts'
import { CALL_METHOD, LIST_METHOD } from '../methods.ts'
import { writeProgress } from '../notifications.ts'
import { readListTools } from '../read-params.ts'
import { READING_REQUESTS } from '../reading.ts'
import type { ReadRequest, Revision } from '../revision.ts'
import {
  writeListenAcknowledged,
  writeListenEnded,
  writeLog,
  writeTaskChanged,
  writeToolsChanged,
} from './notifications.ts'
import { readCall } from './read-call.ts'
import { readDiscover, readListen } from './read-request.ts'
import { readTaskRequest } from './read-task.ts'
import {
  taskResult,
  writeCallResult,
  writeDiscoverResult,
  writeEmptyResult,
  writeInputResult,
  writeListResult,
  writeReadResult,
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
    ...READING_REQUESTS,
  ]),
  unknownResourceCode: RPC_INVALID_PARAMS,
  // Over HTTP a client cancels by closing the connection; a posted cancellation has no effect.
  readNotification: () => ({ kind: 'other' }),
  results: {
    initialize: () => {
      throw new Error('2026-07-28 has no initialize, so no code may build its result.')
    },
    discover: writeDiscoverResult,
    empty: writeEmptyResult,
    listTools: writeListResult,
    callTool: writeCallResult,
    read: writeReadResult,
    inputRequired: writeInputResult,
    task: taskResult,
    listenEnded: writeListenEnded,
  },
  notifications: {
    progress: writeProgress,
    log: writeLog,
    listenAcknowledged: writeListenAcknowledged,
    toolsListChanged: writeToolsChanged,
    task: writeTaskChanged,
  },
  serverRequests: new Set(),
}
