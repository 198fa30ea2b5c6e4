// Dummy credentials: one role per function, for these tests only. A function signs with its own
// role; a function URL with AWS_IAM names the roles that may call.

export const testRegion = 'us-east-1'
export const testAccountId = '123456789012'

export type TestRole = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string
  readonly userArn: string
  readonly userId: string
}

/** Name of the role of the function with that name. */
export function roleNameOf(functionName: string): string {
  return `${functionName}-role`
}

/** The role of the function with that name; the same name gives the same role. */
export function roleOf(functionName: string): TestRole {
  const tag = functionName.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase()
  return {
    accessKeyId: `ASIATEST${tag}`,
    secretAccessKey: `test-secret-of-${functionName}`,
    sessionToken: `test-token-of-${functionName}`,
    userArn: `arn:aws:sts::${testAccountId}:assumed-role/${roleNameOf(functionName)}/${functionName}`,
    userId: `AROATEST${tag}:${functionName}`,
  }
}
