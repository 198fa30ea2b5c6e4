/**
 * The aliases of a function. URLs, Invokes, schedules, event sources and the admin API name aliases,
 * so a release or a rollback moves an alias and changes no address. Bound by ADR 0130.
 */
import { CfnCondition, CfnOutput, CfnParameter, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib'
import * as lambda from 'aws-cdk-lib/aws-lambda'
import type { IConstruct } from 'constructs'
import type { DoorFunction } from './door-function.ts'
import { type FunctionName, toConstructId } from './doors.ts'

/** Numbers of versions as Lambda counts them; empty for the version of the template. */
const VERSION_PATTERN = '^([1-9][0-9]{0,9})?$'
/** What CDK puts before the name of an alias in the construct's id. */
const ALIAS_ID = 'Alias'

/**
 * Creates an alias of the version that the stack parameter names. The default is the version of
 * this template, for a first deploy. After that, a deploy publishes a new version and the alias
 * stays where it is. Versions are retained for rollbacks, and because streams and calls that run on
 * the previous version end there; only a create that fails removes its version again.
 */
export function createAlias(door: DoorFunction, aliasName: string): lambda.Alias {
  door.currentVersion.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
  const alias = door.addAlias(aliasName)
  const { defaultChild } = alias.node
  if (!(defaultChild instanceof lambda.CfnAlias)) throw new Error(`${aliasName}: is no alias`)
  defaultChild.functionVersion = nameLiveVersion(door)
  return alias
}

/**
 * Creates an alias for schedules, event sources and APIs, whose types in CDK know no function
 * without a role.
 */
export function createTarget(door: DoorFunction, aliasName: string): lambda.FunctionBase {
  const alias: IConstruct = createAlias(door, aliasName)
  if (alias instanceof lambda.FunctionBase) return alias
  throw new Error(`${aliasName}: is no function`)
}

/** Returns the version of the parameter, which all aliases of a function share. */
function nameLiveVersion(door: DoorFunction): string {
  const stack = Stack.of(door)
  const id = toVersionParameter(door.door)
  const known = stack.node.tryFindChild(id)
  const parameter =
    known instanceof CfnParameter
      ? known
      : new CfnParameter(stack, id, {
          type: 'String',
          default: '',
          allowedPattern: VERSION_PATTERN,
          description: `The live version of ${door.door}; skillgate deploy and rollback set it`,
        })
  const conditionId = `${id}IsGiven`
  if (stack.node.tryFindChild(conditionId) === undefined) {
    new CfnCondition(stack, conditionId, {
      expression: Fn.conditionNot(Fn.conditionEquals(parameter.valueAsString, '')),
    })
  }
  return Fn.conditionIf(
    conditionId,
    parameter.valueAsString,
    door.currentVersion.version,
  ).toString()
}

/** Returns the name of the stack parameter, as `LiveMcpVersion`. */
function toVersionParameter(door: FunctionName): string {
  return `Live${toConstructId(door)}Version`
}

/**
 * Adds the output `McpRelease` of each function: JSON with the names of the function, its aliases
 * and its parameter, and the newest version. `skillgate deploy` and `rollback` read it.
 */
export function addReleaseOutputs(stack: Stack, doors: readonly DoorFunction[]): void {
  for (const door of doors) {
    const aliases = door.node.children.filter((child) => child instanceof lambda.Alias)
    const value = stack.toJsonString({
      function: door.functionName,
      aliases: aliases.map(({ node }) => node.id.slice(ALIAS_ID.length)),
      parameter: toVersionParameter(door.door),
      newest: door.currentVersion.version,
    })
    new CfnOutput(stack, `${toConstructId(door.door)}Release`, { value })
  }
}
