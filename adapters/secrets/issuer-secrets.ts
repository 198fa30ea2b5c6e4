/**
 * Reads the secrets by which the gateway asks issuers about opaque tokens, from Secrets Manager, in
 * the form of the admin secrets: `{"current":"…"}`. The client of Secrets Manager is loaded with the
 * first of them.
 */
import { loadOnce } from '../../core/cache/load-once.ts'
import { Fault } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import type { Clock } from '../../core/ports/outside.ts'
import { cacheValue } from './kept-value.ts'
import { SECRETS_FRESH_MS, SECRETS_PAUSE_MS, SECRETS_STALE_MS } from './limits.ts'

export type IssuerSecretOptions = {
  readonly clock: Pick<Clock, 'nowMs'>
  /** Reports a failed fetch while the older value is still used. */
  readonly onStale: (cause: unknown) => void
  /** Reads the text of a secret by its name or ARN; default: from Secrets Manager. */
  readonly fetchText?: (id: string) => Promise<string | undefined>
}

/** The result takes the name or ARN of a secret. It throws `Fault('store_unavailable')`. */
export function makeIssuerSecretReader(
  options: IssuerSecretOptions,
): (id: string) => Promise<string> {
  const { clock, fetchText = makeTextFetch(), onStale } = options
  const readers = new Map<string, () => Promise<string>>()
  const limits = {
    freshMs: SECRETS_FRESH_MS,
    staleMs: SECRETS_STALE_MS,
    pauseMs: SECRETS_PAUSE_MS,
  }
  return (id) => {
    const reader =
      readers.get(id) ??
      cacheValue({
        clock,
        limits,
        onStale,
        fetch: async () => readCurrent(id, await fetchText(id)),
      })
    readers.set(id, reader)
    return reader()
  }
}

function makeTextFetch(): (id: string) => Promise<string | undefined> {
  const load = loadOnce(async () => {
    const { makeSecretsClient } = await import('./client.ts')
    const { fetchSecretText } = await import('./fetch-secret-text.ts')
    const client = makeSecretsClient()
    return (id: string) => fetchSecretText(client, id)
  })
  return async (id) => (await load())(id)
}

/** The value is not repeated in an error. */
function readCurrent(id: string, text: string | undefined): string {
  const json = text === undefined ? undefined : parseJson(text)
  const current = json?.ok && isJsonObject(json.value) ? json.value['current'] : undefined
  if (typeof current === 'string' && current !== '') return current
  throw new Fault('store_unavailable', `secret ${id}: current: is missing; write {"current":"…"}`)
}
