/**
 * Makes one upstream request of a skill and its arguments, in two steps (docs/service.md, Skill
 * config). Before credits are held, arguments fill the endpoint's `{name}` places and the
 * templates. All other arguments go into the query (GET, HEAD, DELETE) or the JSON body. Then
 * complete-request.ts adds the secrets. An argument cannot change what the author fixed, and no
 * secret is in the path. Sends nothing; check-target.ts decides which hosts may be called.
 */
import type { UpstreamRequest } from '../call/upstream.ts'
import { err, type FieldError, ok, type Result, refuse } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import {
  completeRequest,
  NO_SECRETS,
  type SecretMisfit,
  type SecretValues,
} from './complete-request.ts'
import { BODY_UNITS_MAX, type BodyDraft, draftBody } from './draft-body.ts'
import { draftHeaderPairs, type Pair } from './draft-headers.ts'
import { type McpTerms, toMcpCall, withMcpCall } from './draft-mcp.ts'
import {
  countPlacedUnits,
  draftPlacedBody,
  draftPlacedHeaders,
  writePlacedQuery,
} from './draft-places.ts'
import {
  draftQueryPairs,
  joinFilledQuery,
  type QueryParts,
  URL_CHARS_MAX,
  writeUrl,
} from './draft-query.ts'
import { fillEndpoint } from './fill-endpoint.ts'
import { countFillUnits, type Fills, type InputFills, toPlainText } from './fill-template.ts'
import { findNameClashes } from './name-clashes.ts'
import { type CallableSkill, getRequestPlan, type RequestPlan } from './request-plan.ts'
import { orderUnplaced, type Unplaced } from './unplaced.ts'

export type RequestDraft = {
  /** The URL without secrets, so that check-target.ts can check it before credits are held. */
  readonly url: string
  complete(secrets: SecretValues): Result<UpstreamRequest, SecretMisfit>
}

const NO_INPUT: InputFills = {}
const NO_TERMS: McpTerms = {}

/** Drafts the request. Refuses with `invalid_arguments` and pointers into the arguments. */
export function draftRequest(
  skill: CallableSkill,
  args: JsonObject,
  input: InputFills = NO_INPUT,
  terms: McpTerms = NO_TERMS,
): Result<RequestDraft> {
  if (skill.mcp !== undefined) return draftMcpRequest(skill, skill.mcp, { args, input }, terms)
  return draftHttpRequest(skill, args, input)
}

/** The URL and the headers are those of any request; arguments go nowhere but to the tool. */
function draftMcpRequest(
  skill: CallableSkill,
  target: NonNullable<CallableSkill['mcp']>,
  { args, input }: Fills,
  terms: McpTerms,
): Result<RequestDraft> {
  const mcp = toMcpCall(target, args, input, terms)
  const plan = getRequestPlan(skill)
  const endpoint = fillEndpoint(plan.endpoint, args, undefined)
  if (!endpoint.ok) return refuseArguments(endpoint.error)
  const headers =
    plan.fixedHeaders === undefined ? draftHeaders(skill, plan, { args, input }) : NO_PAIRS
  if (!headers.ok) return refuseArguments(headers.error)
  const { base, query: own } = endpoint.value
  const query = { own, pairs: [], filled: '' }
  const url = writeUrl(base, query, [], NO_SECRETS)
  const draft = { skill, plan, base, url, headers: headers.value, query, body: undefined }
  return ok({
    url,
    complete: (secrets) => {
      const completed = completeRequest(draft, secrets)
      return completed.ok ? ok(withMcpCall(completed.value, skill, mcp)) : completed
    },
  })
}

function draftHttpRequest(
  skill: CallableSkill,
  args: JsonObject,
  input: InputFills,
): Result<RequestDraft> {
  const fills: Fills = { args, input }
  const plan = getRequestPlan(skill)
  const endpoint = fillEndpoint(plan.endpoint, args, plan.places?.path)
  if (!endpoint.ok) return refuseArguments(endpoint.error)
  const { base, used } = endpoint.value
  const rest = pickUnplaced(plan, used, args)
  const inQuery = plan.schemaNames.restIn === 'query'
  const clashes = findNameClashes(plan, args, sendsRest(skill, plan) ? rest.all : [])
  if (clashes.length > 0) return refuseArguments(clashes)
  const headers = plan.fixedHeaders === undefined ? draftHeaders(skill, plan, fills) : NO_PAIRS
  if (!headers.ok) return refuseArguments(headers.error)
  const query = draftQuery(plan, fills, endpoint.value.query, rest)
  if (query === undefined) return refuseLength(URL_TOO_LONG)
  const url = writeUrl(base, query, [], NO_SECRETS)
  if (url.length > URL_CHARS_MAX) return refuseLength(URL_TOO_LONG)
  const body = draftAnyBody(skill, plan, fills, inQuery ? undefined : rest)
  if (!body.ok) return refuseArguments(body.error)
  const draft = { skill, plan, base, url, headers: headers.value, query, body: body.value }
  return ok({ url, complete: (secrets) => completeRequest(draft, secrets) })
}

const NO_PAIRS = ok<readonly Pair[]>([])
const URL_TOO_LONG = `make a URL of over ${URL_CHARS_MAX} characters; shorten them`

/** True if arguments without a place are sent. A skill with a body template does not send them. */
export function sendsRest({ body }: CallableSkill, { schemaNames }: RequestPlan): boolean {
  return schemaNames.restIn === 'query' || body === undefined
}

function pickUnplaced(
  { named, schemaNames }: RequestPlan,
  used: ReadonlySet<string>,
  args: JsonObject,
): Unplaced {
  const entries = Object.entries(args)
  const isPlain = used.size === 0 && named.size === 0
  const rest = isPlain ? entries : entries.filter(([name]) => !used.has(name) && !named.has(name))
  return orderUnplaced(rest, (name) => schemaNames.rest.has(name))
}

/** Returns undefined if the arguments make a query that is too long for any URL. */
function draftQuery(
  plan: RequestPlan,
  fills: Fills,
  own: string,
  rest: Unplaced,
): QueryParts | undefined {
  const { places, query, queryTemplates, schemaNames } = plan
  const inQuery = places?.query ?? []
  if (inQuery.length > 0 && countPlacedUnits(inQuery, fills.args) > URL_CHARS_MAX) return undefined
  if (query.length > 0 && countFillUnits(queryTemplates, fills) > URL_CHARS_MAX) return undefined
  const placed = inQuery.length === 0 ? '' : writePlacedQuery(inQuery, fills.args)
  const filled = schemaNames.restIn === 'query' ? joinFilledQuery(placed, rest) : placed
  return { own, pairs: draftQueryPairs(plan, fills), filled }
}

function draftHeaders(skill: CallableSkill, { places }: RequestPlan, fills: Fills) {
  const own = draftHeaderPairs(skill, fills)
  if (!own.ok || places === undefined) return own
  const placed = draftPlacedHeaders(places.header, fills.args)
  return placed.ok ? ok([...own.value, ...placed.value]) : placed
}

/** `rest` is undefined if arguments without a place go into the query. */
function draftAnyBody(
  skill: CallableSkill,
  { places }: RequestPlan,
  fills: Fills,
  rest: Unplaced | undefined,
): Result<BodyDraft | undefined, readonly FieldError[]> {
  if (skill.bodyAs === undefined) {
    const body = draftBody(skill, fills, rest)
    return body.ok ? body : err([{ pointer: '', message: body.error }])
  }
  const inBody = places?.body ?? []
  const restUnits = rest === undefined ? 0 : toPlainText(Object.fromEntries(rest.all)).length
  if (countPlacedUnits(inBody, fills.args) + restUnits > BODY_UNITS_MAX) {
    const message = `make a body of over ${BODY_UNITS_MAX} characters; shorten them`
    return err([{ pointer: '', message }])
  }
  return draftPlacedBody(skill.bodyAs, inBody, fills.args, rest ?? NO_REST)
}

const NO_REST: Unplaced = { all: [], first: [], last: [] }

function refuseLength(message: string) {
  return refuseArguments([{ pointer: '', message }])
}

function refuseArguments(faults: readonly FieldError[]) {
  const [first] = faults
  const name = first?.pointer || 'They'
  return refuse(
    'invalid_arguments',
    `The arguments do not make a request: ${name} ${first?.message}.`,
    { faults },
  )
}
