/**
 * The roles by which a GitHub workflow deploys a stage: without stored keys, by the token that
 * GitHub signs for one repository and one of its environments. `deploy` may do what
 * `skillgate deploy` and `rollback` do; `plan` only reads, for a pull request. Changes to resources
 * are made by the roles of `cdk bootstrap`, which both assume. Bound by docs/pipeline.md.
 */
import { ArnFormat, CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import * as iam from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { NO_FUNCTION, PLAN_SUFFIX, toRoleName } from './pipeline-roles.ts'
import { toStackName } from './stack-names.ts'
import type { Stage } from './stage.ts'

/** https://docs.github.com/en/actions/reference/security/oidc */
const TOKEN_ISSUER = 'token.actions.githubusercontent.com'
const TOKEN_AUDIENCE = 'sts.amazonaws.com'
/** The qualifier of `cdk bootstrap`, which names its roles. */
const QUALIFIER = 'hnb659fds'
export type PipelineStackProps = StackProps & { readonly stage: Stage; readonly repository: string }

export class PipelineStack extends Stack {
  readonly deployRole: iam.Role
  readonly planRole: iam.Role

  constructor(scope: Construct, id: string, { repository, stage, ...props }: PipelineStackProps) {
    super(scope, id, props)
    const trust = (environment: string) =>
      this.trustOf(`repo:${repository}:environment:${environment}`)
    this.deployRole = new iam.Role(this, 'Deploy', {
      roleName: toRoleName(stage.name, 'Deploy'),
      description: `GitHub deploys stage ${stage.name}`,
      assumedBy: trust(stage.name),
    })
    this.planRole = new iam.Role(this, 'Plan', {
      roleName: toRoleName(stage.name, 'Plan'),
      description: `GitHub plans deploys of stage ${stage.name}`,
      assumedBy: trust(`${stage.name}${PLAN_SUFFIX}`),
    })
    this.letAssume(this.planRole, ['lookup'])
    this.letAssume(this.deployRole, ['lookup', 'deploy', 'file-publishing'])
    for (const role of [this.planRole, this.deployRole]) this.letRead(role, stage.name)
    this.letShift(this.deployRole, stage.name)
    new CfnOutput(this, 'DeployRoleArn', { value: this.deployRole.roleArn })
    new CfnOutput(this, 'PlanRoleArn', { value: this.planRole.roleArn })
  }

  private trustOf(subject: string): iam.WebIdentityPrincipal {
    const provider = this.formatArn({
      service: 'iam',
      region: '',
      resource: 'oidc-provider',
      resourceName: TOKEN_ISSUER,
    })
    return new iam.WebIdentityPrincipal(provider, {
      StringEquals: {
        [`${TOKEN_ISSUER}:aud`]: TOKEN_AUDIENCE,
        [`${TOKEN_ISSUER}:sub`]: subject,
      },
    })
  }

  private letAssume(role: iam.Role, kinds: readonly string[]): void {
    const resources = kinds.map((kind) =>
      this.formatArn({
        service: 'iam',
        region: '',
        resource: 'role',
        resourceName: `cdk-${QUALIFIER}-${kind}-role-${this.account}-${this.region}`,
      }),
    )
    role.addToPolicy(new iam.PolicyStatement({ actions: ['sts:AssumeRole'], resources }))
  }

  /** What preflight reads, of this account and of the stacks of this stage. */
  private letRead(role: iam.Role, stage: string): void {
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: [
          'apigateway:GET',
          'cloudwatch:DescribeAlarms',
          'lambda:GetAccountSettings',
          'sns:ListSubscriptionsByTopic',
        ],
        resources: ['*'],
      }),
    )
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['cloudformation:DescribeStacks', 'cloudformation:ListStackResources'],
        resources: this.listStackArns(stage),
      }),
    )
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: [
          'lambda:GetAlias',
          'lambda:GetFunctionConcurrency',
          'lambda:GetFunctionConfiguration',
        ],
        resources: this.listFunctionArns(stage),
      }),
    )
    // In each region that the stage may have stacks in.
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['ssm:GetParameter'],
        resources: [this.parameterArn(`cdk-bootstrap/${QUALIFIER}/version`, '*')],
      }),
    )
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['ssm:GetParameter'],
        resources: [this.parameterArn('*', this.region)],
        conditions: ofStage(stage),
      }),
    )
  }

  private parameterArn(resourceName: string, region: string): string {
    return this.formatArn({ service: 'ssm', region, resource: 'parameter', resourceName })
  }

  /** Moves aliases, and tells CloudFormation; reads the keys of the smoke call. */
  private letShift(role: iam.Role, stage: string): void {
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['lambda:UpdateAlias'],
        resources: this.listFunctionArns(stage),
      }),
    )
    // The probe of preflight, of a function that nobody has.
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['lambda:CreateFunctionUrlConfig'],
        resources: [this.functionArn(NO_FUNCTION)],
      }),
    )
    // The record of releases, whose name CloudFormation makes.
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['ssm:PutParameter'],
        resources: [this.parameterArn('*', this.region)],
        conditions: ofStage(stage),
      }),
    )
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['cloudformation:UpdateStack'],
        resources: this.listStackArns(stage),
      }),
    )
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
        resources: ['*'],
        conditions: ofStage(stage),
      }),
    )
  }

  /** Stage `dev` is not `dev-eu`: each stack is named whole. */
  private listStackArns(stage: string): string[] {
    return ['Data', 'Gateway', 'Watch'].map((part) =>
      this.formatArn({
        service: 'cloudformation',
        resource: 'stack',
        resourceName: `${toStackName(stage, part)}/*`,
      }),
    )
  }

  private listFunctionArns(stage: string): string[] {
    return [this.functionArn(`${toStackName(stage, 'Gateway')}-*`)]
  }

  private functionArn(resourceName: string): string {
    const arnFormat = ArnFormat.COLON_RESOURCE_NAME
    return this.formatArn({ service: 'lambda', resource: 'function', resourceName, arnFormat })
  }
}

/** Resources that a stack of the stage has made, for those whose names do not tell. */
function ofStage(stage: string) {
  return {
    StringEquals: { 'aws:ResourceTag/Stage': stage, 'aws:ResourceTag/Project': 'skillgate' },
  }
}
