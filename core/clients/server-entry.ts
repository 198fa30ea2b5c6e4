/**
 * The server that an MCP client is told of, and how its entry carries the credential. The entry of
 * each client is in forms.ts.
 */

/** The server entry that a client gets. */
export type Server = {
  readonly name: string
  readonly url: string
  readonly auth: Auth
}

/**
 * How the client proves who calls. `variable`: it takes the key from the variable SKILLGATE_KEY.
 * `key`: the key itself, for a file that only this person reads. `login`: the entry has no
 * credential, and the client opens a browser.
 */
export type Auth =
  | { readonly kind: 'variable' }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'login' }

export const KEY_VARIABLE = 'SKILLGATE_KEY'

/**
 * Returns the value of the Authorization header, or undefined with a login. `write` turns the
 * variable's name into the client's own syntax.
 */
export function formatBearer(
  { auth }: Server,
  write: (variable: string) => string,
): string | undefined {
  if (auth.kind === 'login') return undefined
  return `Bearer ${auth.kind === 'key' ? auth.key : write(KEY_VARIABLE)}`
}

/** Returns the member `headers` of an entry; an empty object with a login. */
export function toHeaders(
  server: Server,
  write: (variable: string) => string,
): { readonly headers?: { readonly Authorization: string } } {
  const bearer = formatBearer(server, write)
  return bearer === undefined ? {} : { headers: { Authorization: bearer } }
}
