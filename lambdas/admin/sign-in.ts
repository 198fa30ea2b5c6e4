/**
 * How people sign in to the admin API: the metadata of the protected resource (RFC 9728), and the
 * challenge of a 401 that leads to them. Both are public and name no person. Gives out nothing if
 * no issuer has administrators. Bound by docs/service.md, Admin credentials, and ADR 0118.
 */
import {
  type AdminAnswer,
  type AdminRequest,
  toRefusalAnswer,
} from '../../adapters/http/admin-kit.ts'
import type { AdminIssuer, Issuer } from '../../core/issuers/issuer.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { Settings } from '../../core/settings.ts'
import { ADMIN_BASE } from './route.ts'

/**
 * Behind API Gateway every path begins with the stage, `/v1`. At the twin the document is also
 * where RFC 9728 section 3.1 puts it, before the path of the resource.
 */
const METADATA_PATH = '/v1/.well-known/oauth-protected-resource/admin'
const METADATA_FORM = /^(?:\/v1)?\/\.well-known\/oauth-protected-resource\/(?:v1\/)?admin$/

type SignInSettings = Pick<Settings, 'issuers' | 'adminUrl'>
type Addressed = Pick<AdminRequest, 'domainName'>

export function isMetadataPath(path: string): boolean {
  return METADATA_FORM.test(path)
}

/** Answers a request for {@link isMetadataPath}, without a credential. */
export function answerMetadata(settings: SignInSettings, request: AdminRequest): AdminAnswer {
  const url = findAdminUrl(settings, request)
  const issuers = listAdminIssuers(settings)
  if (url === undefined || issuers.length === 0) {
    const detail =
      'path: nobody can sign in here, since no issuer in the settings of this gateway has administrators. Use an admin key.'
    return toRefusalAnswer({ code: 'not_found', detail })
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const detail = 'This path takes GET only.'
    return toRefusalAnswer({ code: 'method_not_allowed', detail }, { allow: 'GET, HEAD' })
  }
  return { status: 200, body: describeAdminApi(url, issuers) }
}

/** Returns the value of WWW-Authenticate; undefined if nobody can sign in. `sent`: a credential came. */
export function writeAdminChallenge(
  settings: SignInSettings,
  request: Addressed,
  sent: boolean,
): string | undefined {
  const url = findAdminUrl(settings, request)
  if (url === undefined || listAdminIssuers(settings).length === 0) return undefined
  const metadata = `${url.slice(0, -ADMIN_BASE.length)}${METADATA_PATH}`
  const error = sent ? ', error="invalid_token"' : ''
  return `Bearer realm="skillgate", resource_metadata="${metadata}"${error}`
}

type WithAdmin = Issuer & { readonly admin: AdminIssuer }

function listAdminIssuers({ issuers }: SignInSettings): readonly WithAdmin[] {
  return issuers.flatMap((issuer) =>
    issuer.admin === undefined ? [] : [{ ...issuer, admin: issuer.admin }],
  )
}

/**
 * The URL of the admin API. On AWS, API Gateway says which of its domains the request reached; a
 * client cannot choose another one there, as it could with the header Host.
 */
export function findAdminUrl(
  { adminUrl }: Pick<SignInSettings, 'adminUrl'>,
  { domainName }: Addressed,
): string | undefined {
  if (adminUrl !== undefined) return adminUrl
  return domainName === '' ? undefined : `https://${domainName}${ADMIN_BASE}`
}

/** `skillgate_clients` is a member of our own: what `skillgate login` needs to know. */
function describeAdminApi(url: string, issuers: readonly WithAdmin[]): JsonObject {
  return {
    resource: url,
    authorization_servers: issuers.map(({ issuer }) => issuer),
    scopes_supported: [...new Set(issuers.flatMap(({ admin }) => admin.scopes))],
    bearer_methods_supported: ['header'],
    resource_name: 'Skillgate administration',
    skillgate_clients: issuers.map(({ admin, issuer }) => ({
      issuer,
      client_id: admin.clientId,
      scopes: admin.scopes,
      // An issuer that knows resources (RFC 8707) makes tokens for the URL of this API. Others,
      // such as Entra ID, refuse the parameter; then the scopes decide for whom a token is.
      sends_resource: admin.audiences.includes(url),
    })),
  }
}
