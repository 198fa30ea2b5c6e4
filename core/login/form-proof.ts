/**
 * Binds the two forms of a login to the browser that opened the page. The browser has a nonce in a
 * cookie; the form has a MAC of the nonce and the whole request, so another site's form, or a form
 * whose hidden fields were changed, is refused. The second form also proves which key was entered,
 * so that no page holds the key.
 */
import type { Digests } from '../ports/outside.ts'

type Mac = Pick<Digests, 'equal' | 'mac'>

/** `query` is the query of the authorization request, as it was sent. */
export type LoginForm = {
  readonly nonce: string
  readonly query: string
  /** When the page was opened, in milliseconds since 1970. */
  readonly openedAtMs: number
}

/** The value of the hidden field of the first form, or of the second one with the key's hash. */
export function proveForm({ mac }: Mac, secret: string, form: LoginForm, keyHash = ''): string {
  return mac(secret, ['form', form.nonce, form.openedAtMs, keyHash, form.query].join('\n'))
}

export function isFormProven(
  digests: Mac,
  secret: string,
  { keyHash, proof, ...form }: LoginForm & { readonly proof: string; readonly keyHash?: string },
): boolean {
  return digests.equal(proof, proveForm(digests, secret, form, keyHash ?? ''))
}
