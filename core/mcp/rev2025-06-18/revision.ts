/**
 * Revision 2025-06-18: titles, output schemas of objects with structured content, links to
 * resources, `_meta` of tools, elicitation. No batches, no icons. Bound by MCP 2025-06-18, schema.
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
import { toToolEntry } from './tool-entry.ts'

const VERSION = '2025-06-18'
const entryOf = cachePerTool(toToolEntry)

export const REVISION_2025_06_18: Revision = {
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
    absentMembers: ['icons'],
    callTool: writeStructuredResult,
  }),
  notifications: {
    progress: writeProgress,
    log: undefined,
    listenAcknowledged: undefined,
    toolsListChanged: writeListChanged,
  },
  serverRequests: new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']),
}
