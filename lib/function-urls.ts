/**
 * How doors are reached by URL: a public one (the door itself says who may), or an internal one that
 * AWS opens to signed requests of the roles that are named here alone. All stream, since doors go on
 * working after they have answered. CORS is the doors' own business.
 */
import * as iam from 'aws-cdk-lib/aws-iam'
import * as lambda from 'aws-cdk-lib/aws-lambda'

/** Never `$LATEST`: an address must survive a roll-back. */
type Target = lambda.Alias

/** CDK adds both permissions that a public URL needs, for everyone: InvokeFunctionUrl and InvokeFunction. */
export function publicUrl(target: Target): string {
  return urlOf(target, lambda.FunctionUrlAuthType.NONE)
}

export function internalUrl(target: Target): string {
  return urlOf(target, lambda.FunctionUrlAuthType.AWS_IAM)
}

function urlOf(target: Target, authType: lambda.FunctionUrlAuthType): string {
  const invokeMode = lambda.InvokeMode.RESPONSE_STREAM
  return target.addFunctionUrl({ authType, invokeMode }).url
}

/**
 * Lets a role call the internal URL of exactly this alias, and by no other way: not by
 * Invoke, whose event could claim any identity. CDK's own grantInvokeUrl says the same with a bare
 * `true`, which LocalStack refuses as no policy.
 */
export function grantUrl(caller: lambda.Function, target: Target): void {
  const resources = [target.functionArn]
  caller.addToRolePolicy(
    new iam.PolicyStatement({
      actions: ['lambda:InvokeFunctionUrl'],
      resources,
      conditions: { StringEquals: { 'lambda:FunctionUrlAuthType': 'AWS_IAM' } },
    }),
  )
  caller.addToRolePolicy(
    new iam.PolicyStatement({
      actions: ['lambda:InvokeFunction'],
      resources,
      conditions: { Bool: { 'lambda:InvokedViaFunctionUrl': 'true' } },
    }),
  )
}
