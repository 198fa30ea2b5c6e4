/**
 * The name of a Lambda function as skills and stages write it: a name of the gateway's own account
 * and region, or an ARN without a qualifier. Bound by
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
import type { LambdaTarget } from './skill.ts'

/** Characters of a function's name; AWS's own limit. */
export const FUNCTION_NAME_CHARS_MAX = 64
/** Characters of a version or an alias; AWS's own limit. */
export const QUALIFIER_CHARS_MAX = 128

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const ARN =
  /^arn:(aws|aws-cn|aws-us-gov):lambda:([a-z]{2}(?:-[a-z]+)+-\d{1,2}):(\d{12}):function:([A-Za-z0-9_-]{1,64})$/
/** An alias, the number of a version, or `$LATEST`. */
const QUALIFIER = /^(?:\$LATEST|[A-Za-z0-9_-]{1,128})$/

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

export function findPartitionName(region: string): FunctionArn['partition'] {
  if (region.startsWith('cn-')) return 'aws-cn'
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
}

export function isFunctionName(text: string): boolean {
  return NAME.test(text)
}

export function isQualifier(text: string): boolean {
  return QUALIFIER.test(text)
}

/**
 * What secrets and circuit breakers know the function by. Functions of one region share a host, and
 * a secret of one must not go to another, so the host's origin would be too wide.
 */
export function toFunctionOrigin({ functionName }: Pick<LambdaTarget, 'functionName'>): string {
  return isFunctionName(functionName) ? `lambda:${functionName}` : functionName
}

/** True for a text that {@link toFunctionOrigin} returns for some function. */
export function isFunctionOrigin(text: string): boolean {
  const [scheme, name = '', ...more] = text.split(':')
  if (scheme === 'lambda' && more.length === 0) return isFunctionName(name)
  return parseFunctionArn(text) !== undefined
}

/**
 * The URL of Invoke, for logs and the check of targets. That of a plain name has no region, which
 * only the function that makes the call knows; requests are sent to the region's own host.
 */
export function makeInvokeUrl({ functionName, qualifier }: LambdaTarget): string {
  const arn = parseFunctionArn(functionName)
  const suffix = arn?.partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com'
  const host = arn === undefined ? `lambda.${suffix}` : `lambda.${arn.region}.${suffix}`
  return `https://${host}${makeInvokePath({ functionName, qualifier })}`
}

/** Path and query of Invoke. */
export function makeInvokePath({
  functionName,
  qualifier,
}: Pick<LambdaTarget, 'functionName'> & { readonly qualifier?: string | undefined }): string {
  const query = qualifier === undefined ? '' : `?Qualifier=${encodeURIComponent(qualifier)}`
  return `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations${query}`
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
