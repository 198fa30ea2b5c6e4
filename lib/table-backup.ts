/**
 * Daily backups of the Gateway table by AWS Backup, copied to the second region of the stage.
 * Point-in-time recovery stays the way back within the region; these are for the loss of it. The
 * table is chosen by a tag, which a restored table gets too. Bound by ADR 0131.
 */
import { ArnFormat, Duration, RemovalPolicy, Stack, Tags } from 'aws-cdk-lib'
import * as backup from 'aws-cdk-lib/aws-backup'
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { Schedule } from 'aws-cdk-lib/aws-events'
import { Construct } from 'constructs'
import type { Stage } from './stage.ts'

/** As long as point-in-time recovery reaches back. */
const KEPT = Duration.days(35)
/**
 * When the backup of a day may start: after the trail of the day is archived, and with hours until
 * it is late.
 */
const DAILY = Schedule.cron({ minute: '0', hour: '2' })
const START_WINDOW = Duration.hours(1)
const COMPLETION_WINDOW = Duration.hours(8)
/** A vault with backups cannot be deleted; one of a first deploy that failed is empty, and goes. */
export const VAULT_POLICY = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE

/** Tag of the tables that are backed up; its value is the name of the stage. */
export const BACKUP_TAG = 'SkillgateBackup'

/** The vault of copies has a name of its own, because the plan in the first region names it. */
export function getCopiesVaultName({ name }: Pick<Stage, 'name'>): string {
  return `Skillgate-${name}-Copies`
}

export class TableBackup extends Construct {
  readonly selection: backup.BackupSelection

  constructor(
    scope: Construct,
    id: string,
    props: { readonly stage: Stage; readonly table: TableV2; readonly copyRegion: string },
  ) {
    super(scope, id)
    const { copyRegion, stage, table } = props
    Tags.of(table).add(BACKUP_TAG, stage.name)
    const vault = new backup.BackupVault(this, 'Vault', { removalPolicy: VAULT_POLICY })
    const copies = backup.BackupVault.fromBackupVaultArn(
      this,
      'Copies',
      Stack.of(this).formatArn({
        service: 'backup',
        region: copyRegion,
        resource: `backup-vault:${getCopiesVaultName(stage)}`,
        arnFormat: ArnFormat.NO_RESOURCE_NAME,
      }),
    )
    const plan = new backup.BackupPlan(this, 'Plan', { backupVault: vault })
    plan.addRule(
      new backup.BackupPlanRule({
        ruleName: 'Daily',
        scheduleExpression: DAILY,
        startWindow: START_WINDOW,
        completionWindow: COMPLETION_WINDOW,
        deleteAfter: KEPT,
        copyActions: [{ destinationBackupVault: copies, deleteAfter: KEPT }],
      }),
    )
    this.selection = plan.addSelection('GatewayTable', {
      resources: [backup.BackupResource.fromTag(BACKUP_TAG, stage.name)],
      // The role also restores from a copy, in the second region.
      allowRestores: true,
    })
  }
}
