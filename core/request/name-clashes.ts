/**
 * Refuses arguments that would be sent under a name of someone else: a name that the skill's author
 * fixed, or a name of another argument. Servers use the first or the last value of a repeated name,
 * or a list, so no order protects the author's value. Bound by docs/design/calls.md#names-in-a-request.
 *
 * The caller chooses a name if the schema does not have that argument or member. Such names may not
 * meet names of the query or of a form, because some servers mix the two.
 */
import { PAIR_NAMES_MAX } from '../call/limits.ts'
import type { FieldError } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { toJsonPointer } from '../json/json-pointer.ts'
import type { ArgumentPlace } from '../skills/definition/argument-place.ts'
import {
  type Claim,
  type Claims,
  findFixedClaim,
  findMetClaim,
  indexClaims,
} from './name-claims.ts'
import type { RequestPlan } from './request-plan.ts'
import {
  hasWrittenName,
  isSpread,
  readArgumentProperties,
  readObjectAt,
  type SkillNames,
  writeMemberName,
} from './skill-names.ts'
import type { StyledPair } from './style-text.ts'

type Rest = readonly (readonly [string, Json])[]

/** One name that an argument writes. */
type WrittenName = {
  readonly name: string
  /** The argument whose own claims are ignored. */
  readonly self: string
  readonly at: readonly string[]
  readonly location: ArgumentPlace['in']
  /** Where the name comes from. */
  readonly by: 'place' | 'schema' | 'caller'
}

/** Returns at most one field error per argument. `rest` has the arguments without a place. */
export function findNameClashes(
  plan: RequestPlan,
  args: JsonObject,
  rest: Rest,
): readonly FieldError[] {
  const { places, schemaNames } = plan
  if (places === undefined && rest.every(([name]) => schemaNames.free.has(name))) return []
  const names = schemaNames.claims()
  const written = [...listPlacedNames(plan, args), ...listRestNames(plan, rest)]
  const inPairs = written.filter(({ location }) => location !== 'body' || names.hasForm)
  if (inPairs.length > PAIR_NAMES_MAX) {
    return [{ pointer: '', message: `make over ${PAIR_NAMES_MAX} pairs; send fewer members` }]
  }
  const faults = new Map<string, FieldError>()
  const addError = (one: WrittenName, claim: Claim | undefined) => {
    const [argument = ''] = one.at
    if (claim !== undefined && !faults.has(argument)) faults.set(argument, toFieldError(one, claim))
  }
  for (const one of written) addError(one, findClaim(names, one))
  for (const [one, claim] of findMemberClashes(names, written)) addError(one, claim)
  return [...faults.values()]
}

function listPlacedNames(
  { places, schemaNames }: RequestPlan,
  args: JsonObject,
): readonly WrittenName[] {
  return (places?.all ?? []).flatMap((place): readonly WrittenName[] => {
    const value = Object.hasOwn(args, place.argument) ? args[place.argument] : undefined
    if (value === undefined || value === null) return []
    const spread = typeof value === 'object' ? listSpreadNames(place, value) : undefined
    if (spread === undefined) return hasWrittenName(place) ? [toOwnName(place)] : []
    const schemaMembers = readArgumentProperties(schemaNames.parameters, place.argument)
    return spread.map((one) => toMemberName(place, one, schemaMembers))
  })
}

function toOwnName({ argument, in: location, name }: ArgumentPlace): WrittenName {
  return { name, self: argument, at: [argument], location, by: 'place' }
}

function toMemberName(
  place: ArgumentPlace,
  { member, name }: Pick<StyledPair, 'member' | 'name'>,
  schemaMembers: JsonObject,
): WrittenName {
  if (member === undefined) return { ...toOwnName(place), name }
  const { argument, in: location } = place
  const by = Object.hasOwn(schemaMembers, member) ? 'schema' : 'caller'
  return { name, self: argument, at: [argument, member], location, by }
}

/**
 * Lists the names of a value's members. Values inside a member are not listed, because their names
 * start with the member's name. Returns undefined if the value is written under the name of its
 * place, or without a name.
 */
function listSpreadNames(
  place: ArgumentPlace,
  value: readonly Json[] | JsonObject,
): readonly Pick<StyledPair, 'member' | 'name'>[] | undefined {
  const { in: location, name, style } = place
  if (!isJsonObject(value)) return style === 'deepObject' ? [{ name: `${name}[]` }] : undefined
  const isWhole = location === 'body' && name === ''
  if (!isWhole && !isSpread(place)) return undefined
  return Object.entries(value)
    .filter(([, inner]) => inner !== null)
    .map(([member]) => ({ member, name: writeMemberName(place, member) }))
}

function listRestNames({ schemaNames }: RequestPlan, rest: Rest): readonly WrittenName[] {
  const properties = readObjectAt(schemaNames.parameters, 'properties')
  const location = schemaNames.restIn
  return rest
    .filter(([, value]) => value !== null)
    .map(([name]) => {
      const by = Object.hasOwn(properties, name) ? 'place' : 'caller'
      return { name, self: by === 'caller' ? NO_ARGUMENT : name, at: [name], location, by }
    })
}

/** An argument that is not in the schema has no claims of its own. */
const NO_ARGUMENT = ''

function findClaim(
  names: SkillNames,
  { by, location, name, self }: WrittenName,
): Claim | undefined {
  const own = names[location]
  switch (by) {
    case 'place':
      return findFixedClaim(own, name)
    case 'schema':
      return findMetClaim(own, name, ({ argument, isMember }) => {
        return argument === undefined || (argument !== self && isMember !== true)
      })
    case 'caller':
      return listMixedClaims(names, location)
        .map((claims) =>
          findMetClaim(
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

/** Returns the claims of all locations that some servers mix with this one. */
function listMixedClaims(names: SkillNames, location: ArgumentPlace['in']): readonly Claims[] {
  return toPairLocation(names, location) === 'query' && names.hasForm
    ? [names.query, names.body]
    : [names[location]]
}

/** Finds members of two arguments that have the same name. */
function findMemberClashes(
  names: SkillNames,
  written: readonly WrittenName[],
): readonly (readonly [WrittenName, Claim | undefined])[] {
  const members = written.filter(({ at }) => at.length > 1)
  if (new Set(members.map(({ self }) => self)).size < 2) return []
  return MEMBER_LOCATIONS.flatMap((location) => {
    const inside = members.filter((one) => toPairLocation(names, one.location) === location)
    const claims = indexClaims(
      names[location].reading,
      inside.map(({ name, self }) => ({ name, argument: self })),
    )
    return inside.map((one) => {
      return [one, findMetClaim(claims, one.name, ({ argument }) => argument !== one.self)] as const
    })
  })
}

const MEMBER_LOCATIONS = ['query', 'body', 'path'] as const

/** Treats pairs of a form as pairs of the query. */
function toPairLocation(
  { hasForm }: SkillNames,
  location: ArgumentPlace['in'],
): ArgumentPlace['in'] {
  return hasForm && location === 'body' ? 'query' : location
}

const NAME_UNITS_SHOWN = 80

function toFieldError({ at, name }: WrittenName, { argument }: Claim): FieldError {
  const sent = `would be sent as ${JSON.stringify(name.slice(0, NAME_UNITS_SHOWN))}`
  const owner =
    argument === undefined ? 'which this tool sets itself' : `a name of the argument ${argument}`
  return { pointer: toJsonPointer(at), message: `${sent}, ${owner}; leave it out` }
}
