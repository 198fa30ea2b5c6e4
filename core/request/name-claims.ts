/**
 * Names of pairs that belong to the author of a skill or to an argument of its schema. A name meets a claim
 * when some server reads the two as the same, or one as a part of the other: `tenant[x]` replaces `tenant`.
 */
import type { NamePath, NameReading } from './name-paths.ts'

export type Claim = {
  readonly name: string
  /** Undefined: the author fixed the name. */
  readonly argument: string | undefined
  /** Of a member of the argument that the schema names, and not of the argument's own place. */
  readonly isMember?: true
}

export type Claims = {
  readonly reading: NameReading
  /** By the paths of the claimed names, and by the beginnings of these paths. */
  readonly whole: ReadonlyMap<string, readonly Claim[]>
  readonly begun: ReadonlyMap<string, readonly Claim[]>
  /** Parts of the longest path. */
  readonly depth: number
}

export function claimsOf(reading: NameReading, all: readonly Claim[]): Claims {
  const whole = new Map<string, Claim[]>()
  const begun = new Map<string, Claim[]>()
  const paths = all.flatMap((claim) => reading(claim.name).map((path) => ({ claim, path })))
  for (const { claim, path } of paths) {
    const keys = keysOf(path, path.length)
    for (const [index, key] of keys.entries()) {
      add(index === keys.length - 1 ? whole : begun, key, claim)
    }
  }
  const depth = paths.reduce((longest, { path }) => Math.max(longest, path.length), 0)
  return { reading, whole, begun, depth }
}

/** Of many members of one argument with a common beginning, one is enough. */
function add(map: Map<string, Claim[]>, key: string, claim: Claim): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [claim])
  else if (!known.some((one) => isAlike(one, claim))) known.push(claim)
}

function isAlike(one: Claim, other: Claim): boolean {
  return one.argument === other.argument && one.isMember === other.isMember
}

/** The first claim that the name meets and that `counts`. */
export function metClaim(
  claims: Claims,
  name: string,
  counts: (claim: Claim) => boolean,
): Claim | undefined {
  if (claims.depth === 0) return undefined
  for (const path of claims.reading(name)) {
    const met = metByPath(claims, path, counts)
    if (met !== undefined) return met
  }
  return undefined
}

function metByPath(
  { begun, depth, whole }: Claims,
  path: NamePath,
  counts: (claim: Claim) => boolean,
): Claim | undefined {
  const keys = keysOf(path, depth)
  for (const key of keys) {
    const met = whole.get(key)?.find(counts)
    if (met !== undefined) return met
  }
  const last = path.length <= depth ? keys.at(-1) : undefined
  return last === undefined ? undefined : begun.get(last)?.find(counts)
}

/** What the author fixed under this name or a part of it. */
export function fixedClaim(claims: Claims, name: string): Claim | undefined {
  return metClaim(claims, name, ({ argument }) => argument === undefined)
}

/** The claims of exactly this name, apart from spelling. */
export function sameClaim(
  { reading, whole }: Claims,
  name: string,
  counts: (claim: Claim) => boolean,
): Claim | undefined {
  for (const path of reading(name)) {
    const met = whole.get(keysOf(path, path.length).at(-1) ?? '')?.find(counts)
    if (met !== undefined) return met
  }
  return undefined
}

/** One key for each beginning of the path, up to `depth` parts. */
function keysOf(path: NamePath, depth: number): readonly string[] {
  const keys: string[] = []
  let key = ''
  for (const part of path.slice(0, depth)) {
    key += `${part}\n`
    keys.push(key)
  }
  return keys
}
