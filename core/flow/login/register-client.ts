/** Dynamic client registration (RFC 7591). Stores nothing: the client id is the registration. */
import { err, ok, type Result } from '../../errors.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import type { OAuthError } from '../../login/authorize-request.ts'
import { readClientMetadata, signClientId } from '../../login/client-id.ts'
import type { LoginContext } from './login-context.ts'

const NONCE_BYTES = 8

/** Redirect URIs that a client may not have are left out of the answer. */
export async function registerClient(
  { login, ports }: LoginContext,
  body: Json,
): Promise<Result<JsonObject, OAuthError>> {
  const metadata = readClientMetadata(body, login.redirectHosts)
  if (metadata === undefined) {
    return err({
      error: 'invalid_redirect_uri',
      description:
        'redirect_uris: has none that this gateway allows: http on localhost, 127.0.0.1 or [::1], or an https host that its operator lists (loginRedirects).',
    })
  }
  const { name, redirectUris } = metadata
  const nonce = ports.ids.token(NONCE_BYTES)
  const secret = await ports.logins.secret()
  return ok({
    client_id: signClientId(ports.digests, secret, { name, redirectUris, nonce }),
    client_id_issued_at: Math.floor(ports.clock.nowMs() / 1000),
    client_name: name,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  })
}
