/**
 * The authorization extensions of MCP that the gateway can announce. Both are about how a client
 * gets its token, so they are a statement about the issuers: the gateway checks such a token like
 * any other. Bound by MCP SEP-1046 and SEP-990.
 */

/** The ids under `capabilities.extensions`, by the names in the setting `authExtensions`. */
export const AUTH_EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['client-credentials', 'io.modelcontextprotocol/oauth-client-credentials'],
  ['enterprise-managed', 'io.modelcontextprotocol/enterprise-managed-authorization'],
])
