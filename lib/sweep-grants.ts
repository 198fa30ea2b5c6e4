/** The schedule of the function sweep, and its rights to send events. */
import { Duration, Stack } from 'aws-cdk-lib'
import * as events from 'aws-cdk-lib/aws-events'
import * as targets from 'aws-cdk-lib/aws-events-targets'
import * as iam from 'aws-cdk-lib/aws-iam'
import type * as lambda from 'aws-cdk-lib/aws-lambda'
import type { DoorFunction } from './door-function.ts'
import { grantNamedSecrets, listEventTargets } from './gateway-secrets.ts'
import type { Stage } from './stage.ts'

/**
 * Runs the sweep every minute. There are no retries, because an event only says that a minute has
 * passed, and the next event says the same. The schedule uses cron, which fires some seconds after
 * a minute has begun, when the entries of the minute are due; a rate fires in any second (
 * docs/design/ledger.md#the-sweep).
 */
export function scheduleSweep(scope: Stack, sweep: lambda.FunctionBase): events.Rule {
  const once = { retryAttempts: 0, maxEventAge: Duration.seconds(60) }
  sweep.configureAsyncInvoke(once)
  return new events.Rule(scope, 'SweepSchedule', {
    description: 'Ends the holds of calls that were never settled',
    schedule: events.Schedule.cron({ minute: '*' }),
    targets: [new targets.LambdaFunction(sweep, once)],
  })
}

/** Grants what each target of the stage takes: its bus, its sender of mail, its secret. */
export function grantEventTargets(door: DoorFunction, stage: Stage): void {
  const targets = listEventTargets(stage)
  for (const target of targets) {
    if (target.kind === 'bus') grantBus(door, target.bus)
  }
  const { eventsFrom } = stage
  const addresses = targets.flatMap((target) => (target.kind === 'email' ? [target.to] : []))
  if (eventsFrom !== undefined && addresses.length > 0) grantMail(door, eventsFrom, addresses)
  const secrets = targets.flatMap((target) => (target.kind === 'slack' ? [target.secret] : []))
  grantNamedSecrets(door, [...new Set(secrets)])
}

/** Grants events on a bus that is named by its ARN, or by its name in this account and region. */
function grantBus(door: DoorFunction, bus: string): void {
  const place = { service: 'events', resource: 'event-bus', resourceName: bus }
  const arn = bus.startsWith('arn:') ? bus : Stack.of(door).formatArn(place)
  door.addToRolePolicy(new iam.PolicyStatement({ actions: ['events:PutEvents'], resources: [arn] }))
}

/**
 * Grants mail of one sender. SES asks for the right on the identity that it uses, the address or its
 * domain; in its sandbox also for that of a recipient who is an identity of the account.
 */
function grantMail(door: DoorFunction, from: string, addresses: readonly string[]): void {
  const identities = new Set([from, from.slice(from.indexOf('@') + 1), ...addresses])
  const resources = Array.from(identities, (resourceName) =>
    Stack.of(door).formatArn({ service: 'ses', resource: 'identity', resourceName }),
  )
  door.addToRolePolicy(
    new iam.PolicyStatement({
      actions: ['ses:SendEmail'],
      resources,
      conditions: { StringEquals: { 'ses:FromAddress': from } },
    }),
  )
}
