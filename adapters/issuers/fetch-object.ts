/**
 * Asks an issuer for a JSON object: metadata, keys, or what it says about a token. The request goes
 * through the guard of addresses, follows no redirect, and reads a bounded answer within a bounded
 * time. Bound by docs/service.md, Outbound safety, and ADR 0114.
 */
import type { UpstreamRequest } from '../../core/call/upstream.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import type { Clock, Upstream } from '../../core/ports/outside.ts'

/** A caller waits for the answer; issuers answer within 100 ms. */
export const ISSUER_WAIT_MS = 2_000
/** Bytes of an answer. The keys of large issuers have 20 kB with their certificates. */
export const ISSUER_ANSWER_BYTES_MAX = 131_072
/** No user has this id, so no user's request shares a connection with one to an issuer. */
const SENDER = '-issuers'

export type IssuerRequests = {
  readonly upstream: Upstream
  readonly clock: Pick<Clock, 'alarm'>
}

/** `waitMs`: how long the caller waits. The error is a word or two for the log. */
export async function fetchObject(
  { clock, upstream }: IssuerRequests,
  request: UpstreamRequest,
  waitMs = ISSUER_WAIT_MS,
): Promise<Result<JsonObject, string>> {
  const late = new AbortController()
  const cancel = clock.alarm(waitMs, () => late.abort())
  const answer = await upstream
    .send(request, {
      responseBytesMax: ISSUER_ANSWER_BYTES_MAX,
      redirectsMax: 0,
      signal: late.signal,
      uid: SENDER,
    })
    .finally(cancel)
  if (answer.kind !== 'answered') return err(answer.kind)
  const { body, status } = answer.response
  if (status !== 200) return err(`status ${status}`)
  const json = parseJson(body, { bytesMax: ISSUER_ANSWER_BYTES_MAX, repeatedNames: 'last' })
  return json.ok && isJsonObject(json.value) ? ok(json.value) : err('not a JSON object')
}

export function makeGet(url: string): UpstreamRequest {
  return { method: 'GET', url, headers: { accept: 'application/json' }, body: undefined }
}

/** A form with a token, which no log shows. `authorization` is a secret of the gateway. */
export function makeFormPost(
  url: string,
  form: { readonly [name: string]: string },
  authorization?: string,
): UpstreamRequest {
  return {
    method: 'POST',
    url,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(authorization === undefined ? {} : { authorization }),
    },
    body: new URLSearchParams(form).toString(),
    sensitive: {
      headers: authorization === undefined ? [] : ['authorization'],
      query: false,
      body: true,
    },
  }
}
