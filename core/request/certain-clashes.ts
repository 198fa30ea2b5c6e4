/**
 * Finds name clashes that a skill has in every call: an argument under a name that the author
 * fixed, two arguments under one name, a credential under a name of the query. A sync refuses such
 * a skill; name-clashes.ts checks the names that a call adds.
 */
import type { FieldFault } from '../errors.ts'
import { jsonPointer } from '../json/json-pointer.ts'
import type { ArgumentPlace } from '../skills/definition/argument-place.ts'
import type { Skill } from '../skills/skill.ts'
import { type Claims, claimsOf, sameClaim } from './name-claims.ts'
import { headerPaths, pairPaths } from './name-paths.ts'
import { requestPlan } from './request-plan.ts'
import { fixedNames, isNamed, memberName, membersOf, spreads } from './skill-names.ts'

/** Returns a field error for each clash, with a pointer into the definition. */
export function certainClashes(skill: Skill): readonly FieldFault[] {
  const { schemaNames } = requestPlan(skill)
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
  const pointer = `/config/arguments${jsonPointer([argument])}`
  return { argument, name, location, pointer, isWritten: isNamed(place) }
}

/** Lists the arguments without a place or a template. */
function listRestNames(skill: Skill): readonly ArgumentName[] {
  const { rest, restIn: location } = requestPlan(skill).schemaNames
  // A skill with a body template does not send such arguments.
  if (location === 'body' && skill.body !== undefined) return []
  return [...rest].map((argument) => {
    const pointer = `/meta/parameters/properties${jsonPointer([argument])}`
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
): readonly FieldFault[] {
  if (!spreads(place)) return []
  const { argument } = place
  return Object.keys(membersOf(parameters, argument)).flatMap((member) => {
    const pointer = `/meta/parameters/properties${jsonPointer([argument, 'properties', member])}`
    return findFixedClash(claims, memberName(place, member), pointer)
  })
}

function findFixedClash(claims: Claims, name: string, pointer: string): readonly FieldFault[] {
  const met = sameClaim(claims, name, ({ argument }) => argument === undefined)
  if (met === undefined) return []
  const message = `is sent under the name ${met.name}, which the skill fixes itself; remove one of them`
  return [{ pointer, message }]
}

/** Names of two arguments may differ in case alone, as in `Limit` and `limit`; headers may not. */
function findRepeatedNames(all: readonly ArgumentName[]): readonly FieldFault[] {
  const before = new Map<string, string>()
  return all.flatMap(({ argument, location, name, pointer }) => {
    const key = `${location}\n${location === 'header' ? headerPaths(name).join('') : name}`
    const other = before.get(key)
    before.set(key, other ?? argument)
    if (other === undefined) return []
    const message = `is sent under the name ${name}, as the argument ${other} is; give one of them another name`
    return [{ pointer, message }]
  })
}

/** Checks only query credentials: `config.query` and headers are compared when a skill is read. */
function findAuthClash(skill: Skill): readonly FieldFault[] {
  const { auth } = skill
  if (auth?.type !== 'query') return []
  const others = claimsOf(pairPaths, fixedNames({ ...skill, auth: undefined }).query)
  return findFixedClash(others, auth.name, '/config/auth/name')
}
