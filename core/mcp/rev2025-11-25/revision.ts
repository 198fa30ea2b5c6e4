/**
 * Revision 2025-11-25: tool icons; the newest revision with `initialize`. Its experimental tasks
 * are not served: a call that asks for one is handled as any other, as MCP demands. Bound by MCP
 * 2025-11-25, schema.
 */
import {
  makeLegacyResults,
  RPC_RESOURCE_NOT_FOUND,
  writeStructuredResult,
} from '../legacy-results.ts'
import { CALL_METHOD, INITIALIZE_METHOD, LIST_METHOD } from '../methods.ts'
import { writeListChanged, writeProgress } from '../notifications.ts'
import { cachePerTool } from '../once-per-tool.ts'
import { readCancelled } from '../read-cancelled.ts'
import { readCallTool, readInitialize, readListTools, readPing } from '../read-params.ts'
import { READING_REQUESTS } from '../reading.ts'
import type { ReadRequest, Revision } from '../revision.ts'
import { toLinkError } from '../rpc-errors.ts'
import { toToolEntry } from './tool-entry.ts'

const VERSION = '2025-11-25'
const entryOf = cachePerTool(toToolEntry)

export const REVISION_2025_11_25: Revision = {
  version: VERSION,
  era: 'legacy',
  batches: false,
  requests: new Map<string, ReadRequest>([
    [INITIALIZE_METHOD, readInitialize],
    ['ping', readPing],
    [LIST_METHOD, readListTools],
    [CALL_METHOD, readCallTool],
    ...READING_REQUESTS,
  ]),
  unknownResourceCode: RPC_RESOURCE_NOT_FOUND,
  readNotification: readCancelled,
  results: {
    ...makeLegacyResults(VERSION, { entryOf, absentMembers: [], callTool: writeStructuredResult }),
    showLink: toLinkError,
  },
  notifications: {
    progress: writeProgress,
    log: undefined,
    listenAcknowledged: undefined,
    toolsListChanged: writeListChanged,
  },
  asksByUrl: true,
  serverRequests: new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']),
}
