/**
 * The Gateway table that a stack uses: the one of the data stack, or one that `skillgate restore`
 * made. Two parameters of the stack name the latter. They are no fields of the stage, because
 * CloudFormation keeps the values of parameters: a later deploy from any clone stays at the restored
 * table. The table of the data stack is referred to in either case, so neither way is blocked. Bound
 * by ADR 0131.
 */
import { CfnCondition, CfnParameter, Fn, Stack } from 'aws-cdk-lib'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { RESTORED_STREAM, RESTORED_TABLE, RESTORED_TABLE_CONTEXT } from './stack-names.ts'

/** A table of the data stack. */
export type OwnTable = { readonly tableName: string; readonly tableArn: string }

export class GatewayTableInUse extends Construct {
  readonly tableName: string
  readonly tableArn: string
  private readonly isRestored: CfnCondition

  constructor(scope: Construct, id: string, own: OwnTable) {
    super(scope, id)
    const name = this.parameter(RESTORED_TABLE, 'Name of a restored Gateway table; empty for none')
    this.isRestored = new CfnCondition(this, 'IsRestored', {
      expression: Fn.conditionNot(Fn.conditionEquals(name, '')),
    })
    this.isRestored.overrideLogicalId('GatewayTableIsRestored')
    const place = { service: 'dynamodb', resource: 'table', resourceName: name }
    this.tableName = this.choose(name, own.tableName)
    this.tableArn = this.choose(Stack.of(this).formatArn(place), own.tableArn)
  }

  /** Returns the ARN of the stream of the table in use, for a stack that reads it. */
  addStream(ownStreamArn: string): string {
    const arn = this.parameter(RESTORED_STREAM, 'ARN of the stream of that table; empty for none')
    return this.choose(arn, ownStreamArn)
  }

  /**
   * Has a function whose variables name the table publish a version when the table changes. The value
   * of a parameter is no part of a template, so without this CloudFormation would change the function
   * and publish nothing: aliases would stay at a version that names the earlier table.
   */
  publishWithTable(door: LambdaFunction): void {
    const restored: unknown = this.node.tryGetContext(RESTORED_TABLE_CONTEXT)
    if (typeof restored === 'string' && restored !== '') door.invalidateVersionBasedOn(restored)
  }

  private parameter(name: string, description: string): string {
    const parameter = new CfnParameter(this, name, { type: 'String', default: '', description })
    parameter.overrideLogicalId(name)
    return parameter.valueAsString
  }

  private choose(restored: string, own: string): string {
    return Fn.conditionIf(this.isRestored.logicalId, restored, own).toString()
  }
}
