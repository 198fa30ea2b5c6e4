/**
 * A watch stack over stand-ins for what it watches: constructs of the same kinds that do nothing, so
 * that these tests need no bundles. test/lib/nag.test.ts synthesizes it over the real ones.
 */
import { App, Stack } from 'aws-cdk-lib'
import * as apigateway from 'aws-cdk-lib/aws-apigateway'
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb'
import * as lambda from 'aws-cdk-lib/aws-lambda'
import * as logs from 'aws-cdk-lib/aws-logs'
import * as sqs from 'aws-cdk-lib/aws-sqs'
import type { WatchedStage } from '../../lib/alarm-topic.ts'
import type { Door } from '../../lib/doors.ts'
import { WatchStack } from '../../lib/watch-stack.ts'

const STAGE: WatchedStage = {
  name: 'dev',
  sseConcurrency: 10,
  reservedConcurrency: undefined,
  accountConcurrency: 10,
  alarmEmail: undefined,
  monthlyBudgetUsd: undefined,
  syntheticCalls: false,
}

export function watched(stage: Partial<WatchedStage> = {}): { app: App; watch: WatchStack } {
  const app = new App()
  const things = new Stack(app, 'Things')
  const doors = {
    sse: doorIn(things, 'sse'),
    messages: doorIn(things, 'messages'),
    mcp: doorIn(things, 'mcp'),
    execute: doorIn(things, 'execute'),
    admin: doorIn(things, 'admin'),
    sweep: doorIn(things, 'sweep'),
    usage: doorIn(things, 'usage'),
  }
  const api = new apigateway.RestApi(things, 'Api', { restApiName: 'skillgate-dev-admin' })
  api.root.addMethod('GET')
  const watch = new WatchStack(app, 'Watch', {
    stage: { ...STAGE, ...stage },
    doors,
    api,
    lostNews: new sqs.Queue(things, 'Lost'),
    gatewayTable: tableIn(things, 'Gateway'),
    sessionsTable: tableIn(things, 'Sessions'),
  })
  return { app, watch }
}

function doorIn(scope: Stack, door: Door): lambda.Function {
  return new lambda.Function(scope, door, {
    runtime: lambda.Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: lambda.Code.fromInline('export const handler = () => {}'),
    logGroup: new logs.LogGroup(scope, `${door}Logs`),
  })
}

function tableIn(scope: Stack, name: string): dynamodb.TableV2 {
  const partitionKey = { name: 'pk', type: dynamodb.AttributeType.STRING }
  return new dynamodb.TableV2(scope, name, { partitionKey })
}
