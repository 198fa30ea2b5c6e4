/**
 * The names that a skill's requests always have: names that the author fixed, and names of the
 * schema's arguments. They are computed once per skill, and only for calls that could meet one.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { ArgumentPlace } from '../skills/definition/argument-place.ts'
import type { BodyTemplate } from '../skills/definition/template.ts'
import type { Skill } from '../skills/skill.ts'
import { type Claim, type Claims, indexClaims } from './name-claims.ts'
import { readHeaderPaths, readMemberPaths, readPairPaths, readSegmentPaths } from './name-paths.ts'

export type SkillNames = {
  readonly query: Claims
  readonly body: Claims
  readonly header: Claims
  readonly path: Claims
  /** True if the body has pairs, which some servers mix with pairs of the query. */
  readonly hasForm: boolean
}

type FixedParts = Pick<Skill, 'auth' | 'body' | 'bodyEncoding' | 'endpoint' | 'headers' | 'query'>

type NamedSkill = FixedParts & Pick<Skill, 'bodyAs' | 'parameters' | 'places'>

/** The arguments of a schema without a place or a template, and their location. */
export type SchemaRest = {
  readonly arguments: readonly string[]
  readonly location: 'query' | 'body'
}

/** Collects the claims of a skill by their location in the request. */
export function collectSkillNames(skill: NamedSkill, rest: SchemaRest): SkillNames {
  const hasForm = isForm(skill)
  const inside = (where: ArgumentPlace['in']) => listArgumentClaims(skill, where)
  const restClaims = rest.arguments.map((argument) => ({ name: argument, argument }))
  const inQuery = rest.location === 'query' ? restClaims : []
  const inBody = rest.location === 'body' ? restClaims : []
  const fixed = listFixedNames(skill)
  const reading = hasForm ? readPairPaths : readMemberPaths
  return {
    query: indexClaims(readPairPaths, [...fixed.query, ...inside('query'), ...inQuery]),
    body: indexClaims(reading, [...fixed.body, ...inside('body'), ...inBody]),
    header: indexClaims(readHeaderPaths, [...fixed.header, ...inside('header')]),
    path: indexClaims(readSegmentPaths, [...fixed.path, ...inside('path')]),
    hasForm,
  }
}

/** Returns the schema's properties of an argument. */
export function readArgumentProperties(parameters: JsonObject, argument: string): JsonObject {
  const schema = readMember(readObjectAt(parameters, 'properties'), argument)
  return isJsonObject(schema) ? readObjectAt(schema, 'properties') : EMPTY
}

/** Returns the object under a keyword; an empty object without one. */
export function readObjectAt(schema: JsonObject, keyword: string): JsonObject {
  const value = schema[keyword]
  return isJsonObject(value) ? value : EMPTY
}

/** True if each member of an object is written under a name of its own. */
export function isSpread({ explode, in: where, style }: ArgumentPlace): boolean {
  if (style === 'deepObject') return true
  return explode && where !== 'header' && style !== 'json' && style !== 'file'
}

/** Returns the name under which a member of the argument is written. */
export function writeMemberName({ name, style }: ArgumentPlace, member: string): string {
  return style === 'deepObject' ? `${name}[${member}]` : member
}

const EMPTY: JsonObject = {}

function readMember(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function isForm({ body, bodyAs, bodyEncoding }: NamedSkill): boolean {
  if (bodyAs !== undefined) return bodyAs === 'form' || bodyAs === 'multipart'
  return bodyEncoding === 'form' && (body === undefined || listFixedPairs(body).length > 0)
}

function listArgumentClaims(
  { parameters, places = [] }: NamedSkill,
  where: ArgumentPlace['in'],
): readonly Claim[] {
  return places
    .filter((place) => place.in === where)
    .flatMap((place) => {
      const { argument, name } = place
      const members = isSpread(place)
        ? Object.keys(readArgumentProperties(parameters, argument))
        : []
      const own: readonly Claim[] = hasWrittenName(place) ? [{ name, argument }] : []
      return [
        ...own,
        ...members.map((member) => {
          return { name: writeMemberName(place, member), argument, isMember: true } as const
        }),
      ]
    })
}

/** True if the name of the place is written. In a path, only the matrix style writes names. */
export function hasWrittenName({ in: where, name, style }: ArgumentPlace): boolean {
  return name !== '' && (where !== 'path' || style === 'matrix')
}

type FixedNames = { readonly [location in ArgumentPlace['in']]: readonly Claim[] }

/** Returns the names that the author fixed, by location. */
export function listFixedNames(skill: FixedParts): FixedNames {
  const { auth, body, bodyEncoding, endpoint, headers, query } = skill
  const [path = '', own = ''] = endpoint.replace(/^https?:\/\/[^/?#]*/i, '').split('?', 2)
  const authQuery = auth?.type === 'query' ? [auth.name] : []
  return {
    query: toFixedClaims([...listPairNames(own), ...Object.keys(query), ...authQuery]),
    body: toFixedClaims(body !== undefined && bodyEncoding === 'form' ? listFixedPairs(body) : []),
    header: toFixedClaims([...Object.keys(headers), ...listAuthHeaders(auth)]),
    path: toFixedClaims(listMatrixNames(path)),
  }
}

function toFixedClaims(names: readonly string[]): readonly Claim[] {
  return names.map((name) => ({ name, argument: undefined }))
}

function listPairNames(text: string): readonly string[] {
  return [...new URLSearchParams(text).keys()]
}

function listAuthHeaders(auth: Skill['auth']): readonly string[] {
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
    case 'oauth2':
      return ['authorization']
    default:
      return auth satisfies never
  }
}

/** Finds the names in `;owner=us`, in `;flag`, and in `owner=us` after a comma or a dot. */
function listMatrixNames(path: string): readonly string[] {
  return path
    .split(/(?=;)|[/,.]/)
    .filter((text) => text.startsWith(';') || text.includes('='))
    .map((text) => text.replace(/^;/, '').split('=', 1)[0] ?? '')
    .filter((name) => name !== '')
}

/** Returns the names of a body template that is sent as a form. */
function listFixedPairs(body: BodyTemplate): readonly string[] {
  switch (body.kind) {
    case 'object':
      return body.members.map(([name]) => name)
    case 'text':
      return listPairNames(
        body.template.map((piece) => (piece.kind === 'text' ? piece.text : 'x')).join(''),
      )
    case 'fixed':
      if (typeof body.value === 'string') return listPairNames(body.value)
      return isJsonObject(body.value) ? Object.keys(body.value) : []
    case 'list':
      return []
    default:
      return body satisfies never
  }
}
