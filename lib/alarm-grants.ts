/**
 * Lets admin read the alarms, for GET health. AWS shows composite alarms only to a permission for
 * all resources; names and states of alarms are no secret of users.
 */
import * as iam from 'aws-cdk-lib/aws-iam'
import type { DoorFunction } from './door-function.ts'

export function grantAlarms(door: DoorFunction): void {
  if (door.door !== 'admin') return
  door.addToRolePolicy(
    new iam.PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }),
  )
}
