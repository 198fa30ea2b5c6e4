/**
 * Claims: names of pairs that belong to the author of a skill or to an argument of its schema. A
 * name meets a claim if some server reads the two as equal, or one as a part of the other:
 * `tenant[x]` replaces `tenant`.
 */
import type { NamePath, NameReading } from './name-paths.ts'

export type Claim = {
  readonly name: string
  /** The argument that owns the name; undefined if the author fixed the name. */
  readonly argument: string | undefined
  /** True if the name is of a member of the argument, not of the argument's own place. */
  readonly isMember?: true
}

export type Claims = {
  readonly reading: NameReading
  /** Claims by the complete path of the name. */
  readonly whole: ReadonlyMap<string, readonly Claim[]>
  /** Claims by each shorter start of the path. */
  readonly begun: ReadonlyMap<string, readonly Claim[]>
  /** Number of parts of the longest path. */
  readonly depth: number
}

/** Indexes claims by every path under which `reading` reads their names. */
export function indexClaims(reading: NameReading, all: readonly Claim[]): Claims {
  const whole = new Map<string, Claim[]>()
  const begun = new Map<string, Claim[]>()
  const paths = all.flatMap((claim) => reading(claim.name).map((path) => ({ claim, path })))
  for (const { claim, path } of paths) {
    const keys = listKeys(path, path.length)
    for (const [index, key] of keys.entries()) {
      addClaim(index === keys.length - 1 ? whole : begun, key, claim)
    }
  }
  const depth = paths.reduce((longest, { path }) => Math.max(longest, path.length), 0)
  return { reading, whole, begun, depth }
}

/** Adds one claim for all members of an argument that start alike. */
function addClaim(map: Map<string, Claim[]>, key: string, claim: Claim): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [claim])
  else if (!list.some((one) => hasSameOwner(one, claim))) list.push(claim)
}

function hasSameOwner(one: Claim, other: Claim): boolean {
  return one.argument === other.argument && one.isMember === other.isMember
}

/** Returns the first claim that the name meets and for which `counts` returns true. */
export function findMetClaim(
  claims: Claims,
  name: string,
  counts: (claim: Claim) => boolean,
): Claim | undefined {
  if (claims.depth === 0) return undefined
  for (const path of claims.reading(name)) {
    const met = findByPath(claims, path, counts)
    if (met !== undefined) return met
  }
  return undefined
}

function findByPath(
  { begun, depth, whole }: Claims,
  path: NamePath,
  counts: (claim: Claim) => boolean,
): Claim | undefined {
  const keys = listKeys(path, depth)
  for (const key of keys) {
    const met = whole.get(key)?.find(counts)
    if (met !== undefined) return met
  }
  const last = path.length <= depth ? keys.at(-1) : undefined
  return last === undefined ? undefined : begun.get(last)?.find(counts)
}

/** Returns the author's fixed name that this name meets. */
export function findFixedClaim(claims: Claims, name: string): Claim | undefined {
  return findMetClaim(claims, name, ({ argument }) => argument === undefined)
}

/** Returns a claim of exactly this name, in any spelling that servers read as equal. */
export function findSameClaim(
  { reading, whole }: Claims,
  name: string,
  counts: (claim: Claim) => boolean,
): Claim | undefined {
  for (const path of reading(name)) {
    const met = whole.get(listKeys(path, path.length).at(-1) ?? '')?.find(counts)
    if (met !== undefined) return met
  }
  return undefined
}

/** Returns one key for each start of the path, up to `depth` parts. */
function listKeys(path: NamePath, depth: number): readonly string[] {
  const keys: string[] = []
  let key = ''
  for (const part of path.slice(0, depth)) {
    key += `${part}\n`
    keys.push(key)
  }
  return keys
}
