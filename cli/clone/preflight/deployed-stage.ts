/**
 * Reads what a stage has in the account already: its stacks, executions that its functions have
 * reserved, and receivers of alarms that have not confirmed. A stage that is not deployed has none.
 */
import { toStackName } from '../../../lib/stack-names.ts'
import { type AwsAccount, ServiceError } from '../../aws/ask-service.ts'
import { toQueryRequest } from '../../aws/query-request.ts'
import { type ListEntry, readList } from './query-list.ts'

type Ask = AwsAccount['ask']

/**
 * Returns the sum of reservations of all functions in the gateway's stack of the stage. A function
 * that was removed by hand has none.
 */
export async function readOwnReserved(ask: Ask, stage: string): Promise<number> {
  const functions = await listResources(ask, toStackName(stage, 'Gateway'), 'AWS::Lambda::Function')
  const counts = await Promise.all(functions.map((name) => readReserved(ask, name)))
  return counts.reduce((sum, count) => sum + count, 0)
}

async function readReserved(ask: Ask, functionName: string): Promise<number> {
  const path = `/2019-09-30/functions/${encodeURIComponent(functionName)}/concurrency`
  const text = await orIfMissing(() => ask({ service: 'lambda', path }), '{}')
  const count: unknown = Reflect.get(Object(JSON.parse(text)), 'ReservedConcurrentExecutions')
  return typeof count === 'number' ? count : 0
}

/** Returns the addresses of the stage's alarm topics that have not confirmed, or unsubscribed. */
export async function readUnconfirmedMails(ask: Ask, stage: string): Promise<readonly string[]> {
  const topics = await listResources(ask, toStackName(stage, 'Watch'), 'AWS::SNS::Topic')
  const lists = topics.map((topic) => listSubscriptions(ask, topic))
  const subscriptions = (await Promise.all(lists)).flat()
  const mails = subscriptions.filter(
    ({ Protocol, SubscriptionArn = '' }) =>
      Protocol === 'email' && !SubscriptionArn.startsWith('arn:'),
  )
  return [...new Set(mails.flatMap(({ Endpoint }) => Endpoint ?? []))].toSorted()
}

function listSubscriptions(ask: Ask, topicArn: string): Promise<readonly ListEntry[]> {
  const action = 'ListSubscriptionsByTopic'
  const parameters = { TopicArn: topicArn }
  const list = () => readList(ask, { service: 'sns', action, version: '2010-03-31', parameters })
  return orIfMissing(list, [])
}

export type StackState = {
  readonly name: string
  /** `UPDATE_COMPLETE`. */
  readonly status: string
  /** True if CloudFormation refuses to delete the stack. */
  readonly isProtected: boolean
}

/** Returns the states of the stage's stacks, in the order in which they are deployed. */
export async function readStackStates(ask: Ask, stage: string): Promise<readonly StackState[]> {
  const names = ['Data', 'Gateway', 'Watch'].map((part) => toStackName(stage, part))
  return (await Promise.all(names.map((name) => readStackState(ask, name)))).flat()
}

async function readStackState(ask: Ask, name: string): Promise<readonly StackState[]> {
  const form = { Action: 'DescribeStacks', Version: '2010-05-15', StackName: name }
  const xml = await orIfMissing(() => ask(toQueryRequest('cloudformation', form)), '')
  const status = /<StackStatus>([^<]+)</.exec(xml)?.[1]
  const isProtected = /<EnableTerminationProtection>\s*true/i.test(xml)
  return status === undefined ? [] : [{ name, status, isProtected }]
}

/** Returns the physical ids of the resources of a type; none if there is no such stack. */
async function listResources(ask: Ask, stack: string, type: string): Promise<readonly string[]> {
  const resources = await orIfMissing(
    () =>
      readList(ask, {
        service: 'cloudformation',
        action: 'ListStackResources',
        version: '2010-05-15',
        parameters: { StackName: stack },
      }),
    [],
  )
  return resources.flatMap(({ PhysicalResourceId, ResourceStatus, ResourceType }) =>
    ResourceType === type && ResourceStatus !== 'DELETE_COMPLETE' && PhysicalResourceId
      ? [PhysicalResourceId]
      : [],
  )
}

/** CloudFormation has no code of its own for a stack that does not exist. */
const MISSING = /ResourceNotFound|NotFoundException|^NotFound$/
const NO_STACK = /Stack with id .* does not exist/

/** Returns what `read` returns, or `missing` if the service has no such resource. */
async function orIfMissing<T>(read: () => Promise<T>, missing: T): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    const isMissing =
      cause instanceof ServiceError &&
      (MISSING.test(cause.code ?? '') || NO_STACK.test(cause.message))
    if (isMissing) return missing
    throw cause
  }
}
