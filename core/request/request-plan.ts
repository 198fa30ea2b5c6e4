/**
 * The parts of a skill's requests that are the same for every call, computed once per skill: its
 * endpoint's parts, the arguments of its templates, its credentials' pairs, and its fixed headers.
 * A plan contains no secret.
 */
import type { UpstreamRequest } from '../call/upstream.ts'
import type { JsonObject } from '../json/json.ts'
import type { ArgumentPlace } from '../skills/definition/argument-place.ts'
import type { Template } from '../skills/definition/template.ts'
import type { Skill } from '../skills/skill.ts'
import { makeAuthPairs } from './auth-pairs.ts'
import { JSON_TYPE } from './draft-body.ts'
import { draftHeaderPairs } from './draft-headers.ts'
import { listArgNames, listSecretNames } from './draft-names.ts'
import { type EndpointParts, splitEndpoint } from './fill-endpoint.ts'
import { fillSecretPieces } from './fill-template.ts'
import { findFixedClaim } from './name-claims.ts'
import { collectSkillNames, readObjectAt, type SkillNames } from './skill-names.ts'

export type CallableSkill = Pick<
  Skill,
  | 'auth'
  | 'body'
  | 'bodyAs'
  | 'bodyEncoding'
  | 'endpoint'
  | 'headers'
  | 'mcp'
  | 'method'
  | 'parameters'
  | 'places'
  | 'query'
  | 'responseAs'
>

export type RequestPlan = {
  readonly endpoint: EndpointParts
  /** Arguments with a template or a place of their own. They are sent nowhere else. */
  readonly named: ReadonlySet<string>
  /** Undefined for a skill without `config.arguments`. */
  readonly places: PlacesPlan | undefined
  readonly query: readonly (readonly [name: string, template: Template])[]
  readonly queryTemplates: readonly Template[]
  readonly schemaNames: SchemaNames
  readonly auth: ReturnType<typeof makeAuthPairs>
  readonly hasSecret: boolean
  /** The gateway's headers, which the skill's own headers may replace. */
  readonly ownHeaders: UpstreamRequest['headers']
  /** All headers except a body's content type; undefined if arguments fill some of them. */
  readonly fixedHeaders: UpstreamRequest['headers'] | undefined
  /** The fixed headers of a JSON body, which most bodies are. */
  readonly fixedJsonHeaders: UpstreamRequest['headers'] | undefined
}

/** The places of a skill's arguments by their location. */
export type PlacesPlan = {
  readonly all: readonly ArgumentPlace[]
  /** By argument; the endpoint has its `{name}`. */
  readonly path: ReadonlyMap<string, ArgumentPlace>
  readonly query: readonly ArgumentPlace[]
  readonly header: readonly ArgumentPlace[]
  readonly body: readonly ArgumentPlace[]
}

export type SchemaNames = {
  readonly parameters: JsonObject
  /** The location of arguments without a place. */
  readonly restIn: 'query' | 'body'
  /** Arguments of the schema without a template or a place. */
  readonly rest: ReadonlySet<string>
  /** Members of `rest` whose names meet no name that the author fixed. */
  readonly free: ReadonlySet<string>
  /** Returns the skill's names, which are computed at the first call. */
  claims(): SkillNames
}

const ACCEPT: { readonly [as in Skill['responseAs']]: string } = {
  auto: 'application/json, text/*;q=0.9, */*;q=0.1',
  json: 'application/json',
  text: 'text/plain, text/*;q=0.9, */*;q=0.1',
  mcp: 'application/json',
}

/** Some APIs refuse requests without a User-Agent. */
const USER_AGENT = 'Skillgate'

/** Plans by skill. The keys are weak, so that the cache keeps no skill in memory. */
const cache = new WeakMap<CallableSkill, RequestPlan>()

/** Returns the skill's plan, and makes it at the first call. */
export function getRequestPlan(skill: CallableSkill): RequestPlan {
  const cached = cache.get(skill)
  if (cached !== undefined) return cached
  const plan = makePlan(skill)
  cache.set(skill, plan)
  return plan
}

function makePlan(skill: CallableSkill): RequestPlan {
  const { auth, query } = skill
  const endpoint = splitEndpoint(skill.endpoint)
  const named = listArgNames(skill)
  const hasSecret = listSecretNames(skill).length > 0
  const ownHeaders = { accept: ACCEPT[skill.responseAs], 'user-agent': USER_AGENT }
  const fixedHeaders = hasSecret ? undefined : makeFixedHeaders(skill, ownHeaders)
  return {
    endpoint,
    named,
    places: groupPlaces(skill.places),
    query: fixedFirst(Object.entries(query)),
    queryTemplates: Object.values(query),
    schemaNames: makeSchemaNames(skill, (name) => named.has(name) || endpoint.used.has(name)),
    auth: makeAuthPairs(auth),
    hasSecret,
    ownHeaders,
    fixedHeaders,
    fixedJsonHeaders:
      fixedHeaders && Object.freeze({ ...ownHeaders, 'content-type': JSON_TYPE, ...fixedHeaders }),
  }
}

function groupPlaces(places: readonly ArgumentPlace[] | undefined): PlacesPlan | undefined {
  if (places === undefined) return undefined
  const inside = (where: ArgumentPlace['in']) => places.filter((place) => place.in === where)
  return {
    all: places,
    path: new Map(inside('path').map((place) => [place.argument, place])),
    query: inside('query'),
    header: inside('header'),
    body: inside('body'),
  }
}

/** Puts fixed pairs first: servers read a limited number of pairs, and an argument may be many. */
function fixedFirst(pairs: readonly (readonly [string, Template])[]) {
  const isFixed = ([, template]: readonly [string, Template]) =>
    template.every(({ kind }) => kind === 'text' || kind === 'secret')
  return [...pairs.filter(isFixed), ...pairs.filter((pair) => !isFixed(pair))]
}

function makeSchemaNames(skill: CallableSkill, isTaken: (name: string) => boolean): SchemaNames {
  const { parameters } = skill
  const names = Object.keys(readObjectAt(parameters, 'properties')).filter((name) => !isTaken(name))
  const location = sendsRestInQuery(skill) ? 'query' : 'body'
  let made: SkillNames | undefined
  const claims = () => {
    made ??= collectSkillNames(skill, { arguments: names, location })
    return made
  }
  const free = names.filter((name) => findFixedClaim(claims()[location], name) === undefined)
  return { parameters, restIn: location, rest: new Set(names), free: new Set(free), claims }
}

/** True if arguments without a place go into the query, because the request has no body. */
export function sendsRestInQuery({
  bodyAs,
  method,
}: Pick<CallableSkill, 'bodyAs' | 'method'>): boolean {
  return bodyAs === 'none' || method === 'GET' || method === 'HEAD' || method === 'DELETE'
}

/** Returns undefined for a value that no header can carry, so that each call refuses the value. */
function makeFixedHeaders(skill: CallableSkill, ownHeaders: UpstreamRequest['headers']) {
  const isFixed = Object.values(skill.headers).every((template) =>
    template.every(({ kind }) => kind === 'text'),
  )
  if (!isFixed || skill.places?.some((place) => place.in === 'header') === true) return undefined
  const pairs = draftHeaderPairs(skill, { args: {}, input: {} })
  if (!pairs.ok) return undefined
  const own = pairs.value.map(
    ([name, value]) => [name, fillSecretPieces(value, new Map())] as const,
  )
  return Object.freeze({ ...ownHeaders, ...Object.fromEntries(own) })
}
