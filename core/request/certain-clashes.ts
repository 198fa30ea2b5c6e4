/**
 * Finds name clashes that a skill has in every call: an argument under a name that the author
 * fixed, two arguments under one name, a credential under a name of the query. A sync refuses such
 * a skill; name-clashes.ts checks the names that a call adds.
 */
import type { FieldError } from '../errors.ts'
import { toJsonPointer } from '../json/json-pointer.ts'
import type { ArgumentPlace } from '../skills/definition/argument-place.ts'
import type { Skill } from '../skills/skill.ts'
import { type Claims, findSameClaim, indexClaims } from './name-claims.ts'
import { readHeaderPaths, readPairPaths } from './name-paths.ts'
import { getRequestPlan } from './request-plan.ts'
import {
  hasWrittenName,
  isSpread,
  listFixedNames,
  readArgumentProperties,
  writeMemberName,
} from './skill-names.ts'

/** Returns a field error for each clash, with a pointer into the definition. */
export function findCertainClashes(skill: Skill): readonly FieldError[] {
  const { schemaNames } = getRequestPlan(skill)
  const names = schemaNames.claims()
  const argumentNames = [...(skill.places ?? []).map(toArgumentName), ...listRestNames(skill)]
  return [
    ...argumentNames.flatMap((one) => findArgumentClash(names[one.location], one)),
    ...(skill.places ?? []).flatMap((place) => findMemberClashes(skill, names[place.in], place)),
    ...findRepeatedNames(argumentNames.filter(({ isWritten }) => isWritten)),
    ...findAuthClash(skill),
  ]
}

type ArgumentName = {
  readonly argument: string
  readonly name: string
  readonly location: ArgumentPlace['in']
  readonly pointer: string
  /** False if only members of the argument are written. */
  readonly isWritten: boolean
}

function toArgumentName(place: ArgumentPlace): ArgumentName {
  const { argument, in: location, name } = place
  const pointer = `/config/arguments${toJsonPointer([argument])}`
  return { argument, name, location, pointer, isWritten: hasWrittenName(place) }
}

/** Lists the arguments without a place or a template. */
function listRestNames(skill: Skill): readonly ArgumentName[] {
  const { rest, restIn: location } = getRequestPlan(skill).schemaNames
  // A skill with a body template does not send such arguments.
  if (location === 'body' && skill.body !== undefined) return []
  return [...rest].map((argument) => {
    const pointer = `/meta/parameters/properties${toJsonPointer([argument])}`
    return { argument, name: argument, location, pointer, isWritten: true }
  })
}

function findArgumentClash(claims: Claims, { isWritten, name, pointer }: ArgumentName) {
  return isWritten ? findFixedClash(claims, name, pointer) : []
}

function findMemberClashes(
  { parameters }: Skill,
  claims: Claims,
  place: ArgumentPlace,
): readonly FieldError[] {
  if (!isSpread(place)) return []
  const { argument } = place
  return Object.keys(readArgumentProperties(parameters, argument)).flatMap((member) => {
    const pointer = `/meta/parameters/properties${toJsonPointer([argument, 'properties', member])}`
    return findFixedClash(claims, writeMemberName(place, member), pointer)
  })
}

function findFixedClash(claims: Claims, name: string, pointer: string): readonly FieldError[] {
  const met = findSameClaim(claims, name, ({ argument }) => argument === undefined)
  if (met === undefined) return []
  const message = `is sent under the name ${met.name}, which the skill fixes itself; remove one of them`
  return [{ pointer, message }]
}

/** Names of two arguments may differ in case alone, as in `Limit` and `limit`; headers may not. */
function findRepeatedNames(all: readonly ArgumentName[]): readonly FieldError[] {
  const before = new Map<string, string>()
  return all.flatMap(({ argument, location, name, pointer }) => {
    const key = `${location}\n${location === 'header' ? readHeaderPaths(name).join('') : name}`
    const other = before.get(key)
    before.set(key, other ?? argument)
    if (other === undefined) return []
    const message = `is sent under the name ${name}, as the argument ${other} is; give one of them another name`
    return [{ pointer, message }]
  })
}

/** Checks only query credentials: `config.query` and headers are compared when a skill is read. */
function findAuthClash(skill: Skill): readonly FieldError[] {
  const { auth } = skill
  if (auth?.type !== 'query') return []
  const others = indexClaims(readPairPaths, listFixedNames({ ...skill, auth: undefined }).query)
  return findFixedClash(others, auth.name, '/config/auth/name')
}
