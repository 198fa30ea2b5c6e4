/** Where the admin function asks for a dry run, and how the door knows it. What answers it is loaded with the first one. */
import type { IamCaller } from '../../adapters/http/events.ts'

export const DRY_RUN_PATH = '/v1/execute/dry-run'

/** `userArn` of a Lambda function is arn:aws:sts::ACCOUNT:assumed-role/ROLE/FUNCTION. */
export function isCallerRole({ userArn }: IamCaller, role: string | undefined): boolean {
  const [, session] = userArn.split(':assumed-role/')
  return role !== undefined && session?.split('/')[0] === role
}
