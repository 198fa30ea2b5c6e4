/**
 * Function URLs: public ones, where the function itself authenticates, and internal ones, which AWS
 * opens only to signed requests of named roles. All stream, because functions continue to work
 * after they have answered. The functions set the CORS headers themselves.
 */
import * as iam from 'aws-cdk-lib/aws-iam'
import * as lambda from 'aws-cdk-lib/aws-lambda'

/** An alias, never `$LATEST`, because an address must survive a roll-back. */
type Target = lambda.Alias

/**
 * Adds a public URL. CDK adds both permissions that it needs: InvokeFunctionUrl and InvokeFunction.
 */
export function addPublicUrl(target: Target): string {
  return addUrl(target, lambda.FunctionUrlAuthType.NONE)
}

/** Adds a URL that accepts only requests signed by a role with a grant. */
export function addInternalUrl(target: Target): string {
  return addUrl(target, lambda.FunctionUrlAuthType.AWS_IAM)
}

function addUrl(target: Target, authType: lambda.FunctionUrlAuthType): string {
  const invokeMode = lambda.InvokeMode.RESPONSE_STREAM
  return target.addFunctionUrl({ authType, invokeMode }).url
}

/**
 * Lets a role call the internal URL of exactly this alias, and only by URL, because an Invoke event
 * could claim any identity. CDK's own grantInvokeUrl writes the condition as a bare `true`, which
 * LocalStack refuses.
 */
export function grantUrl(caller: iam.IGrantable, target: Target): void {
  const resources = [target.functionArn]
  const allow = (statement: iam.PolicyStatement) =>
    caller.grantPrincipal.addToPrincipalPolicy(statement)
  allow(
    new iam.PolicyStatement({
      actions: ['lambda:InvokeFunctionUrl'],
      resources,
      conditions: { StringEquals: { 'lambda:FunctionUrlAuthType': 'AWS_IAM' } },
    }),
  )
  allow(
    new iam.PolicyStatement({
      actions: ['lambda:InvokeFunction'],
      resources,
      conditions: { Bool: { 'lambda:InvokedViaFunctionUrl': 'true' } },
    }),
  )
}
