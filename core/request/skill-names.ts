/**
 * The names that a skill's requests have whatever a caller sends: those that its author fixed, and those
 * that arguments of its schema fill. Made once per skill, and only for calls that could meet one.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { ArgumentPlace } from '../skills/definition/argument-place.ts'
import type { BodyTemplate } from '../skills/definition/template.ts'
import type { Skill } from '../skills/skill.ts'
import { type Claim, type Claims, claimsOf } from './name-claims.ts'
import { headerPaths, memberPaths, pairPaths, segmentPaths } from './name-paths.ts'

export type SkillNames = {
  readonly query: Claims
  readonly body: Claims
  readonly header: Claims
  readonly path: Claims
  /** The body has pairs, which some servers mix with those of the query. */
  readonly hasForm: boolean
}

type Fixed = Pick<Skill, 'auth' | 'body' | 'bodyEncoding' | 'endpoint' | 'headers' | 'query'>

type NamedSkill = Fixed & Pick<Skill, 'bodyAs' | 'parameters' | 'places'>

/** Where the arguments of a schema without a place or a template go. */
export type SchemaRest = {
  readonly arguments: readonly string[]
  readonly room: 'query' | 'body'
}

export function skillNames(skill: NamedSkill, of: SchemaRest): SkillNames {
  const hasForm = isForm(skill)
  const inside = (where: ArgumentPlace['in']) => argumentClaims(skill, where)
  const rest = of.arguments.map((argument) => ({ name: argument, argument }))
  const inQuery = of.room === 'query' ? rest : []
  const inBody = of.room === 'body' ? rest : []
  const fixed = fixedNames(skill)
  const reading = hasForm ? pairPaths : memberPaths
  return {
    query: claimsOf(pairPaths, [...fixed.query, ...inside('query'), ...inQuery]),
    body: claimsOf(reading, [...fixed.body, ...inside('body'), ...inBody]),
    header: claimsOf(headerPaths, [...fixed.header, ...inside('header')]),
    path: claimsOf(segmentPaths, [...fixed.path, ...inside('path')]),
    hasForm,
  }
}

/** Members that the schema of an argument names. */
export function membersOf(parameters: JsonObject, argument: string): JsonObject {
  const schema = memberAt(objectAt(parameters, 'properties'), argument)
  return isJsonObject(schema) ? objectAt(schema, 'properties') : NONE
}

export function objectAt(schema: JsonObject, keyword: string): JsonObject {
  const value = schema[keyword]
  return isJsonObject(value) ? value : NONE
}

/** Whether each member of an object becomes a name of its own. */
export function spreads({ explode, in: where, style }: ArgumentPlace): boolean {
  if (style === 'deepObject') return true
  return explode && where !== 'header' && style !== 'json' && style !== 'file'
}

/** The name under which a member of the argument is sent. */
export function memberName({ name, style }: ArgumentPlace, member: string): string {
  return style === 'deepObject' ? `${name}[${member}]` : member
}

const NONE: JsonObject = {}

function memberAt(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function isForm({ body, bodyAs, bodyEncoding }: NamedSkill): boolean {
  if (bodyAs !== undefined) return bodyAs === 'form' || bodyAs === 'multipart'
  return bodyEncoding === 'form' && (body === undefined || fixedPairs(body).length > 0)
}

function argumentClaims(
  { parameters, places = [] }: NamedSkill,
  where: ArgumentPlace['in'],
): readonly Claim[] {
  return places
    .filter((place) => place.in === where)
    .flatMap((place) => {
      const { argument, name } = place
      const members = spreads(place) ? Object.keys(membersOf(parameters, argument)) : []
      const own: readonly Claim[] = isNamed(place) ? [{ name, argument }] : []
      return [
        ...own,
        ...members.map((member) => {
          return { name: memberName(place, member), argument, isMember: true } as const
        }),
      ]
    })
}

/** Whether the name of the place is written. In a path, only the matrix style does. */
export function isNamed({ in: where, name, style }: ArgumentPlace): boolean {
  return name !== '' && (where !== 'path' || style === 'matrix')
}

type FixedNames = { readonly [room in ArgumentPlace['in']]: readonly Claim[] }

export function fixedNames(skill: Fixed): FixedNames {
  const { auth, body, bodyEncoding, endpoint, headers, query } = skill
  const [path = '', own = ''] = endpoint.replace(/^https?:\/\/[^/?#]*/i, '').split('?', 2)
  const authQuery = auth?.type === 'query' ? [auth.name] : []
  return {
    query: fixed([...pairNames(own), ...Object.keys(query), ...authQuery]),
    body: fixed(body !== undefined && bodyEncoding === 'form' ? fixedPairs(body) : []),
    header: fixed([...Object.keys(headers), ...authHeader(auth)]),
    path: fixed(matrixNames(path)),
  }
}

function fixed(names: readonly string[]): readonly Claim[] {
  return names.map((name) => ({ name, argument: undefined }))
}

function pairNames(text: string): readonly string[] {
  return [...new URLSearchParams(text).keys()]
}

function authHeader(auth: Skill['auth']): readonly string[] {
  switch (auth?.type) {
    case undefined:
    case 'query':
      return []
    case 'header':
      return [auth.name]
    case 'cookie':
      return ['cookie']
    case 'bearer':
    case 'basic':
      return ['authorization']
    default:
      return auth satisfies never
  }
}

/** `;owner=us`, `;flag`, and `owner=us` behind a comma or a dot. */
function matrixNames(path: string): readonly string[] {
  return path
    .split(/(?=;)|[/,.]/)
    .filter((text) => text.startsWith(';') || text.includes('='))
    .map((text) => text.replace(/^;/, '').split('=', 1)[0] ?? '')
    .filter((name) => name !== '')
}

/** The names of a body template that is sent as a form. */
function fixedPairs(body: BodyTemplate): readonly string[] {
  switch (body.kind) {
    case 'object':
      return body.members.map(([name]) => name)
    case 'text':
      return pairNames(
        body.template.map((piece) => (piece.kind === 'text' ? piece.text : 'x')).join(''),
      )
    case 'fixed':
      if (typeof body.value === 'string') return pairNames(body.value)
      return isJsonObject(body.value) ? Object.keys(body.value) : []
    case 'list':
      return []
    default:
      return body satisfies never
  }
}
