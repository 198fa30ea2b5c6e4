/**
 * Rules between the fields of a stage that prepare a second region (docs/second-region.md). Each
 * error is one line with field, value and remedy.
 */
import { describeWrongValue } from '../core/settings/describe-setting.ts'
import type { Stage } from './stage.ts'

export function findSecondRegionErrors(stage: Stage): readonly string[] {
  const { backupRegion, replicaRegion, retainData, secretsKeyArn } = stage
  const errors: string[] = []
  if (backupRegion !== undefined && replicaRegion === undefined) {
    errors.push(
      `backupRegion: copies data whose secrets open nowhere there; give replicaRegion: ${backupRegion}, too`,
    )
  }
  if (backupRegion !== undefined && replicaRegion !== undefined && backupRegion !== replicaRegion) {
    errors.push(
      describeWrongValue(
        'backupRegion',
        backupRegion,
        `the region of replicaRegion (${replicaRegion})`,
      ),
    )
  }
  if (backupRegion !== undefined && !retainData) {
    errors.push(
      'backupRegion: needs retainData, since backups hold what destroy deletes; keep both',
    )
  }
  if (replicaRegion !== undefined && secretsKeyArn !== undefined) {
    errors.push(
      'replicaRegion: is set, and secretsKeyArn names the key of another stack, which has its own replicas; take one away',
    )
  }
  return errors
}

/**
 * Returns errors of the fields in a stack of this region; none if the region is not known yet.
 * A replica in the same region, or a key in another one, would be refused late by KMS.
 */
export function findRegionErrors(
  { replicaRegion, secretsKeyArn }: Pick<Stage, 'replicaRegion' | 'secretsKeyArn'>,
  region: string | undefined,
): readonly string[] {
  if (region === undefined) {
    return replicaRegion === undefined
      ? []
      : ['replicaRegion: needs to know the region of the stage; set AWS_REGION']
  }
  const keyRegion = secretsKeyArn?.split(':')[3]
  return [
    ...(replicaRegion === region
      ? [describeWrongValue('replicaRegion', replicaRegion, `a region beside ${region}`)]
      : []),
    ...(keyRegion !== undefined && keyRegion !== region
      ? [describeWrongValue('secretsKeyArn', secretsKeyArn, `a key in ${region}`)]
      : []),
  ]
}
