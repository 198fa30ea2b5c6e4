/** The outputs of the gateway stack, which people, scripts and `skillgate deploy` read. */
import { CfnOutput, type Stack } from 'aws-cdk-lib'
import * as ssm from 'aws-cdk-lib/aws-ssm'
import { type DoorFunction, getRoleName } from './door-function.ts'
import { type Door, toConstructId } from './doors.ts'
import { CALL_DOORS } from './grants.ts'

type Outputs = { readonly [name: string]: string }

export function addOutputs(stack: Stack, values: Outputs): void {
  for (const [name, value] of Object.entries(values)) new CfnOutput(stack, name, { value })
}

/** Lists the roles that the trust policies of listed roles, and policies of listed hosts, must name. */
export function listSigners(stack: Stack, doors: { readonly [D in Door]: DoorFunction }): Outputs {
  return Object.fromEntries(
    CALL_DOORS.map((door) => {
      const resourceName = getRoleName(doors[door])
      const arn = stack.formatArn({ service: 'iam', region: '', resource: 'role', resourceName })
      return [`${toConstructId(door)}RoleArn`, arn]
    }),
  )
}

/**
 * Creates the record of the last releases, which `skillgate deploy` writes and `rollback` reads. A
 * change of these properties would have CloudFormation empty the record.
 */
export function createReleases(scope: Stack): ssm.StringParameter {
  return new ssm.StringParameter(scope, 'Releases', { stringValue: '[]' })
}
