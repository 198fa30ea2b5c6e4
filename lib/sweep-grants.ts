/** The schedule of the function sweep, and its right to send events to a bus. */
import { Duration, Stack } from 'aws-cdk-lib'
import * as events from 'aws-cdk-lib/aws-events'
import * as targets from 'aws-cdk-lib/aws-events-targets'
import * as iam from 'aws-cdk-lib/aws-iam'
import type * as lambda from 'aws-cdk-lib/aws-lambda'
import type { DoorFunction } from './door-function.ts'

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

/** Grants events on a bus that is named by its ARN, or by its name in this account and region. */
export function grantBus(door: DoorFunction, bus: string): void {
  const place = { service: 'events', resource: 'event-bus', resourceName: bus }
  const arn = bus.startsWith('arn:') ? bus : Stack.of(door).formatArn(place)
  door.addToRolePolicy(new iam.PolicyStatement({ actions: ['events:PutEvents'], resources: [arn] }))
}
