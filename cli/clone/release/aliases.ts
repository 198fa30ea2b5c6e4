/**
 * The aliases of a stage's functions: reads where they stand, and moves them by UpdateAlias. Each
 * move names the revision of the alias that was read, so of two commands that move one alias at
 * once, one is refused:
 *
 *   deploy    reads r1 ─────────────── UpdateAlias(8, r1): 412, and stops
 *   rollback       reads r1 ─ UpdateAlias(7, r1): r2
 */
import { type AwsAccount, ServiceError } from '../../aws/ask-service.ts'

/** A function, as an output of the stack describes it. */
export type DoorRelease = {
  /** As in the name of the output: `Mcp`. */
  readonly door: string
  readonly functionName: string
  readonly aliases: readonly string[]
  /** The stack parameter that names the live version. */
  readonly parameter: string
  readonly newest: string
}

export type AliasState = {
  readonly door: DoorRelease
  readonly alias: string
  readonly version: string
  /** The version that gets a part of the requests; undefined outside of a canary. */
  readonly canary: string | undefined
  readonly revision: string
}

/** Versions by door. */
export type VersionSet = { readonly [door: string]: string }

/** Something else moved the alias between the read and the move. */
export class AliasMoved extends Error {
  override readonly name = 'AliasMoved'
}

const OUTPUT = /^(\w+)Release$/
/** Lambda answers 412 if the revision is not the newest one. */
const REVISION_DIFFERS = 412

/** Reads the functions from the outputs of the gateway's stack. */
export function readDoors(outputs: { readonly [name: string]: string }): readonly DoorRelease[] {
  return Object.entries(outputs).flatMap(([name, value]) => {
    const door = OUTPUT.exec(name)?.[1]
    return door === undefined ? [] : [parseDoor(door, value)]
  })
}

function parseDoor(door: string, text: string): DoorRelease {
  const { aliases, function: functionName, newest, parameter }: Fields = JSON.parse(text)
  return {
    door,
    functionName: String(functionName),
    aliases: Array.isArray(aliases) ? aliases.map(String) : [],
    parameter: String(parameter),
    newest: String(newest),
  }
}

type Fields = { readonly [name: string]: unknown }

export function readAliases(
  account: AwsAccount,
  doors: readonly DoorRelease[],
): Promise<readonly AliasState[]> {
  const reads = doors.flatMap((door) =>
    door.aliases.map(async (alias) => {
      const text = await account.ask({ service: 'lambda', path: toPath(door, alias) })
      return parseAlias(door, alias, text)
    }),
  )
  return Promise.all(reads)
}

/**
 * Moves the alias to `version`, or gives `canary.version` a part of its requests. Throws an
 * {@link AliasMoved} if the alias is no longer as it was read.
 */
export async function moveAlias(
  account: AwsAccount,
  state: AliasState,
  version: string,
  canary?: { readonly version: string; readonly weight: number },
): Promise<AliasState> {
  const { alias, door, revision } = state
  const weights = canary === undefined ? {} : { [canary.version]: canary.weight }
  try {
    const text = await account.ask({
      service: 'lambda',
      path: toPath(door, alias),
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        FunctionVersion: version,
        RoutingConfig: { AdditionalVersionWeights: weights },
        RevisionId: revision,
      }),
    })
    return parseAlias(door, alias, text)
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.status !== REVISION_DIFFERS) throw cause
    throw new AliasMoved(`${door.functionName}:${alias} was moved by something else meanwhile`, {
      cause,
    })
  }
}

/** Returns the version of each function; of several aliases, that of the first. */
export function toVersionSet(states: readonly AliasState[]): VersionSet {
  const pairs = states.map(({ door, version }) => [door.door, version])
  return Object.fromEntries(pairs.toReversed())
}

function toPath({ functionName }: DoorRelease, alias: string): string {
  return `/2015-03-31/functions/${encodeURIComponent(functionName)}/aliases/${alias}`
}

function parseAlias(door: DoorRelease, alias: string, text: string): AliasState {
  const fields: Fields = JSON.parse(text)
  const { FunctionVersion, RevisionId, RoutingConfig } = fields
  const weights = toFields(toFields(RoutingConfig)['AdditionalVersionWeights'])
  return {
    door,
    alias,
    version: String(FunctionVersion),
    canary: Object.keys(weights)[0],
    revision: String(RevisionId),
  }
}

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
