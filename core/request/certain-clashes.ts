/**
 * Faults of a skill in which two names are the same whatever a caller sends: an argument under a name that
 * the author fixed, two arguments under one name, a credential under a name of the query. For the sync of a
 * skill; name-clashes.ts judges what a call adds.
 */
import type { FieldFault } from '../errors.ts'
import { jsonPointer } from '../json/json-pointer.ts'
import type { ArgumentPlace } from '../skills/definition/argument-place.ts'
import type { Skill } from '../skills/skill.ts'
import { type Claims, claimsOf, sameClaim } from './name-claims.ts'
import { headerPaths, pairPaths } from './name-paths.ts'
import { requestPlan } from './request-plan.ts'
import { fixedNames, isNamed, memberName, membersOf, spreads } from './skill-names.ts'

/** Pointers into the definition. */
export function certainClashes(skill: Skill): readonly FieldFault[] {
  const { schemaNames } = requestPlan(skill)
  const names = schemaNames.claims()
  const arguments_ = [...(skill.places ?? []).map(placedName), ...restNames(skill)]
  return [
    ...arguments_.flatMap((one) => fixedFault(names[one.room], one)),
    ...(skill.places ?? []).flatMap((place) => memberFaults(skill, names[place.in], place)),
    ...twiceFaults(arguments_.filter(({ isWritten }) => isWritten)),
    ...authFaults(skill),
  ]
}

type ArgumentName = {
  readonly argument: string
  readonly name: string
  readonly room: ArgumentPlace['in']
  readonly pointer: string
  /** False where only members of the argument are written. */
  readonly isWritten: boolean
}

function placedName(place: ArgumentPlace): ArgumentName {
  const { argument, in: room, name } = place
  const pointer = `/config/arguments${jsonPointer([argument])}`
  return { argument, name, room, pointer, isWritten: isNamed(place) }
}

function restNames(skill: Skill): readonly ArgumentName[] {
  const { rest, restIn: room } = requestPlan(skill).schemaNames
  // With a template for its body, a skill sends such arguments nowhere.
  if (room === 'body' && skill.body !== undefined) return []
  return [...rest].map((argument) => {
    const pointer = `/meta/parameters/properties${jsonPointer([argument])}`
    return { argument, name: argument, room, pointer, isWritten: true }
  })
}

function fixedFault(claims: Claims, { isWritten, name, pointer }: ArgumentName) {
  return isWritten ? fixedIn(claims, name, pointer) : []
}

function memberFaults(
  { parameters }: Skill,
  claims: Claims,
  place: ArgumentPlace,
): readonly FieldFault[] {
  if (!spreads(place)) return []
  const { argument } = place
  return Object.keys(membersOf(parameters, argument)).flatMap((member) => {
    const pointer = `/meta/parameters/properties${jsonPointer([argument, 'properties', member])}`
    return fixedIn(claims, memberName(place, member), pointer)
  })
}

function fixedIn(claims: Claims, name: string, pointer: string): readonly FieldFault[] {
  const met = sameClaim(claims, name, ({ argument }) => argument === undefined)
  if (met === undefined) return []
  const message = `is sent under the name ${met.name}, which the skill fixes itself; remove one of them`
  return [{ pointer, message }]
}

/** Two arguments of an author may differ in case, as in `Limit` and `limit`; headers may not. */
function twiceFaults(all: readonly ArgumentName[]): readonly FieldFault[] {
  const before = new Map<string, string>()
  return all.flatMap(({ argument, name, pointer, room }) => {
    const key = `${room}\n${room === 'header' ? headerPaths(name).join('') : name}`
    const other = before.get(key)
    before.set(key, other ?? argument)
    if (other === undefined) return []
    const message = `is sent under the name ${name}, as the argument ${other} is; give one of them another name`
    return [{ pointer, message }]
  })
}

/** The names of `config.query` and of headers are compared when the skill is read. */
function authFaults(skill: Skill): readonly FieldFault[] {
  const { auth } = skill
  if (auth?.type !== 'query') return []
  const beside = claimsOf(pairPaths, fixedNames({ ...skill, auth: undefined }).query)
  return fixedIn(beside, auth.name, '/config/auth/name')
}
