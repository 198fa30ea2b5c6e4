/** A person who logs in at Keycloak's own page, by fetch, and the public client that gets the token (PKCE). */
import { createHash, randomBytes } from 'node:crypto'
import { readJsonObject, stringOf } from '../e2e/fields.ts'
import { CALLBACK, PASSWORD } from './realm.ts'

export type Asked = {
  readonly username: string
  readonly scope: string
  /** The URL of the gateway, as clients name it; Keycloak ignores it. */
  readonly resource: string
}

/** Returns the access token. */
export async function logIn(issuer: string, asked: Asked): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const { scope, resource } = asked
  const page = new URL(`${issuer}/protocol/openid-connect/auth`)
  page.search = new URLSearchParams({
    response_type: 'code',
    client_id: 'agent',
    redirect_uri: CALLBACK,
    state: 'a state',
    scope,
    resource,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  const callback = await enterPassword(page, asked.username)
  const answer = await fetch(`${issuer}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'agent',
      redirect_uri: CALLBACK,
      code: callback.searchParams.get('code') ?? '',
      code_verifier: verifier,
      resource,
    }),
  })
  return stringOf(readJsonObject(await answer.text()), 'access_token')
}

async function enterPassword(page: URL, username: string): Promise<URL> {
  const opened = await fetch(page)
  const cookie = opened.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ')
  const html = await opened.text()
  const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
  if (action === undefined)
    throw new Error(`Keycloak shows no form: ${opened.status} ${html.slice(0, 500)}`)
  const answer = await fetch(action, {
    method: 'POST',
    headers: { cookie },
    redirect: 'manual',
    body: new URLSearchParams({ username, password: PASSWORD }),
  })
  const location = answer.headers.get('location') ?? ''
  if (!location.startsWith(CALLBACK)) {
    throw new Error(`Keycloak did not return to the client: ${answer.status} ${location}`)
  }
  return new URL(location)
}
