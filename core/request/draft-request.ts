/**
 * Turns a skill and its arguments into one upstream request, in two steps (docs/service.md, Skill
 * config). Before money moves, the arguments fill the endpoint's `{name}` places and the templates;
 * the others go into the query (GET, HEAD, DELETE) or the JSON body. Then complete-request.ts adds
 * the secrets. An argument cannot change what the author fixed, and no secret is in the path. Sends
 * nothing; check-target.ts decides which hosts may be called.
 */

import type { UpstreamRequest } from '../call/upstream.ts'
import { err, type FieldFault, ok, type Result, refuse } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import {
  completeRequest,
  NO_SECRETS,
  type SecretMisfit,
  type SecretValues,
} from './complete-request.ts'
import { BODY_UNITS_MAX, type BodyDraft, draftBody } from './draft-body.ts'
import { headerPairs, type Pair } from './draft-headers.ts'
import { placedBody, placedHeaders, placedQuery, placedUnits } from './draft-places.ts'
import { filledQuery, type QueryParts, queryPairs, URL_CHARS_MAX, urlOf } from './draft-query.ts'
import { fillEndpoint } from './fill-endpoint.ts'
import { type Fills, fillUnits, type InputFills, textOf } from './fill-template.ts'
import { nameFaults } from './name-clashes.ts'
import { type CallableSkill, type RequestPlan, requestPlan } from './request-plan.ts'
import { type Unplaced, unplaced } from './unplaced.ts'

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

/**
 * True if arguments without a template or a place are sent. With a template for its body, a skill
 * sends them nowhere.
 */
export function isSent({ body }: CallableSkill, { schemaNames }: RequestPlan): boolean {
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
