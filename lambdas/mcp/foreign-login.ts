/**
 * The paths of a login on the origin of `/mcp`, where people log in at other servers only. Clients
 * of MCP 2025-03-26 look for the server's metadata here. Loaded with the first request.
 */
import { type AgentRequest, refuseWith } from '../../adapters/http/agent-door.ts'
import { answerEmpty } from '../../adapters/http/answer.ts'
import type { Issuer } from '../../core/issuers/issuer.ts'
import { toServerMetadataUrl } from '../../core/login/metadata.ts'
import { RESOURCE_METADATA_PATH, SERVER_METADATA_PATH } from '../../core/login/paths.ts'

const ANY_ORIGIN = { 'access-control-allow-origin': '*' }

/** Returns the function that sends such a client to the first issuer, and answers 404 besides. */
export function openForeignLogin(
  issuers: readonly Issuer[],
): (request: AgentRequest) => Promise<void> {
  const [first] = issuers
  return ({ event, method, out }) => {
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && event.rawPath === SERVER_METADATA_PATH && first !== undefined) {
      return answerEmpty(out, 302, { ...ANY_ORIGIN, location: toServerMetadataUrl(first) })
    }
    const detail = `path: there is nothing here. The servers to log in at are named at ${RESOURCE_METADATA_PATH}.`
    return refuseWith({ out, cors: ANY_ORIGIN }, { code: 'not_found', detail })
  }
}
