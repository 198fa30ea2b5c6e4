/** The secrets of the gateway stack, and the rights to read secrets. */
import { ArnFormat, CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib'
import * as iam from 'aws-cdk-lib/aws-iam'
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager'
import { parseEventTarget } from '../core/settings/event-target.ts'
import { createSecret } from './data-stack.ts'
import type { DoorFunction } from './door-function.ts'
import type { Stage } from './stage.ts'

/** The targets of a stage's events. */
export function listEventTargets({ eventTargets }: Pick<Stage, 'eventTargets'>) {
  return eventTargets.flatMap((text) => parseEventTarget(text) ?? [])
}

/**
 * Creates the secret that signs events to webhooks. Their receivers have it too; an operator reads
 * and rotates it (docs/operations.md).
 */
export function createEventsSecret(scope: Stack, stage: Stage): secretsmanager.Secret | undefined {
  if (!listEventTargets(stage).some(({ kind }) => kind === 'webhook')) return undefined
  const secret = createSecret(scope, 'EventsSecret', 'signs events to webhooks', stage)
  new CfnOutput(scope, 'EventsSecretId', { value: secret.secretArn })
  return secret
}

/**
 * Creates the secret of the canary user's key. `skillgate deploy` replaces the generated value. The
 * secret goes with its stack: the next deploy makes another key.
 */
export function createCanarySecret(scope: Stack, stage: Stage): secretsmanager.Secret {
  const secret = createSecret(scope, 'CanarySecret', 'key of the canary user', stage)
  secret.applyRemovalPolicy(RemovalPolicy.DESTROY)
  return secret
}

/** Grants secrets of the operator, who names them in the stage or gives their ARNs. */
export function grantNamedSecrets(door: DoorFunction, ids: readonly string[]): void {
  // The name of a secret is followed by six random characters in its ARN.
  const resources = ids.map((id) =>
    id.startsWith('arn:')
      ? id
      : Stack.of(door).formatArn({
          service: 'secretsmanager',
          resource: 'secret',
          resourceName: `${id}-??????`,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
  )
  if (resources.length > 0) grantSecrets(door, resources)
}

export function grantSecrets(door: DoorFunction, resources: string[]): void {
  const actions = ['secretsmanager:GetSecretValue']
  door.addToRolePolicy(new iam.PolicyStatement({ actions, resources }))
}
