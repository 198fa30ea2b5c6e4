/**
 * Finds where people sign in for a gateway: the challenge of a 401 names the metadata of the admin
 * API (RFC 9728), they name the issuers, and each issuer's own metadata name its endpoints (RFC
 * 8414). Neither the gateway nor an issuer is trusted with more than its own answers.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import type { Invocation } from '../command/command.ts'
import { CommandFault, toUsageFault } from '../terminal/exit-code.ts'
import { probeAdminApi } from './recognize-server.ts'
import { getJson } from './request-json.ts'
import { readSafeUrl } from './safe-url.ts'

/** The client that the gateway names for one of its issuers. */
export type SignInClient = {
  readonly issuer: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** The parameter `resource` (RFC 8707); undefined for an issuer that does not know it. */
  readonly resource: string | undefined
}

export type IssuerEndpoints = {
  readonly authorizationUrl: URL | undefined
  readonly tokenUrl: URL
  readonly deviceUrl: URL | undefined
  readonly revocationUrl: URL | undefined
  /** Each answer to the browser must name the issuer (RFC 9207). */
  readonly namesIssuer: boolean
}

/** Most issuers of one gateway; a longer list is a mistake. */
const CLIENTS_MAX = 20
/** RFC 6749, appendix A: visible ASCII, for a client's id also blanks. */
const CLIENT_ID = /^[\x20-\x7e]{1,512}$/
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/

/** Returns the issuers of the gateway; none if it takes keys alone. */
export async function findClients(
  call: Invocation,
  adminUrl: string,
): Promise<readonly SignInClient[]> {
  const challenge = await probeAdminApi(call, adminUrl)
  const named = /resource_metadata="([^"]*)"/.exec(challenge ?? '')?.[1]
  if (named === undefined) return []
  const url = readSafeUrl(named, 'The address of the sign-in that the gateway names')
  const document = url.origin === new URL(adminUrl).origin ? await getJson(call, url) : undefined
  if (document?.['resource'] !== adminUrl) {
    throw new CommandFault(`${adminUrl} describes the sign-in of another address.`, {
      remedy: 'Sign in at the address that the operator named, or use an admin key.',
    })
  }
  const clients = document['skillgate_clients']
  return Array.isArray(clients)
    ? clients.slice(0, CLIENTS_MAX).map((client) => readClient(client, adminUrl))
    : []
}

function readClient(sent: Json, adminUrl: string): SignInClient {
  const fields = isJsonObject(sent) ? sent : {}
  const { client_id: clientId, issuer, scopes, sends_resource: sendsResource } = fields
  readSafeUrl(issuer, 'The issuer that the gateway names')
  const texts = Array.isArray(scopes) ? scopes.filter((one: Json) => isText(one, SCOPE)) : []
  const areScopes = Array.isArray(scopes) && scopes.length === texts.length
  if (!isText(issuer, /./) || !isText(clientId, CLIENT_ID) || !areScopes) {
    throw new CommandFault('The gateway describes its sign-in in a way that is not understood.', {
      remedy: 'Use a newer skillgate, or sign in with an admin key.',
    })
  }
  return {
    issuer,
    clientId,
    scopes: texts,
    resource: sendsResource === true ? adminUrl : undefined,
  }
}

/** Returns the client of `issuer`, or the only one. Throws a usage fault that lists them. */
export function chooseClient(
  clients: readonly SignInClient[],
  issuer: string | undefined,
): SignInClient {
  const [first, ...others] = clients.filter((one) => issuer === undefined || one.issuer === issuer)
  if (first !== undefined && others.length === 0) return first
  const known = clients.map((one) => one.issuer).join(', ')
  throw issuer === undefined
    ? toUsageFault('This gateway has several issuers.', `Choose one with --issuer: ${known}`)
    : toUsageFault('--issuer: this gateway does not have it.', `It has: ${known}`)
}

/** Reads the metadata of an issuer. Throws a CommandFault if they are missing or of another one. */
export async function readEndpoints(call: Invocation, issuer: string): Promise<IssuerEndpoints> {
  for (const url of listMetadataUrls(issuer)) {
    const document = await getJson(call, url)
    if (document === undefined) continue
    if (document['issuer'] !== issuer) {
      throw new CommandFault(`${url.href} is the document of another issuer.`, { remedy: REMEDY })
    }
    return toEndpoints(document)
  }
  throw new CommandFault(`${issuer} has no metadata, so nobody can sign in there.`, {
    remedy: REMEDY,
  })
}

const REMEDY = 'Tell the operator of the gateway, and sign in with an admin key instead.'

/** The places of RFC 8414 section 3.1 and of OpenID Connect Discovery, in this order. */
function listMetadataUrls(issuer: string): readonly URL[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
    new URL(`${origin}${path}/.well-known/openid-configuration`),
  ]
}

function toEndpoints(document: JsonObject): IssuerEndpoints {
  const read = (name: string) =>
    document[name] === undefined ? undefined : readSafeUrl(document[name], `The ${name}`)
  return {
    authorizationUrl: read('authorization_endpoint'),
    tokenUrl: readSafeUrl(document['token_endpoint'], 'The token_endpoint'),
    deviceUrl: read('device_authorization_endpoint'),
    revocationUrl: read('revocation_endpoint'),
    namesIssuer: document['authorization_response_iss_parameter_supported'] === true,
  }
}

function isText(value: Json | undefined, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}
