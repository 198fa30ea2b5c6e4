/**
 * Lets the functions that make calls invoke the functions that a stage names, and admin find
 * functions by their tags. A stage that names none grants nothing. The gateway's own functions are
 * denied in any case: an event of Invoke could claim to be any request, an administrator's too.
 * Bound by docs/security.md, What a stolen role can do.
 */
import { ArnFormat, Stack } from 'aws-cdk-lib'
import * as iam from 'aws-cdk-lib/aws-iam'
import type { DoorFunction } from './door-function.ts'
import { STACKS_PREFIX } from './stack-names.ts'
import type { Stage } from './stage.ts'

/** The functions that make calls of skills. */
const CALLING_DOORS: ReadonlySet<string> = new Set(['execute', 'mcp'])

export function grantLambdaUpstreams(
  door: DoorFunction,
  { lambdaUpstreams }: Pick<Stage, 'lambdaUpstreams'>,
): void {
  if (lambdaUpstreams.length === 0) return
  if (door.door === 'admin') {
    // AWS knows no resource for this action.
    door.addToRolePolicy(
      new iam.PolicyStatement({ actions: ['tag:GetResources'], resources: ['*'] }),
    )
  }
  if (!CALLING_DOORS.has(door.door)) return
  const stack = Stack.of(door)
  const actions = ['lambda:InvokeFunction']
  door.addToRolePolicy(
    new iam.PolicyStatement({ actions, resources: [...listFunctionArns(stack, lambdaUpstreams)] }),
  )
  door.addToRolePolicy(
    new iam.PolicyStatement({
      effect: iam.Effect.DENY,
      actions,
      // In any region, because another stage may be there.
      resources: [toArn(stack, `${STACKS_PREFIX}*`, '*')],
    }),
  )
}

/** Each function, and its versions and aliases. A pattern covers both. */
export function listFunctionArns(
  stack: Stack,
  lambdaUpstreams: Stage['lambdaUpstreams'],
): readonly string[] {
  return lambdaUpstreams.flatMap((one) => {
    const arn = toArn(stack, one)
    return one.endsWith('*') ? [arn] : [arn, `${arn}:*`]
  })
}

/** `region`: the stack's own unless it is given. */
function toArn(stack: Stack, name: string, region = stack.region): string {
  if (name.startsWith('arn:')) return name
  return stack.formatArn({
    service: 'lambda',
    region,
    resource: 'function',
    resourceName: name,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
}
