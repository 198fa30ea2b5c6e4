/**
 * Hosted clients, rebuilt from what their makers document, because the real ones run at their makers alone:
 * claude.ai's connector and ChatGPT's. By document: the client id is the URL of the maker's document. By
 * registration: the product registers itself (RFC 7591), and again when its id is no longer known.
 */
import { createHash, randomBytes } from 'node:crypto'
import { isRecord, textOf } from '../clients/agent.ts'
import type { LoginAgent, LoginClient, Person } from './agent.ts'
import { discover, type Server } from './discovery.ts'
import { CHATGPT, CLAUDE_AI } from './documents.ts'
import { must } from './must.ts'

type Product = {
  readonly name: string
  readonly clientName: string
  readonly redirectUri: string
  /** Undefined: the product registers itself. */
  readonly document?: string
}

const CLAUDE = { clientName: 'Claude', redirectUri: 'https://claude.ai/api/mcp/auth_callback' }
const OPENAI = {
  clientName: 'ChatGPT',
  redirectUri: 'https://chatgpt.com/connector/oauth/a1b2c3',
}

const BY_REGISTRATION: readonly Product[] = [
  { name: 'claude.ai by registration', ...CLAUDE },
  { name: 'ChatGPT by registration', ...OPENAI },
]
const BY_DOCUMENT: readonly Product[] = [
  { name: 'claude.ai by document', ...CLAUDE, document: CLAUDE_AI },
  { name: 'ChatGPT by document', ...OPENAI, document: CHATGPT },
]

/** `readsDocuments`: the gateway gets the makers' documents from this machine. */
export function hostedClients(readsDocuments: boolean): readonly LoginClient[] {
  const products = readsDocuments ? [...BY_REGISTRATION, ...BY_DOCUMENT] : BY_REGISTRATION
  return products.map((product) => ({
    name: product.name,
    // Their makers document none. This one shows the text of the answer.
    stepUp: 'told',
    connect: (at) => connect(product, at),
  }))
}

type Tokens = { readonly access: string; readonly refresh: string }
type Session = {
  readonly server: Server
  clientId: string
  tokens: Tokens
}

async function connect(
  product: Product,
  { mcp, person }: { readonly mcp: string; readonly person: Person },
): Promise<LoginAgent> {
  const server = await discover(mcp)
  const clientId = await makeClient(product, server)
  const tokens = await logIn(product, { server, clientId, person })
  const session: Session = { server, clientId, tokens }
  const ask = (method: string, params: object) =>
    askWithTokens(product, session, person, { method, params })
  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: product.clientName, version: '1.0.0' },
  })
  const agent: LoginAgent = {
    toolNames: async () => {
      const { tools } = await ask('tools/list', {})
      return listOf(tools).map((tool) => (isRecord(tool) ? String(tool['name']) : ''))
    },
    call: async (name, args) => {
      const { content, isError } = await ask('tools/call', { name, arguments: args })
      return { text: textOf(listOf(content)), isError: isError === true }
    },
    close: async () => {},
  }
  if (product.document !== undefined) return agent
  const loseClient = () => {
    session.clientId = `${session.clientId.slice(0, -4)}AAAA`
  }
  return { ...agent, loseClient }
}

/** The client id: the document's URL, or that of a registration of this moment. */
async function makeClient(product: Product, server: Server): Promise<string> {
  if (product.document !== undefined) {
    must(server.takesDocuments, 'the server takes no documents of clients without a secret')
    return product.document
  }
  const { registrationEndpoint } = server
  if (registrationEndpoint === undefined) throw new Error('the server takes no registration')
  const answer = await fetch(registrationEndpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: product.clientName,
      redirect_uris: [product.redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: server.scope,
    }),
  })
  const registered: unknown = await answer.json()
  must(answer.status === 201 && isRecord(registered), `registration answered ${answer.status}`)
  return isRecord(registered) ? String(registered['client_id']) : ''
}

async function logIn(
  product: Product,
  at: { readonly server: Server; readonly clientId: string; readonly person: Person },
): Promise<Tokens> {
  const { clientId, person, server } = at
  const verifier = randomBytes(48).toString('base64url')
  const state = randomBytes(12).toString('base64url')
  const page = new URL(server.authorizationEndpoint)
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: product.redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state,
    scope: server.scope,
    resource: server.resource,
  }
  for (const [name, value] of Object.entries(query)) page.searchParams.set(name, value)
  const callback = await person(page)
  const { searchParams } = callback
  must(callback.href.startsWith(`${product.redirectUri}?`), `came back to ${callback.href}`)
  must(searchParams.get('state') === state, 'came back with another state')
  const iss = searchParams.get('iss')
  must(iss === (server.promisesIss ? server.issuer : iss), `came back from ${iss}`)
  const answer = await askTokens(server, {
    grant_type: 'authorization_code',
    code: searchParams.get('code') ?? '',
    redirect_uri: product.redirectUri,
    client_id: clientId,
    code_verifier: verifier,
    resource: server.resource,
  })
  if (typeof answer === 'string') throw new Error(`the code was answered ${answer}`)
  return answer
}

/** Tokens, or the name of the error. An unknown client must be answered 401, any other error 400. */
async function askTokens(
  { tokenEndpoint }: Server,
  form: { readonly [name: string]: string },
): Promise<Tokens | string> {
  const answer = await fetch(tokenEndpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  })
  const body: unknown = await answer.json()
  if (!isRecord(body)) throw new Error(`POST /token: ${answer.status}`)
  if (answer.status === 200) {
    return { access: String(body['access_token']), refresh: String(body['refresh_token']) }
  }
  const error = String(body['error'])
  const expected = error === 'invalid_client' ? 401 : 400
  must(answer.status === expected, `${error} came with ${answer.status}`)
  return error
}

type Question = { readonly method: string; readonly params: object }

/** On a 401 it refreshes once. If that is refused, the person logs in again. */
async function askWithTokens(
  product: Product,
  session: Session,
  person: Person,
  question: Question,
): Promise<{ readonly [name: string]: unknown }> {
  const first = await post(session, question)
  if (first !== 'no token') return first
  await renew(product, session, person)
  const second = await post(session, question)
  if (second === 'no token') throw new Error('a token of this moment was refused')
  return second
}

async function renew(product: Product, session: Session, person: Person): Promise<void> {
  const { server } = session
  const renewed = await askTokens(server, {
    grant_type: 'refresh_token',
    refresh_token: session.tokens.refresh,
    client_id: session.clientId,
    resource: server.resource,
  })
  if (typeof renewed !== 'string') {
    session.tokens = renewed
    return
  }
  if (renewed === 'invalid_client') session.clientId = await makeClient(product, server)
  else must(renewed === 'invalid_grant', `the refresh was answered ${renewed}`)
  session.tokens = await logIn(product, { server, clientId: session.clientId, person })
}

async function post(
  { server, tokens }: Session,
  { method, params }: Question,
): Promise<{ readonly [name: string]: unknown } | 'no token'> {
  const answer = await fetch(server.resource, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      authorization: `Bearer ${tokens.access}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await answer.text()
  if (answer.status === 401) return 'no token'
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  const last = text.split('\n').findLast((line) => line.startsWith('data:'))
  const message: unknown = JSON.parse(isStream ? (last ?? '').slice(5) : text)
  if (!isRecord(message) || !isRecord(message['result'])) {
    throw new Error(`${method}: ${answer.status} ${text.slice(0, 200)}`)
  }
  return message['result']
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
