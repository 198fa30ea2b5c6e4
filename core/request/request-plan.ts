/**
 * The parts of a skill's requests that are the same for every call, computed once per skill: its
 * endpoint's parts, the arguments its templates take, its credentials' pairs, and its fixed
 * headers. Holds no secret.
 */

import type { UpstreamRequest } from '../call/upstream.ts'
import type { JsonObject } from '../json/json.ts'
import type { Template } from '../skills/definition/template.ts'
import type { Skill } from '../skills/skill.ts'
import { authPairs } from './auth-pairs.ts'
import { JSON_TYPE } from './draft-body.ts'
import { headerPairs } from './draft-headers.ts'
import { argNamesOf, secretNamesOf } from './draft-names.ts'
import { type EndpointParts, endpointParts } from './fill-endpoint.ts'
import { finish } from './fill-template.ts'
import { fixedClaim } from './name-claims.ts'
import { type PlacesPlan, placesPlan } from './places-plan.ts'
import { objectAt, type SkillNames, skillNames } from './skill-names.ts'

export type CallableSkill = Pick<
  Skill,
  | 'auth'
  | 'body'
  | 'bodyAs'
  | 'bodyEncoding'
  | 'endpoint'
  | 'headers'
  | 'method'
  | 'parameters'
  | 'places'
  | 'query'
  | 'responseAs'
>

export type RequestPlan = {
  readonly endpoint: EndpointParts
  /** Arguments that a template or a place of their own takes; they are sent nowhere else. */
  readonly named: ReadonlySet<string>
  /** Undefined for a skill without `config.arguments`. */
  readonly places: PlacesPlan | undefined
  readonly query: readonly (readonly [name: string, template: Template])[]
  readonly queryTemplates: readonly Template[]
  readonly schemaNames: SchemaNames
  readonly auth: ReturnType<typeof authPairs>
  readonly hasSecret: boolean
  /** Our headers, which the skill's own headers may replace. */
  readonly ownHeaders: UpstreamRequest['headers']
  /** All headers except a body's content type; undefined when arguments fill some of them. */
  readonly fixedHeaders: UpstreamRequest['headers'] | undefined
  /** The same for a body of JSON, as most bodies are. */
  readonly fixedJsonHeaders: UpstreamRequest['headers'] | undefined
}

export type SchemaNames = {
  readonly parameters: JsonObject
  /** Where arguments without a place go. */
  readonly restIn: 'query' | 'body'
  /** Arguments of the schema without a template or a place. */
  readonly rest: ReadonlySet<string>
  /** Those of them under whose names the author fixed nothing. */
  readonly free: ReadonlySet<string>
  /** Made once, with the first call that asks. */
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

/** Keyed weakly, so that the cache keeps no skill alive. */
const known = new WeakMap<CallableSkill, RequestPlan>()

export function requestPlan(skill: CallableSkill): RequestPlan {
  const before = known.get(skill)
  if (before !== undefined) return before
  const plan = planOf(skill)
  known.set(skill, plan)
  return plan
}

function planOf(skill: CallableSkill): RequestPlan {
  const { auth, query } = skill
  const endpoint = endpointParts(skill.endpoint)
  const named = argNamesOf(skill)
  const hasSecret = secretNamesOf(skill).length > 0
  const ownHeaders = { accept: ACCEPT[skill.responseAs], 'user-agent': USER_AGENT }
  const fixedHeaders = hasSecret ? undefined : fixedHeadersOf(skill, ownHeaders)
  return {
    endpoint,
    named,
    places: placesPlan(skill.places),
    query: fixedFirst(Object.entries(query)),
    queryTemplates: Object.values(query),
    schemaNames: schemaNamesOf(skill, (name) => named.has(name) || endpoint.used.has(name)),
    auth: authPairs(auth),
    hasSecret,
    ownHeaders,
    fixedHeaders,
    fixedJsonHeaders:
      fixedHeaders && Object.freeze({ ...ownHeaders, 'content-type': JSON_TYPE, ...fixedHeaders }),
  }
}

/** Servers read a limited number of pairs, and an argument may make many. */
function fixedFirst(pairs: readonly (readonly [string, Template])[]) {
  const isFixed = ([, template]: readonly [string, Template]) =>
    template.every(({ kind }) => kind === 'text' || kind === 'secret')
  return [...pairs.filter(isFixed), ...pairs.filter((pair) => !isFixed(pair))]
}

function schemaNamesOf(skill: CallableSkill, isTaken: (name: string) => boolean): SchemaNames {
  const { parameters } = skill
  const names = Object.keys(objectAt(parameters, 'properties')).filter((name) => !isTaken(name))
  const room = takesQuery(skill) ? 'query' : 'body'
  let made: SkillNames | undefined
  const claims = () => {
    made ??= skillNames(skill, { arguments: names, room })
    return made
  }
  const free = names.filter((name) => fixedClaim(claims()[room], name) === undefined)
  return { parameters, restIn: room, rest: new Set(names), free: new Set(free), claims }
}

/** Arguments without a place go into the query where there is no body to take them. */
export function takesQuery({ bodyAs, method }: Pick<CallableSkill, 'bodyAs' | 'method'>): boolean {
  return bodyAs === 'none' || method === 'GET' || method === 'HEAD' || method === 'DELETE'
}

/** A value that no header can carry is not fixed, so that each call refuses it with a reason. */
function fixedHeadersOf(skill: CallableSkill, ownHeaders: UpstreamRequest['headers']) {
  const isFixed = Object.values(skill.headers).every((template) =>
    template.every(({ kind }) => kind === 'text'),
  )
  if (!isFixed || skill.places?.some((place) => place.in === 'header') === true) return undefined
  const pairs = headerPairs(skill, { args: {}, input: {} })
  if (!pairs.ok) return undefined
  const own = pairs.value.map(([name, value]) => [name, finish(value, new Map())] as const)
  return Object.freeze({ ...ownHeaders, ...Object.fromEntries(own) })
}
