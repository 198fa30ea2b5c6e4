/**
 * The function caller of a stage with private hosts: it stands in the stage's subnets, has no URL,
 * and only the functions that make calls may invoke it. Its role may write its log, and lets Lambda manage the
 * network interfaces by which it is attached; its own code may do nothing in AWS. Bound by ADR 0121.
 */
import * as iam from 'aws-cdk-lib/aws-iam'
import { CfnFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { writeSettingText } from '../core/settings/read-setting.ts'
import { SETTINGS } from '../core/settings/table.ts'
import { createAlias } from './door-alias.ts'
import { DoorFunction } from './door-function.ts'
import type { Stage } from './stage.ts'

/**
 * What Lambda demands of the role of a function in a VPC; EC2 gives most of it no resource:
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-permissions
 */
const NETWORK_ACTIONS = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
]

type Needs = { readonly stage: Stage; readonly bundles: string }

/**
 * Adds the function, and lets the `invokers` invoke it. Undefined for a stage without private hosts,
 * which gets nothing.
 */
export function addCaller(
  scope: Construct,
  { bundles, stage }: Needs,
  invokers: readonly DoorFunction[],
): DoorFunction | undefined {
  const { privateHosts, vpcSecurityGroupIds, vpcSubnetIds } = stage
  if (privateHosts.length === 0) return undefined
  const environment = {
    [SETTINGS.privateHosts.env]: writeSettingText(SETTINGS.privateHosts, privateHosts),
  }
  const caller = new DoorFunction(scope, 'Caller', { stage, bundles, door: 'caller', environment })
  const { defaultChild } = caller.node
  if (!(defaultChild instanceof CfnFunction)) throw new Error('caller: is no function')
  // By ids: CDK's own constructs would look the network up, or ask for zones that no template needs.
  defaultChild.vpcConfig = {
    subnetIds: [...vpcSubnetIds],
    securityGroupIds: [...vpcSecurityGroupIds],
  }
  for (const statement of makeNetworkStatements()) caller.addToRolePolicy(statement)
  const { functionArn } = createAlias(caller, 'internal')
  for (const invoker of invokers) {
    invoker.addEnvironment('CALLER_FUNCTION', functionArn)
    const invoke = { actions: ['lambda:InvokeFunction'], resources: [functionArn] }
    invoker.addToRolePolicy(new iam.PolicyStatement(invoke))
  }
  return caller
}

/**
 * Lambda's own service uses the permissions. Requests of the function's code have the key of the
 * condition, and are denied.
 */
function makeNetworkStatements(): readonly iam.PolicyStatement[] {
  return [
    new iam.PolicyStatement({ actions: NETWORK_ACTIONS, resources: ['*'] }),
    new iam.PolicyStatement({
      effect: iam.Effect.DENY,
      actions: ['ec2:*'],
      resources: ['*'],
      conditions: { Null: { 'lambda:SourceFunctionArn': 'false' } },
    }),
  ]
}
