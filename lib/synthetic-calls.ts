/**
 * Has the usage function make a call as the canary user every five minutes, in a stage with
 * `syntheticCalls`. That function reaches no upstreams and moves no credits, and gets the right to
 * read one secret: a key that may call one tool.
 */
import { Duration } from 'aws-cdk-lib'
import * as events from 'aws-cdk-lib/aws-events'
import * as targets from 'aws-cdk-lib/aws-events-targets'
import * as iam from 'aws-cdk-lib/aws-iam'
import type * as lambda from 'aws-cdk-lib/aws-lambda'
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import type { Alarm } from './alarm.ts'
import { watchLogCount } from './watch-series.ts'

const PERIOD = Duration.minutes(5)

export function scheduleSyntheticCalls(
  scope: Construct,
  usage: lambda.FunctionBase,
  secret: secretsmanager.Secret,
): events.Rule {
  usage.addToRolePolicy(
    new iam.PolicyStatement({
      actions: ['secretsmanager:GetSecretValue'],
      resources: [secret.secretArn],
    }),
  )
  return new events.Rule(scope, 'SyntheticCallSchedule', {
    description: 'Calls a tool as the canary user',
    schedule: events.Schedule.rate(PERIOD),
    targets: [
      new targets.LambdaFunction(usage, {
        event: events.RuleTargetInput.fromObject({ task: 'synthetic-call' }),
      }),
    ],
  })
}

/** The alarms that only a stage with synthetic calls has. */
export const ALARMS_OF_SYNTHETIC_CALLS: readonly Alarm[] = [
  {
    name: 'SyntheticCallsFail',
    composite: 'AgentsHurt',
    means: 'The call that the stage makes as an agent every five minutes fails.',
    watched: watchLogCount('SyntheticCallsFailed'),
    is: 'at-least',
    threshold: 2,
    why: 'One failure may be a dropped connection; two in a quarter of an hour are none.',
    periodSec: 900,
    periods: 1,
    missing: 'notBreaching',
  },
]
