/**
 * Refuses arguments that would be sent under a name that is not theirs: one that the author of the skill
 * fixed, or one that another argument fills. Servers read a name that comes twice as the first, the last
 * or a list, so neither order would protect the author's value. Bound by ADR 0095.
 *
 * A name is *chosen* where the caller, and not the schema, has it: an argument or a member that the schema
 * does not name. Chosen names keep away from the query and from a form, since some servers mix the two.
 */

import { PAIR_NAMES_MAX } from '../call/limits.ts'
import type { FieldFault } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { jsonPointer } from '../json/json-pointer.ts'
import type { ArgumentPlace } from '../skills/definition/argument-place.ts'
import { type Claim, type Claims, claimsOf, fixedClaim, metClaim } from './name-claims.ts'
import type { RequestPlan } from './request-plan.ts'
import {
  isNamed,
  memberName,
  membersOf,
  objectAt,
  type SkillNames,
  spreads,
} from './skill-names.ts'
import type { StyledPair } from './style-text.ts'

type Rest = readonly (readonly [string, Json])[]

/** One name that an argument writes. `self` excludes the argument's own claims. */
type Written = {
  readonly name: string
  readonly self: string
  readonly at: readonly string[]
  readonly room: ArgumentPlace['in']
  readonly by: 'place' | 'schema' | 'caller'
}

/** One fault for each argument at most. `rest` holds the arguments without a place. */
export function nameFaults(plan: RequestPlan, args: JsonObject, rest: Rest): readonly FieldFault[] {
  const { places, schemaNames } = plan
  if (places === undefined && rest.every(([name]) => schemaNames.free.has(name))) return []
  const names = schemaNames.claims()
  const written = [...placedNames(plan, args), ...restNames(plan, rest)]
  if (written.filter(({ room }) => room !== 'body' || names.hasForm).length > PAIR_NAMES_MAX) {
    return [{ pointer: '', message: `make over ${PAIR_NAMES_MAX} pairs; send fewer members` }]
  }
  const faults = new Map<string, FieldFault>()
  const note = (one: Written, claim: Claim | undefined) => {
    const [argument = ''] = one.at
    if (claim !== undefined && !faults.has(argument)) faults.set(argument, faultOf(one, claim))
  }
  for (const one of written) note(one, metBy(names, one))
  for (const [one, claim] of metAmongMembers(names, written)) note(one, claim)
  return [...faults.values()]
}

function placedNames({ places, schemaNames }: RequestPlan, args: JsonObject): readonly Written[] {
  return (places?.all ?? []).flatMap((place): readonly Written[] => {
    const value = Object.hasOwn(args, place.argument) ? args[place.argument] : undefined
    if (value === undefined || value === null) return []
    const spread = typeof value === 'object' ? spreadNames(place, value) : undefined
    if (spread === undefined) return isNamed(place) ? [ownName(place)] : []
    const known = membersOf(schemaNames.parameters, place.argument)
    return spread.map((one) => memberWritten(place, one, known))
  })
}

function ownName({ argument, in: room, name }: ArgumentPlace): Written {
  return { name, self: argument, at: [argument], room, by: 'place' }
}

function memberWritten(
  place: ArgumentPlace,
  { member, name }: Pick<StyledPair, 'member' | 'name'>,
  known: JsonObject,
): Written {
  if (member === undefined) return { ...ownName(place), name }
  const { argument, in: room } = place
  const by = Object.hasOwn(known, member) ? 'schema' : 'caller'
  return { name, self: argument, at: [argument, member], room, by }
}

/**
 * Undefined where the value is written under the name of its place, or under none. What is nested in a
 * member counts by the member's name, which begins all names in it.
 */
function spreadNames(
  place: ArgumentPlace,
  value: readonly Json[] | JsonObject,
): readonly Pick<StyledPair, 'member' | 'name'>[] | undefined {
  const { in: room, name, style } = place
  if (!isJsonObject(value)) return style === 'deepObject' ? [{ name: `${name}[]` }] : undefined
  const isWhole = room === 'body' && name === ''
  if (!isWhole && !spreads(place)) return undefined
  return Object.entries(value)
    .filter(([, inner]) => inner !== null)
    .map(([member]) => ({ member, name: memberName(place, member) }))
}

function restNames({ schemaNames }: RequestPlan, rest: Rest): readonly Written[] {
  const known = objectAt(schemaNames.parameters, 'properties')
  const room = schemaNames.restIn
  return rest
    .filter(([, value]) => value !== null)
    .map(([name]) => {
      const by = Object.hasOwn(known, name) ? 'place' : 'caller'
      return { name, self: by === 'caller' ? NOBODY : name, at: [name], room, by }
    })
}

/** Arguments that the schema does not name have no claims. */
const NOBODY = ''

function metBy(names: SkillNames, { by, name, room, self }: Written): Claim | undefined {
  const own = names[room]
  switch (by) {
    case 'place':
      return fixedClaim(own, name)
    case 'schema':
      return metClaim(own, name, ({ argument, isMember }) => {
        return argument === undefined || (argument !== self && isMember !== true)
      })
    case 'caller':
      return roomsOf(names, room)
        .map((claims) =>
          metClaim(
            claims,
            name,
            ({ argument, isMember }) => argument !== self || isMember === true,
          ),
        )
        .find((claim) => claim !== undefined)
    default:
      return by satisfies never
  }
}

function roomsOf(names: SkillNames, room: ArgumentPlace['in']): readonly Claims[] {
  return poolOf(names, room) === 'query' && names.hasForm
    ? [names.query, names.body]
    : [names[room]]
}

/** Two arguments whose members have one name. */
function metAmongMembers(
  names: SkillNames,
  written: readonly Written[],
): readonly (readonly [Written, Claim | undefined])[] {
  const members = written.filter(({ at }) => at.length > 1)
  if (new Set(members.map(({ self }) => self)).size < 2) return []
  return ROOMS.flatMap((room) => {
    const inside = members.filter((one) => poolOf(names, one.room) === room)
    const claims = claimsOf(
      names[room].reading,
      inside.map(({ name, self }) => ({ name, argument: self })),
    )
    return inside.map((one) => {
      return [one, metClaim(claims, one.name, ({ argument }) => argument !== one.self)] as const
    })
  })
}

const ROOMS = ['query', 'body', 'path'] as const

/** Pairs of a form count as pairs of the query. */
function poolOf({ hasForm }: SkillNames, room: ArgumentPlace['in']): ArgumentPlace['in'] {
  return hasForm && room === 'body' ? 'query' : room
}

const NAME_UNITS_SHOWN = 80

function faultOf({ at, name }: Written, { argument }: Claim): FieldFault {
  const sent = `would be sent as ${JSON.stringify(name.slice(0, NAME_UNITS_SHOWN))}`
  const owner =
    argument === undefined ? 'which this tool sets itself' : `a name of the argument ${argument}`
  return { pointer: jsonPointer(at), message: `${sent}, ${owner}; leave it out` }
}
