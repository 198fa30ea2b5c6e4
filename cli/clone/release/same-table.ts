/**
 * Keeps a rollback on this side of a restore. A version keeps the variables with which it was
 * published, so one from before a restore would bring the replaced table back:
 *
 *   restore    table A → B ─ aliases 7 → 9
 *   rollback                               to 7, of table A: refused
 *
 * A rollback asks before each of its moves, since a restore may have ended while it waited for the
 * stack.
 */
import type { AwsAccount } from '../../aws/ask-service.ts'
import { type DoorRelease, readDoors } from './aliases.ts'
import type { Release } from './releases.ts'
import { readStack } from './stack.ts'

/** The release is of a table that a restore has replaced. */
export class OtherTable extends Error {
  override readonly name = 'OtherTable'
}

/**
 * Throws an {@link OtherTable} if functions of the release name another Gateway table than the stack.
 * Needs lambda:GetFunctionConfiguration.
 */
export async function assertSameTable(
  account: AwsAccount,
  { release, stackName, stage }: { release: Release; stackName: string; stage: string },
): Promise<void> {
  const outputs = (await readStack(account, stackName))?.outputs ?? {}
  const inUse = outputs['GatewayTableName']
  if (inUse === undefined) return
  const reads = readDoors(outputs).flatMap((door) => {
    const version = release.versions[door.door]
    return version === undefined ? [] : [readTable(account, door, version)]
  })
  const other = (await Promise.all(reads)).find((table) => table !== undefined && table !== inUse)
  if (other === undefined) return
  throw new OtherTable(
    `release ${release.number} uses the table ${other}, which ${inUse} has replaced\n  To use that table again: skillgate restore --stage ${stage} --table gateway --use ${other}`,
  )
}

/** Returns the table of a version; undefined for a function that uses none. */
async function readTable(
  { ask }: AwsAccount,
  { functionName }: DoorRelease,
  version: string,
): Promise<string | undefined> {
  const name = encodeURIComponent(functionName)
  const path = `/2015-03-31/functions/${name}/configuration?Qualifier=${version}`
  const { Environment }: Configuration = JSON.parse(await ask({ service: 'lambda', path }))
  return Environment?.Variables?.['GATEWAY_TABLE']
}

type Configuration = {
  readonly Environment?: { readonly Variables?: { readonly [name: string]: string } }
}
