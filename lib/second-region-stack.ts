/**
 * What a stage has in its second region: a replica of the key of users' secrets, so that sealed
 * secrets open there, and a vault for copies of the backups. Nothing runs there, and no function of
 * the first region may use the replica. docs/second-region.md says how a stage starts from them.
 */
import { CfnOutput, Fn, Stack, type StackProps } from 'aws-cdk-lib'
import * as backup from 'aws-cdk-lib/aws-backup'
import * as iam from 'aws-cdk-lib/aws-iam'
import * as kms from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { type DataStack, KEY_DELETION_WAIT, KEY_OUTPUT, toRemovalPolicy } from './data-stack.ts'
import type { Stage } from './stage.ts'
import { getCopiesVaultName, VAULT_POLICY } from './table-backup.ts'

export class SecondRegionStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    props: StackProps & { readonly stage: Stage; readonly data: DataStack },
  ) {
    const { data, stage } = props
    super(scope, id, { ...props, terminationProtection: stage.terminationProtection })
    // The replica is made of the key, so the key is first.
    this.addDependency(data)
    new CfnOutput(this, 'SecretsKeyArn', { value: addReplica(this, data, stage).attrArn })
    if (stage.backupRegion === undefined) return
    const vault = new backup.BackupVault(this, 'Copies', {
      backupVaultName: getCopiesVaultName(stage),
      removalPolicy: VAULT_POLICY,
    })
    new CfnOutput(this, 'CopiesVaultName', { value: vault.backupVaultName })
  }
}

function addReplica(scope: Stack, data: DataStack, stage: Stage): kms.CfnReplicaKey {
  const replica = new kms.CfnReplicaKey(scope, 'UserSecretsKey', {
    description: `Skillgate ${stage.name}: replica of the key of users' secrets`,
    primaryKeyArn: Fn.getStackOutput(data.stackName, KEY_OUTPUT, data.region),
    // As the key's own policy: the policies of roles decide, and only of this account.
    keyPolicy: new iam.PolicyDocument({
      statements: [
        new iam.PolicyStatement({
          actions: ['kms:*'],
          principals: [new iam.AccountRootPrincipal()],
          resources: ['*'],
        }),
      ],
    }),
    ...(stage.retainData ? {} : { pendingWindowInDays: KEY_DELETION_WAIT.toDays() }),
  })
  replica.applyRemovalPolicy(toRemovalPolicy(stage))
  return replica
}
