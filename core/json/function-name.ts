/**
 * The name of a Lambda function as skills and stages write it: a name of the gateway's own account
 * and region, or an ARN without a version and an alias. Bound by
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */

/** Characters of a function's name; AWS's own limit. */
export const FUNCTION_NAME_CHARS_MAX = 64
/** Functions that one tag may find: as many as one set may have skills. */
export const FUNCTIONS_MAX = 1_000

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const ARN =
  /^arn:(aws|aws-cn|aws-us-gov):lambda:([a-z]{2}(?:-[a-z]+)+-\d{1,2}):(\d{12}):function:([A-Za-z0-9_-]{1,64})$/

export type FunctionArn = {
  readonly partition: 'aws' | 'aws-cn' | 'aws-us-gov'
  readonly region: string
  readonly accountId: string
  readonly name: string
}

/** Returns undefined for a text that is no ARN, and for a region of another partition. */
export function parseFunctionArn(text: string): FunctionArn | undefined {
  const [, partition, region = '', accountId = '', name = ''] = ARN.exec(text) ?? []
  const known = (['aws', 'aws-cn', 'aws-us-gov'] as const).find((one) => one === partition)
  if (known === undefined || known !== findPartitionName(region)) return undefined
  return { partition: known, region, accountId, name }
}

function findPartitionName(region: string): FunctionArn['partition'] {
  if (region.startsWith('cn-')) return 'aws-cn'
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
}

export function isFunctionName(text: string): boolean {
  return NAME.test(text)
}

/**
 * True if a list of names, ARNs and patterns with a trailing asterisk has the function. A name and
 * an ARN are compared by the name alone, because the own account is not known here.
 */
export function isFunctionListed(listed: readonly string[], functionName: string): boolean {
  return listed.some((one) => {
    const isSameForm = one.startsWith('arn:') === functionName.startsWith('arn:')
    const [pattern, text] = isSameForm ? [one, functionName] : [toName(one), toName(functionName)]
    return pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern
  })
}

function toName(text: string): string {
  return text.slice(text.lastIndexOf(':') + 1)
}
