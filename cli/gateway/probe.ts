/** A request of MCP by which `doctor` sees how the gateway refuses a caller. */

export const MCP_HEADERS = {
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2025-11-25',
}

/** A valid request, so that only the credential can be the reason of a refusal. */
export const LIST_REQUEST = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  params: {},
})

/** What function URLs and API Gateway make of the header WWW-Authenticate. */
export const RENAMED_HEADER = 'x-amzn-remapped-www-authenticate'
