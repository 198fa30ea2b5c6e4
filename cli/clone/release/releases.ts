/**
 * The record of a stage's last releases: sets of versions, the newest first, in a parameter of
 * Systems Manager. A shift writes it once, before it moves the first alias. Nothing else writes it,
 * so a rollback that runs twice, or is stopped, finds the same record:
 *
 *   deploy     record [8, 7, 6] ─ aliases 7 → 8 ─ ✗ dies anywhere
 *   rollback   record [8, 7, 6]: goes to 7; again: is at 7, nothing to do
 *   deploy     aliases are at 7: record [9, 7, 6]
 *
 * Two deploys at once may both write, and the last one stays. CloudFormation admits one of them at
 * a time, and the revisions of the aliases stop one of two shifts (aliases.ts).
 */
import { err, ok, type Result } from '../../../core/errors.ts'
import type { AwsAccount } from '../../aws/ask-service.ts'
import { type AliasState, toVersionSet, type VersionSet } from './aliases.ts'

export type Release = {
  readonly number: number
  /** When its shift began, as an ISO time. */
  readonly at: string
  readonly versions: VersionSet
}

/** The live release, and five before it; a parameter holds 4 kB, about 18 of them. */
export const RELEASES_MAX = 6

export async function readReleases(
  account: AwsAccount,
  parameter: string,
): Promise<readonly Release[]> {
  const text = await askSsm(account, 'GetParameter', { Name: parameter })
  const { Parameter }: { Parameter?: { Value?: string } } = JSON.parse(text)
  return JSON.parse(Parameter?.Value ?? '[]')
}

export async function writeReleases(
  account: AwsAccount,
  parameter: string,
  releases: readonly Release[],
): Promise<void> {
  const Value = JSON.stringify(releases)
  await askSsm(account, 'PutParameter', { Name: parameter, Value, Overwrite: true })
}

function askSsm(account: AwsAccount, action: string, body: object): Promise<string> {
  const headers = {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': `AmazonSSM.${action}`,
  }
  return account.ask({ service: 'ssm', path: '/', body: JSON.stringify(body), headers })
}

/**
 * Returns the record for a shift from the live versions to `target`. Releases that were rolled back
 * leave the record, so that a later rollback never goes to one of them. So do versions of functions
 * that are gone.
 */
export function addRelease(
  kept: readonly Release[],
  live: readonly AliasState[],
  target: VersionSet,
  at: string,
): readonly Release[] {
  const newest = kept[0]?.number ?? 0
  const place = kept.findIndex((release) => areAt(live, release))
  const before =
    place >= 0
      ? kept.slice(place)
      : isBetween(live, kept)
        ? kept.slice(1)
        : [{ number: newest + 1, at, versions: toVersionSet(live) }, ...kept]
  const number = Math.max(newest, before[0]?.number ?? 0) + 1
  const stays = before.map((release) => ({ ...release, versions: keepDoors(release, target) }))
  return [{ number, at, versions: target }, ...stays].slice(0, RELEASES_MAX)
}

/** A function that is made again counts its versions from 1, so the old numbers mean nothing. */
function keepDoors({ versions }: Release, target: VersionSet): VersionSet {
  return Object.fromEntries(Object.entries(versions).filter(([door]) => door in target))
}

/**
 * Returns the release to which a rollback goes: that of the number `to`, or the one before the last
 * shift. The error says why there is none.
 */
export function chooseRelease(
  kept: readonly Release[],
  live: readonly AliasState[],
  to: number | undefined,
): Result<Release, string> {
  if (kept.length === 0) return err('no release is kept: nothing was shifted yet')
  if (to !== undefined) {
    const release = kept.find(({ number }) => number === to)
    const numbers = kept.map(({ number }) => number).join(', ')
    return release === undefined
      ? err(`--to: release ${to} is not kept; these are: ${numbers}`)
      : ok(release)
  }
  // A rollback without a number never goes forward again.
  const release = kept.slice(1).find((one) => areAt(live, one)) ?? kept[1]
  return release === undefined ? err('no earlier release is kept') : ok(release)
}

/**
 * True if each alias stands at its version of the release, without a canary. Functions that are
 * younger than the release do not count: a rollback leaves them alone.
 */
export function areAt(live: readonly AliasState[], { versions }: Release): boolean {
  return live.every(({ canary, door, version }) => {
    const wanted = versions[door.door]
    return wanted === undefined || (canary === undefined && version === wanted)
  })
}

/** True if a shift, or its rollback, was stopped between the last two releases. */
function isBetween(live: readonly AliasState[], [last, before]: readonly Release[]): boolean {
  if (last === undefined || before === undefined) return false
  return live.every(({ door, version }) =>
    [last.versions[door.door], before.versions[door.door]].includes(version),
  )
}
