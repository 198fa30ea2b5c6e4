/**
 * What of a skill's requests no call changes, found once a skill: which arguments its templates take,
 * what its credentials add, and its headers where they are fixed. Holds no argument and no secret.
 */
import type { Skill } from '../skills/skill.ts'
import type { Template } from '../skills/template.ts'
import { authPairs } from './auth-pairs.ts'
import { headerPairs } from './draft-headers.ts'
import { argNamesOf, secretNamesOf } from './draft-names.ts'
import { finish } from './fill-template.ts'
import type { UpstreamRequest } from './upstream.ts'

export type CallableSkill = Pick<
  Skill,
  'auth' | 'body' | 'bodyEncoding' | 'endpoint' | 'headers' | 'method' | 'query' | 'responseAs'
>

export type RequestPlan = {
  /** Arguments that a template takes: they are sent nowhere else. */
  readonly named: ReadonlySet<string>
  readonly query: readonly (readonly [name: string, template: Template])[]
  readonly queryTemplates: readonly Template[]
  /** Names that the author has fixed, those of the endpoint's own query aside. */
  readonly queryNames: ReadonlySet<string>
  readonly auth: ReturnType<typeof authPairs>
  readonly hasSecret: boolean
  /** Ours, which the skill's own headers may replace. */
  readonly ownHeaders: UpstreamRequest['headers']
  /** All of them, a body's content type aside; undefined where a call fills some. */
  readonly fixedHeaders: UpstreamRequest['headers'] | undefined
}

const ACCEPT: { readonly [as in Skill['responseAs']]: string } = {
  auto: 'application/json, text/*;q=0.9, */*;q=0.1',
  json: 'application/json',
  text: 'text/plain, text/*;q=0.9, */*;q=0.1',
  mcp: 'application/json',
}

/** Some APIs refuse requests without one. */
const USER_AGENT = 'Skillgate'

/** By the skill itself, so that nothing here keeps one alive: a stored one is read once. */
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
  const hasSecret = secretNamesOf(skill).length > 0
  const ownHeaders = { accept: ACCEPT[skill.responseAs], 'user-agent': USER_AGENT }
  const queryNames = new Set(Object.keys(query))
  if (auth?.type === 'query') queryNames.add(auth.name)
  return {
    named: argNamesOf(skill),
    query: Object.entries(query),
    queryTemplates: Object.values(query),
    queryNames,
    auth: authPairs(auth),
    hasSecret,
    ownHeaders,
    fixedHeaders: hasSecret ? undefined : fixedHeadersOf(skill, ownHeaders),
  }
}

/** A value that no header can carry is left for each call to refuse. */
function fixedHeadersOf(skill: CallableSkill, ownHeaders: UpstreamRequest['headers']) {
  const isFixed = Object.values(skill.headers).every((template) =>
    template.every(({ kind }) => kind === 'text'),
  )
  if (!isFixed) return undefined
  const pairs = headerPairs(skill, { args: {}, input: {} })
  if (!pairs.ok) return undefined
  const own = pairs.value.map(([name, value]) => [name, finish(value, new Map())] as const)
  return Object.freeze({ ...ownHeaders, ...Object.fromEntries(own) })
}
