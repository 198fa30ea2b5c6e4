/**
 * Revision 2024-11-05: tools with name, description and input schema; text, images and embedded
 * resources; no structured content, no hints. HTTP+SSE always uses this revision, whatever version
 * a client requests. Bound by MCP 2024-11-05, schema.
 */
import {
  makeLegacyResults,
  RPC_RESOURCE_NOT_FOUND,
  withoutAudioAndLinks,
  writeContentResult,
} from '../legacy-results.ts'
import { CALL_METHOD, INITIALIZE_METHOD, LIST_METHOD } from '../methods.ts'
import { writeListChanged, writeWordlessProgress } from '../notifications.ts'
import { cachePerTool } from '../once-per-tool.ts'
import { readCancelled } from '../read-cancelled.ts'
import { readCallTool, readInitialize, readListTools, readPing } from '../read-params.ts'
import { READING_REQUESTS } from '../reading.ts'
import type { ReadRequest, Revision } from '../revision.ts'
import { toToolEntry } from './tool-entry.ts'
import { VERSION } from './version.ts'

const entryOf = cachePerTool(toToolEntry)

export const REVISION_2024_11_05: Revision = {
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
  results: makeLegacyResults(VERSION, {
    entryOf,
    absentMembers: ['title', 'icons'],
    blockOf: withoutAudioAndLinks,
    callTool: (result) => writeContentResult(result, withoutAudioAndLinks),
  }),
  notifications: {
    progress: writeWordlessProgress,
    log: undefined,
    listenAcknowledged: undefined,
    toolsListChanged: writeListChanged,
  },
  serverRequests: new Set(['sampling/createMessage', 'roots/list']),
}
