/**
 * The server card and the AI catalogue, for anybody and for pages of any origin. Loaded with the
 * first request for one. Bound by docs/service.md, Server card.
 */
import { type AgentRequest, refuseWith } from '../../adapters/http/agent-door.ts'
import { answerEmpty, answerText } from '../../adapters/http/answer.ts'
import {
  AI_CATALOG_PATH,
  AI_CATALOG_TYPE,
  CARD_PATH,
  CARD_TYPE,
  makeAiCatalog,
  makeServerCard,
  OTHER_CARD_PATH,
} from '../../core/mcp/server-card.ts'
import type { Settings } from '../../core/settings.ts'

/** Seconds for which clients and proxies keep a document: settings change with a deployment. */
export const CARD_LIFE_SEC = 3_600

const ANY_ORIGIN = { 'access-control-allow-origin': '*' }
const PREFLIGHT_HEADERS = {
  ...ANY_ORIGIN,
  'access-control-allow-methods': 'GET, OPTIONS',
  'access-control-allow-headers': '*',
  'access-control-max-age': '7200',
}

/** Answers a request for one of the paths. */
export function answerCard(settings: Settings, request: AgentRequest): Promise<void> {
  const { event, method, out } = request
  const { publicOrigin } = settings
  const open = { out, cors: ANY_ORIGIN }
  if (method === 'OPTIONS') return answerEmpty(out, 204, PREFLIGHT_HEADERS)
  if (method !== 'GET' && method !== 'HEAD') {
    const detail = 'This path takes GET only: it describes this server.'
    return refuseWith(open, { code: 'method_not_allowed', detail }, { allow: 'GET, HEAD, OPTIONS' })
  }
  if (publicOrigin === undefined) {
    const detail = 'path: there is nothing here, since this stage has no publicOrigin.'
    return refuseWith(open, { code: 'not_found', detail })
  }
  const kept = { ...ANY_ORIGIN, 'cache-control': `public, max-age=${CARD_LIFE_SEC}` }
  if (event.rawPath === OTHER_CARD_PATH) {
    return answerEmpty(out, 302, { ...kept, location: `${publicOrigin}${CARD_PATH}` })
  }
  const isCatalog = event.rawPath === AI_CATALOG_PATH
  const document = (isCatalog ? makeAiCatalog : makeServerCard)(settings, publicOrigin)
  const headers = { ...kept, 'content-type': isCatalog ? AI_CATALOG_TYPE : CARD_TYPE }
  return answerText(out, 200, method === 'HEAD' ? '' : JSON.stringify(document), headers)
}
