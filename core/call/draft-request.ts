/**
 * Turns a skill and its arguments into one upstream request, in two steps (docs/service.md, Skill
 * config). Before money moves, the arguments fill the endpoint's `{name}` places and the templates;
 * the others go into the query (GET, HEAD, DELETE) or the JSON body. Then `completeRequest` adds
 * the secrets, once the call is paid for, and refuses one that does not fit its place. An argument cannot change what the author fixed, and no secret is in the path. Sends
 * nothing; check-target.ts decides which hosts may be called.
 */
import { err, type FieldFault, ok, type Result, refuse } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import { BODY_UNITS_MAX, type BodyDraft, draftBody, JSON_TYPE } from './draft-body.ts'
import { HEADER_UNITS_MAX, headerPairs, isHeaderValue, type Pair } from './draft-headers.ts'
import { placedBody, placedHeaders, placedQuery, placedUnits } from './draft-places.ts'
import { filledQuery, type QueryParts, queryPairs, URL_CHARS_MAX, urlOf } from './draft-query.ts'
import { fillEndpoint } from './fill-endpoint.ts'
import {
  type Fills,
  fillUnits,
  finish,
  hasSecret,
  type InputFills,
  textOf,
} from './fill-template.ts'
import { nameFaults } from './name-clashes.ts'
import { type CallableSkill, type RequestPlan, requestPlan } from './request-plan.ts'
import { type Unplaced, unplaced } from './unplaced.ts'
import type { UpstreamRequest } from './upstream.ts'

export type RequestDraft = {
  /** The URL before secrets are added: check-target.ts can judge it before money moves. */
  readonly url: string
  complete(secrets: SecretValues): Result<UpstreamRequest, SecretMisfit>
}

const NO_INPUT: InputFills = {}

/** Refuses with `invalid_arguments` (pointers into the arguments). */
export function draftRequest(
  skill: CallableSkill,
  args: JsonObject,
  input: InputFills = NO_INPUT,
): Result<RequestDraft> {
  const fills: Fills = { args, input }
  const plan = requestPlan(skill)
  const endpoint = fillEndpoint(plan.endpoint, args, plan.places?.path)
  if (!endpoint.ok) return refused(endpoint.error)
  const { base, used } = endpoint.value
  const rest = unplacedIn(plan, used, args)
  const inQuery = plan.schemaNames.restIn === 'query'
  const clashes = nameFaults(plan, args, isSent(skill, plan) ? rest.all : [])
  if (clashes.length > 0) return refused(clashes)
  const headers = plan.fixedHeaders === undefined ? headersFor(skill, plan, fills) : NO_PAIRS
  if (!headers.ok) return refused(headers.error)
  const query = queryFor(plan, fills, endpoint.value.query, rest)
  if (query === undefined) return tooMuch(URL_TOO_LONG)
  const url = urlOf(base, query, [], NO_SECRETS)
  if (url.length > URL_CHARS_MAX) return tooMuch(URL_TOO_LONG)
  const body = bodyFor(skill, plan, fills, inQuery ? undefined : rest)
  if (!body.ok) return refused(body.error)
  const draft = { skill, plan, base, url, headers: headers.value, query, body: body.value }
  return ok({ url, complete: (secrets) => completeRequest(draft, secrets) })
}

const NO_PAIRS = ok<readonly Pair[]>([])
const URL_TOO_LONG = `make a URL of over ${URL_CHARS_MAX} characters; shorten them`

/** With a template for its body, a skill sends such arguments nowhere. */
function isSent({ body }: CallableSkill, { schemaNames }: RequestPlan): boolean {
  return schemaNames.restIn === 'query' || body === undefined
}

function unplacedIn(
  { named, schemaNames }: RequestPlan,
  used: ReadonlySet<string>,
  args: JsonObject,
): Unplaced {
  const entries = Object.entries(args)
  const isPlain = used.size === 0 && named.size === 0
  const rest = isPlain ? entries : entries.filter(([name]) => !used.has(name) && !named.has(name))
  return unplaced(rest, (name) => schemaNames.rest.has(name))
}

/** Undefined when the arguments make a query that is too long for any URL. */
function queryFor(
  plan: RequestPlan,
  fills: Fills,
  own: string,
  rest: Unplaced,
): QueryParts | undefined {
  const { places, query, queryTemplates, schemaNames } = plan
  const inQuery = places?.query ?? []
  if (inQuery.length > 0 && placedUnits(inQuery, fills.args) > URL_CHARS_MAX) return undefined
  if (query.length > 0 && fillUnits(queryTemplates, fills) > URL_CHARS_MAX) return undefined
  const placed = inQuery.length === 0 ? '' : placedQuery(inQuery, fills.args)
  const filled = schemaNames.restIn === 'query' ? filledQuery(placed, rest) : placed
  return { own, pairs: queryPairs(plan, fills), filled }
}

function headersFor(skill: CallableSkill, { places }: RequestPlan, fills: Fills) {
  const own = headerPairs(skill, fills)
  if (!own.ok || places === undefined) return own
  const placed = placedHeaders(places.header, fills.args)
  return placed.ok ? ok([...own.value, ...placed.value]) : placed
}

/** `rest` is undefined where the arguments without a place go into the query. */
function bodyFor(
  skill: CallableSkill,
  { places }: RequestPlan,
  fills: Fills,
  rest: Unplaced | undefined,
): Result<BodyDraft | undefined, readonly FieldFault[]> {
  if (skill.bodyAs === undefined) {
    const body = draftBody(skill, fills, rest)
    return body.ok ? body : err([{ pointer: '', message: body.error }])
  }
  const inBody = places?.body ?? []
  const restUnits = rest === undefined ? 0 : textOf(Object.fromEntries(rest.all)).length
  if (placedUnits(inBody, fills.args) + restUnits > BODY_UNITS_MAX) {
    const message = `make a body of over ${BODY_UNITS_MAX} characters; shorten them`
    return err([{ pointer: '', message }])
  }
  return placedBody(skill.bodyAs, inBody, fills.args, rest ?? NO_REST)
}

const NO_REST: Unplaced = { all: [], first: [], last: [] }

function tooMuch(message: string) {
  return refused([{ pointer: '', message }])
}

function refused(faults: readonly FieldFault[]) {
  const [first] = faults
  const name = first?.pointer || 'They'
  return refuse(
    'invalid_arguments',
    `The arguments do not make a request: ${name} ${first?.message}.`,
    { faults },
  )
}

/** By name. Must hold every secret that the draft names. */
type SecretValues = ReadonlyMap<string, string>

/** `secret` is the name of the secret that does not fit its place. */
type SecretMisfit = { readonly secret: string; readonly detail: string }

type DraftParts = {
  readonly skill: CallableSkill
  readonly plan: RequestPlan
  readonly base: string
  /** Without secrets. */
  readonly url: string
  /** The skill's own headers; empty when the plan already has them as fixed headers. */
  readonly headers: readonly Pair[]
  readonly query: QueryParts
  readonly body: BodyDraft | undefined
}

const NO_SECRETS: SecretValues = new Map()

function completeRequest(
  draft: DraftParts,
  secrets: SecretValues,
): Result<UpstreamRequest, SecretMisfit> {
  const { body, headers, plan, skill, url } = draft
  if (plan.hasSecret) return completeWith(draft, secrets)
  const { method } = skill
  const text = body?.text(NO_SECRETS)
  return ok({ method, url, headers: headersOf(plan, headers, body, NO_SECRETS), body: text })
}

function completeWith(
  draft: DraftParts,
  secrets: SecretValues,
): Result<UpstreamRequest, SecretMisfit> {
  const { base, body, plan, query, skill } = draft
  const headers = [...draft.headers, ...plan.auth.headers]
  const sensitiveHeaders = headers.filter(([, value]) => hasSecret(value))
  const sensitiveQuery = [...query.pairs, ...plan.auth.query].filter(([, value]) =>
    hasSecret(value),
  )
  const badHeader = sensitiveHeaders.find(([, value]) => !isHeaderValue(finish(value, secrets)))
  if (badHeader !== undefined) return misfit(badHeader, `the header ${badHeader[0]}, ${IN_HEADER}`)
  const url = urlOf(base, query, plan.auth.query, secrets)
  const [inQuery] = sensitiveQuery
  if (inQuery !== undefined && url.length > URL_CHARS_MAX) return misfit(inQuery, IN_URL)
  const sensitive = {
    headers: sensitiveHeaders.map(([name]) => name),
    query: sensitiveQuery.length > 0,
    body: body?.hasSecret ?? false,
  }
  const isSensitive = sensitive.headers.length > 0 || sensitive.query || sensitive.body
  return ok({
    method: skill.method,
    url,
    headers: headersOf(plan, headers, body, secrets),
    body: body?.text(secrets),
    ...(isSensitive ? { sensitive } : {}),
  })
}

/** A header that the author sets replaces ours. */
function headersOf(
  { fixedHeaders, fixedJsonHeaders, ownHeaders }: RequestPlan,
  own: readonly Pair[],
  body: BodyDraft | undefined,
  secrets: SecretValues,
): UpstreamRequest['headers'] {
  if (fixedHeaders !== undefined) {
    if (body === undefined) return fixedHeaders
    if (body.contentType === JSON_TYPE && fixedJsonHeaders !== undefined) return fixedJsonHeaders
    return { ...ownHeaders, ...typeOf(body), ...fixedHeaders }
  }
  const filled = Object.fromEntries(own.map(([name, value]) => [name, finish(value, secrets)]))
  return { ...ownHeaders, ...typeOf(body), ...filled }
}

function typeOf(body: BodyDraft | undefined) {
  return body === undefined ? {} : { 'content-type': body.contentType }
}

const IN_HEADER = `which takes ${HEADER_UNITS_MAX} characters of visible ASCII`
const IN_URL = `a URL, which takes ${URL_CHARS_MAX} characters`

function misfit([, value]: Pair, place: string): { ok: false; error: SecretMisfit } {
  const secret = value.find((piece) => typeof piece !== 'string')?.secret ?? ''
  return err({ secret, detail: `secret ${secret}: cannot be sent in ${place}; set it again` })
}
