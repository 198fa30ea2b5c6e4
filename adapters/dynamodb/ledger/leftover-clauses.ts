/**
 * Leftovers (core/ledger/leftovers.ts) in a write of the profile that has other work to do: each is removed if it
 * stands, by its number. Another hold of the same call refuses the write.
 */
import type { Leftover, Profile } from '../../../core/ledger/ledger.ts'

export type LeftoverClauses = {
  readonly remove: readonly string[]
  /** Each is gone, or is the one that is meant. */
  readonly if: readonly string[]
  /** All of them stand; undefined without any. */
  readonly all: string | undefined
  readonly names: { readonly [name: string]: string }
  readonly values: { readonly [name: string]: number }
}

export function leftoverClauses(leftovers: readonly Leftover[]): LeftoverClauses {
  const places = leftovers.map((_, index) => `#placements.#left${index}`)
  const isMeant = places.map((place, index) => `${place} = :left${index}`)
  return {
    remove: places.flatMap((place, index) => [`#holds.#left${index}`, place]),
    if: places.map((place, index) => `(attribute_not_exists(${place}) OR ${isMeant[index]})`),
    all: leftovers.length === 0 ? undefined : isMeant.join(' AND '),
    names: Object.fromEntries(leftovers.map(({ callId }, index) => [`left${index}`, callId])),
    values: Object.fromEntries(
      leftovers.map(({ placement }, index) => [`left${index}`, placement]),
    ),
  }
}

/** Those that stand in this profile. */
export function standingLeftovers(
  leftovers: readonly Leftover[],
  { holds }: Pick<Profile, 'holds'>,
): readonly Leftover[] {
  return leftovers.filter(
    ({ callId, placement }) =>
      Object.hasOwn(holds, callId) && holds[callId]?.placement === placement,
  )
}
