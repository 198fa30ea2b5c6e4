/**
 * What follows from the name of a skill's Lambda function: its origin, and the URL of Invoke. Bound
 * by https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
import { isFunctionName, parseFunctionArn } from '../json/function-name.ts'
import type { LambdaTarget } from './skill.ts'

/** Characters of a version or an alias; AWS's own limit. */
export const QUALIFIER_CHARS_MAX = 128

/** An alias, the number of a version, or `$LATEST`. */
const QUALIFIER = /^(?:\$LATEST|[A-Za-z0-9_-]{1,128})$/

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
