/**
 * The reader of issuers' secrets for functions that agents wait for: its code is loaded with the
 * first opaque token, so a start of a function loads none of it.
 */
import { loadOnce } from '../../core/cache/load-once.ts'
import type { IssuerSecretOptions } from './issuer-secrets.ts'

/** Takes and returns what `makeIssuerSecretReader` does, and throws what it throws. */
export function makeLateIssuerSecretReader(
  options: IssuerSecretOptions,
): (id: string) => Promise<string> {
  const load = loadOnce(async () => {
    const { makeIssuerSecretReader } = await import('./issuer-secrets.ts')
    return makeIssuerSecretReader(options)
  })
  return async (id) => (await load())(id)
}
