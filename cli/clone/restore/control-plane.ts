/**
 * The requests of a restore: signed requests to the control planes of DynamoDB, Application Auto
 * Scaling and Lambda. Each function is one request and states its permission.
 */
import { type AwsAccount, ServiceError } from '../../aws/ask-service.ts'
import { type Fields, toFields } from './table-shape.ts'

/** dynamodb:ACTION */
export async function askDynamo(
  { ask }: AwsAccount,
  action: string,
  input: Fields,
): Promise<Fields> {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${action}`,
  }
  const body = JSON.stringify(input)
  return toFields(JSON.parse(await ask({ service: 'dynamodb', path: '/', body, headers })))
}

/** dynamodb:DescribeTable. Returns undefined if there is no such table. */
export async function findTable(aws: AwsAccount, TableName: string): Promise<Fields | undefined> {
  try {
    return toFields((await askDynamo(aws, 'DescribeTable', { TableName }))['Table'])
  } catch (cause) {
    if (cause instanceof ServiceError && cause.code === 'ResourceNotFoundException')
      return undefined
    throw cause
  }
}

/** application-autoscaling:ACTION */
export async function askScaling(
  { ask }: AwsAccount,
  action: string,
  input: Fields,
): Promise<Fields> {
  const headers = {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': `AnyScaleFrontendService.${action}`,
  }
  const body = JSON.stringify({ ServiceNamespace: 'dynamodb', ...input })
  const text = await ask({ service: 'application-autoscaling', path: '/', body, headers })
  return toFields(JSON.parse(text))
}

/**
 * lambda:PutFunctionConcurrency, or lambda:DeleteFunctionConcurrency for undefined, which takes the
 * reservation away.
 */
export async function setConcurrency(
  { ask }: AwsAccount,
  functionName: string,
  reserved: number | undefined,
): Promise<void> {
  const path = `/2017-10-31/functions/${encodeURIComponent(functionName)}/concurrency`
  if (reserved === undefined) {
    await ask({ service: 'lambda', method: 'DELETE', path })
    return
  }
  const body = JSON.stringify({ ReservedConcurrentExecutions: reserved })
  const headers = { 'content-type': 'application/json' }
  await ask({ service: 'lambda', method: 'PUT', path, body, headers })
}
