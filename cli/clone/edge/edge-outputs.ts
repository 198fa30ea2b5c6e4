/** Reads what the stack of an edge tells about itself. */
import { toStackName } from '../../../lib/stack-names.ts'
import { type AwsAccount, ServiceError } from '../../aws/ask-service.ts'
import { toQueryRequest } from '../../aws/query-request.ts'

export type EdgeOutputs = { readonly distributionId: string; readonly secretId: string }

/** Throws an Error for a stage without an edge. */
export async function readEdgeOutputs(account: AwsAccount, stage: string): Promise<EdgeOutputs> {
  const stackName = toStackName(stage, 'Edge')
  const xml = await describeStack(account, stackName)
  const find = (name: string): string => {
    const member = [...xml.matchAll(/<member>([\s\S]*?)<\/member>/g)].find(([, fields = '']) =>
      fields.includes(`<OutputKey>${name}</OutputKey>`),
    )
    const value = /<OutputValue>([^<]+)<\/OutputValue>/.exec(member?.[0] ?? '')?.[1]
    if (value !== undefined) return value
    throw new Error(`${stackName}: has no output ${name}; deploy the stage again`)
  }
  return { distributionId: find('EdgeDistributionId'), secretId: find('EdgeSecretId') }
}

async function describeStack(account: AwsAccount, stackName: string): Promise<string> {
  const form = { Action: 'DescribeStacks', Version: '2010-05-15', StackName: stackName }
  try {
    return await account.ask(toQueryRequest('cloudformation', form))
  } catch (cause) {
    if (!(cause instanceof ServiceError && cause.code === 'ValidationError')) throw cause
    throw new Error(
      `${stackName}: there is no such stack in ${account.region}; give a stage with edgeDomain, and its region in AWS_REGION`,
      { cause },
    )
  }
}
