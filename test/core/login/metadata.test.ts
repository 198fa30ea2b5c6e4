import { describe, expect, test } from 'vitest'
import { toIssuer } from '../../../core/issuers/issuer-setting.ts'
import {
  describeResource,
  describeServer,
  isOwnResource,
  readResourcePath,
} from '../../../core/login/metadata.ts'
import { writeChallenge } from '../../../core/login/paths.ts'

const ISSUER = 'https://mcp.example'

describe('the metadata', () => {
  test('of the server is what clients demand', () => {
    expect(describeServer(ISSUER)).toEqual({
      issuer: 'https://mcp.example',
      authorization_endpoint: 'https://mcp.example/authorize',
      token_endpoint: 'https://mcp.example/token',
      registration_endpoint: 'https://mcp.example/register',
      revocation_endpoint: 'https://mcp.example/revoke',
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
      scopes_supported: ['tools:read', 'tools:call'],
    })
  })

  test('of the resource names it as the client typed it', () => {
    const login = { issuer: ISSUER, redirectHosts: [], tokenLifeMs: 3_600_000 }
    const settings = { issuers: [], login }
    expect(describeResource(settings, ISSUER, '/mcp')).toEqual({
      resource: 'https://mcp.example/mcp',
      authorization_servers: ['https://mcp.example'],
      scopes_supported: ['tools:read', 'tools:call'],
      bearer_methods_supported: ['header'],
      resource_name: 'Skillgate',
    })
  })

  test('names scopes as the first issuer knows them, unless the gateway has a login', () => {
    const login = { issuer: ISSUER, redirectHosts: [], tokenLifeMs: 3_600_000 }
    const entra = toIssuer({ issuer: 'https://a.example', scopePrefix: 'api://app/' })
    const plain = toIssuer({ issuer: 'https://b.example' })
    const listed = (settings: Parameters<typeof describeResource>[0]) =>
      describeResource(settings, ISSUER, '/mcp')['scopes_supported']
    const long = ['api://app/tools:read', 'api://app/tools:call']
    expect(listed({ issuers: [entra, plain] })).toEqual(long)
    const bare = ['tools:read', 'tools:call']
    expect(listed({ issuers: [plain, entra] })).toEqual(bare)
    expect(listed({ issuers: [entra], login })).toEqual(bare)
    const challenge = writeChallenge({ issuers: [entra] }, ISSUER, '/mcp', 'insufficient_scope')
    expect(challenge).toContain(' scope="api://app/tools:read api://app/tools:call", error=')
  })

  test.each([
    ['/.well-known/oauth-protected-resource', '/mcp'],
    ['/.well-known/oauth-protected-resource/mcp', '/mcp'],
    ['/.well-known/oauth-protected-resource/v1/mcp', '/v1/mcp'],
    ['/.well-known/oauth-protected-resource/v1/mcp/sse', '/v1/mcp/sse'],
    ['/.well-known/oauth-protected-resource/v1/execute', '/v1/execute'],
    ['/.well-known/oauth-protected-resource/v1/admin', undefined],
    ['/.well-known/oauth-protected-resources', undefined],
  ])('at %s is of %s', (path, resource) => {
    expect(readResourcePath(path)).toBe(resource)
  })
})

describe('a resource', () => {
  test.each([undefined, '', '/', '/mcp', '/mcp/', '/v1/mcp', '/v1/mcp/sse'])(
    'is ours with the path %j',
    (path) => {
      expect(isOwnResource(ISSUER, path === undefined ? undefined : `${ISSUER}${path}`)).toBe(true)
    },
  )

  test.each([
    'https://mcp.example.evil/mcp',
    'https://MCP.example/mcp',
    'http://mcp.example/mcp',
    'https://mcp.example/v1/admin',
    'https://mcp.example/mcp//',
    '',
  ])('is not ours: %j', (resource) => {
    expect(isOwnResource(ISSUER, resource)).toBe(false)
  })
})
