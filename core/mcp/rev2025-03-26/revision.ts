/**
 * Revision 2025-03-26: Streamable HTTP, batches (only here), tool hints, audio, and progress
 * messages. No titles, no structured content. Bound by MCP 2025-03-26, schema.
 */
import {
  makeLegacyResults,
  RPC_RESOURCE_NOT_FOUND,
  withoutLinks,
  writeContentResult,
} from '../legacy-results.ts'
import { CALL_METHOD, INITIALIZE_METHOD, LIST_METHOD } from '../methods.ts'
import { writeListChanged, writeProgress } from '../notifications.ts'
import { cachePerTool } from '../once-per-tool.ts'
import { readCancelled } from '../read-cancelled.ts'
import { readCallTool, readInitialize, readListTools, readPing } from '../read-params.ts'
import { READING_REQUESTS } from '../reading.ts'
import type { ReadRequest, Revision } from '../revision.ts'
import { toToolEntry } from './tool-entry.ts'

const VERSION = '2025-03-26'
const entryOf = cachePerTool(toToolEntry)

export const REVISION_2025_03_26: Revision = {
  version: VERSION,
  era: 'legacy',
  batches: true,
  requests: new Map<string, ReadRequest>([
    [INITIALIZE_METHOD, readInitialize],
    ['ping', readPing],
    [LIST_METHOD, readListTools],
    [CALL_METHOD, readCallTool],
    ...READING_REQUESTS,
  ]),
  unknownResourceCode: RPC_RESOURCE_NOT_FOUND,
  readNotification: readCancelled,
  results: makeLegacyResults(VERSION, {
    entryOf,
    absentMembers: ['title', 'icons'],
    blockOf: withoutLinks,
    callTool: (result) => writeContentResult(result, withoutLinks),
  }),
  notifications: {
    progress: writeProgress,
    log: undefined,
    listenAcknowledged: undefined,
    toolsListChanged: writeListChanged,
  },
  serverRequests: new Set(['sampling/createMessage', 'roots/list']),
}
