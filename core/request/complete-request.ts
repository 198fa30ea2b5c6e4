/**
 * The second step of a request: adds the secrets to a draft (draft-request.ts) after the credits
 * are held. Refuses a secret that its header or URL cannot carry. Sends nothing.
 */
import type { UpstreamRequest } from '../call/upstream.ts'
import { err, ok, type Result } from '../errors.ts'
import { type BodyDraft, JSON_TYPE } from './draft-body.ts'
import { HEADER_UNITS_MAX, isHeaderValue, type Pair } from './draft-headers.ts'
import { type QueryParts, URL_CHARS_MAX, writeUrl } from './draft-query.ts'
import { fillSecretPieces, hasSecret } from './fill-template.ts'
import type { CallableSkill, RequestPlan } from './request-plan.ts'

/** Secrets by name. It must have every secret that the draft names. */
export type SecretValues = ReadonlyMap<string, string>

/** `secret` is the name of the secret that cannot be sent. */
export type SecretMisfit = { readonly secret: string; readonly detail: string }

export type DraftParts = {
  readonly skill: CallableSkill
  readonly plan: RequestPlan
  readonly base: string
  /** The URL without secrets. */
  readonly url: string
  /** The skill's own headers; empty if the plan has them as fixed headers. */
  readonly headers: readonly Pair[]
  readonly query: QueryParts
  readonly body: BodyDraft | undefined
}

export const NO_SECRETS: SecretValues = new Map()

/** Makes the request of a draft. `secrets` has the values of all secrets that the draft names. */
export function completeRequest(
  draft: DraftParts,
  secrets: SecretValues,
): Result<UpstreamRequest, SecretMisfit> {
  const { body, headers, plan, skill, url } = draft
  if (plan.hasSecret) return completeWithSecrets(draft, secrets)
  const text = body?.text(NO_SECRETS)
  const own = writeHeaders(plan, headers, body, NO_SECRETS)
  return ok({ ...startRequest(skill), url, headers: own, body: text })
}

function completeWithSecrets(
  draft: DraftParts,
  secrets: SecretValues,
): Result<UpstreamRequest, SecretMisfit> {
  const { base, body, plan, query, skill } = draft
  const headers = [...draft.headers, ...plan.auth.headers]
  const sensitiveHeaders = headers.filter(([, value]) => hasSecret(value))
  const sensitiveQuery = [...query.pairs, ...plan.auth.query].filter(([, value]) =>
    hasSecret(value),
  )
  const badHeader = sensitiveHeaders.find(
    ([, value]) => !isHeaderValue(fillSecretPieces(value, secrets)),
  )
  if (badHeader !== undefined)
    return refuseSecret(badHeader, `the header ${badHeader[0]}, ${IN_HEADER}`)
  const url = writeUrl(base, query, plan.auth.query, secrets)
  const [inQuery] = sensitiveQuery
  if (inQuery !== undefined && url.length > URL_CHARS_MAX) return refuseSecret(inQuery, IN_URL)
  const sensitive = {
    headers: sensitiveHeaders.map(([name]) => name),
    query: sensitiveQuery.length > 0,
    body: body?.hasSecret ?? false,
  }
  const isSensitive = sensitive.headers.length > 0 || sensitive.query || sensitive.body
  return ok({
    ...startRequest(skill),
    url,
    headers: writeHeaders(plan, headers, body, secrets),
    body: body?.text(secrets),
    ...(isSensitive ? { sensitive } : {}),
  })
}

/** The members that say whose request it is, and what it is for unless it is for an HTTP API. */
function startRequest({ lambda, method, signing }: CallableSkill) {
  return {
    method,
    ...(signing === undefined ? {} : { signing }),
    ...(lambda === undefined ? {} : { lambda }),
  }
}

/** A header of the author replaces the gateway's header of that name. */
function writeHeaders(
  { fixedHeaders, fixedJsonHeaders, ownHeaders }: RequestPlan,
  own: readonly Pair[],
  body: BodyDraft | undefined,
  secrets: SecretValues,
): UpstreamRequest['headers'] {
  if (fixedHeaders !== undefined) {
    if (body === undefined) return fixedHeaders
    if (body.contentType === JSON_TYPE && fixedJsonHeaders !== undefined) return fixedJsonHeaders
    return { ...ownHeaders, ...contentTypeHeader(body), ...fixedHeaders }
  }
  const filled = Object.fromEntries(
    own.map(([name, value]) => [name, fillSecretPieces(value, secrets)]),
  )
  return { ...ownHeaders, ...contentTypeHeader(body), ...filled }
}

function contentTypeHeader(body: BodyDraft | undefined) {
  return body === undefined ? {} : { 'content-type': body.contentType }
}

const IN_HEADER = `which takes ${HEADER_UNITS_MAX} characters of visible ASCII`
const IN_URL = `a URL, which takes ${URL_CHARS_MAX} characters`

function refuseSecret([, value]: Pair, place: string): { ok: false; error: SecretMisfit } {
  const secret = value.find((piece) => typeof piece !== 'string')?.secret ?? ''
  return err({ secret, detail: `secret ${secret}: cannot be sent in ${place}; set it again` })
}
