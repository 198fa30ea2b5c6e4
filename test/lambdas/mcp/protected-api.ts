/**
 * An API on 127.0.0.1 that takes access tokens, and says which authorization server gives them. It
 * records the tokens that it got.
 */
import { createServer } from 'node:http'

export type ProtectedApi = {
  readonly origin: string
  readonly tokens: string[]
  /** Tokens that it refuses from now on. */
  readonly revoked: Set<string>
  /** The metadata of the resource; undefined: none. */
  metadata: object | undefined
  stop(): Promise<void>
}

export async function startProtectedApi(issuer: string): Promise<ProtectedApi> {
  const tokens: string[] = []
  const revoked = new Set<string>()
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true) {
      const isRoot = request.url === '/.well-known/oauth-protected-resource'
      const status = isRoot && api.metadata !== undefined ? 200 : 404
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(api.metadata ?? {}))
      return
    }
    const token = (request.headers.authorization ?? '').replace('Bearer ', '')
    tokens.push(token)
    const isRefused = token === '' || revoked.has(token)
    response.writeHead(isRefused ? 401 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ hello: 'you' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const api: ProtectedApi = {
    origin,
    tokens,
    revoked,
    metadata: { resource: origin, authorization_servers: [issuer] },
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return api
}
