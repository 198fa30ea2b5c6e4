/** The realm of the test, as docs/issuers/keycloak.md describes it: scopes that carry the audience, and groups. */

export const REALM = 'agents'
export const PASSWORD = 'correct horse'
export const CALLBACK = 'http://127.0.0.1:4711/callback'
/** Its audience is another API, and it has no scope of the gateway. */
export const ELSEWHERE = 'elsewhere'

/** `mcp`: the URL of the gateway, which is the audience. */
export function toRealm(mcp: string): object {
  return {
    realm: REALM,
    enabled: true,
    sslRequired: 'none',
    groups: [{ name: 'research' }],
    users: [toUser('ada', ['/research']), toUser('bob', [])],
    clientScopes: [
      toScope('tools:read', mcp),
      toScope('tools:call', mcp),
      toScope(ELSEWHERE, 'https://other.example/mcp'),
    ],
    clients: [
      {
        clientId: 'agent',
        enabled: true,
        publicClient: true,
        standardFlowEnabled: true,
        redirectUris: [CALLBACK],
        attributes: { 'pkce.code.challenge.method': 'S256' },
        optionalClientScopes: ['tools:read', 'tools:call', ELSEWHERE],
        protocolMappers: [
          // A realm with scopes of its own has none of the scopes that write `sub`.
          toMapper('sub', 'oidc-sub-mapper', {}),
          toMapper('groups', 'oidc-group-membership-mapper', {
            'claim.name': 'groups',
            'full.path': 'false',
          }),
        ],
      },
    ],
  }
}

/** Keycloak asks a person without these names to complete the profile. */
function toUser(username: string, groups: readonly string[]): object {
  return {
    username,
    enabled: true,
    email: `${username}@example.com`,
    emailVerified: true,
    firstName: username,
    lastName: 'Example',
    credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
    groups,
  }
}

function toScope(name: string, audience: string): object {
  return {
    name,
    protocol: 'openid-connect',
    attributes: { 'include.in.token.scope': 'true' },
    protocolMappers: [
      toMapper('audience', 'oidc-audience-mapper', { 'included.custom.audience': audience }),
    ],
  }
}

function toMapper(name: string, protocolMapper: string, config: object): object {
  const claims = { 'access.token.claim': 'true', 'introspection.token.claim': 'true' }
  return { name, protocol: 'openid-connect', protocolMapper, config: { ...claims, ...config } }
}
