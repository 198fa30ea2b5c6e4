/**
 * Revision 2025-03-26: Streamable HTTP, batches (only here), tool hints, audio, and progress
 * messages. No titles, no structured content. Bound by MCP 2025-03-26, schema.
 */
import { contentResult, legacyResults, withoutLinks } from '../legacy-results.ts'
import { CALL_METHOD, INITIALIZE_METHOD, LIST_METHOD } from '../methods.ts'
import { listChangedText, progressText } from '../notifications.ts'
import { oncePerTool } from '../once-per-tool.ts'
import { readCancelled } from '../read-cancelled.ts'
import { readCallTool, readInitialize, readListTools, readPing } from '../read-params.ts'
import type { ReadRequest, Revision } from '../revision.ts'
import { toolEntry } from './tool-entry.ts'

const VERSION = '2025-03-26'
const entryOf = oncePerTool(toolEntry)

export const REVISION_2025_03_26: Revision = {
  version: VERSION,
  era: 'legacy',
  batches: true,
  requests: new Map<string, ReadRequest>([
    [INITIALIZE_METHOD, readInitialize],
    ['ping', readPing],
    [LIST_METHOD, readListTools],
    [CALL_METHOD, readCallTool],
  ]),
  readNotification: readCancelled,
  results: legacyResults(VERSION, {
    entryOf,
    callTool: (result) => contentResult(result, withoutLinks),
  }),
  notifications: {
    progress: progressText,
    log: undefined,
    listenAcknowledged: undefined,
    toolsListChanged: listChangedText,
  },
  serverRequests: new Set(['sampling/createMessage', 'roots/list']),
}
