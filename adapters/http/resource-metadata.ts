/**
 * The documents by which a client that was refused finds where to log in (RFC 9728). Every agent
 * door serves those of all paths, because a stage may have one origin for all doors, or one for
 * each. Loaded with the first request for one.
 */
import { describeResource, readResourcePath } from '../../core/login/metadata.ts'
import type { Settings } from '../../core/settings.ts'
import { answerEmpty, answerJson } from './answer.ts'
import type { FunctionUrlEvent, ResponseStream } from './events.ts'
import type { ResponseHeaders } from './lambda-stream.ts'
import { answerProblem } from './problem.ts'

/** Pages of any origin may read these documents, which hold nothing of a caller. */
const ANY_ORIGIN: ResponseHeaders = { 'access-control-allow-origin': '*' }
const PREFLIGHT_HEADERS: ResponseHeaders = {
  ...ANY_ORIGIN,
  'access-control-allow-methods': 'GET, OPTIONS',
  'access-control-allow-headers': 'authorization, mcp-protocol-version',
  'access-control-max-age': '7200',
}
/** Seconds for which clients and proxies keep a document: new issuers are seen within minutes. */
const METADATA_LIFE_SEC = 300

type MetadataRequest = {
  readonly event: FunctionUrlEvent
  readonly method: string
  readonly out: ResponseStream
}

/** `origin`: of all resources, without a slash at the end. */
export function answerResourceMetadata(
  settings: Pick<Settings, 'issuers' | 'login'>,
  origin: string,
  { event, method, out }: MetadataRequest,
): Promise<void> {
  if (method === 'OPTIONS') return answerEmpty(out, 204, PREFLIGHT_HEADERS)
  if (method !== 'GET' && method !== 'HEAD') {
    const refusal = { code: 'method_not_allowed', detail: 'This path takes GET only.' } as const
    return answerProblem(out, refusal, { ...ANY_ORIGIN, allow: 'GET' })
  }
  const path = readResourcePath(event.rawPath)
  if (path === undefined) {
    const detail = 'path: there is no such resource here. The one of MCP is /mcp.'
    return answerProblem(out, { code: 'not_found', detail }, ANY_ORIGIN)
  }
  return answerJson(out, 200, describeResource(settings, origin, path), {
    ...ANY_ORIGIN,
    'cache-control': `public, max-age=${METADATA_LIFE_SEC}`,
  })
}
