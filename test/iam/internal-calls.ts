/** The calls of one function to another by its internal URL, as IAM is asked about them. */
import { DOORS, type Door } from '../../lib/doors.ts'
import { type Authorization, allows } from './evaluate.ts'
import { aliasArn, type FunctionPolicies } from './function-policies.ts'
import type { Account } from './service-authorizations.ts'

export type Callee = 'execute' | 'messages'

/** Both permissions are needed for one call. */
export function callsOf(account: Account, callee: Callee): readonly Authorization[] {
  const resource = aliasArn(account, callee, 'internal')
  return [
    {
      action: 'lambda:InvokeFunctionUrl',
      resource,
      context: { 'lambda:FunctionUrlAuthType': ['AWS_IAM'] },
    },
    {
      action: 'lambda:InvokeFunction',
      resource,
      context: { 'lambda:InvokedViaFunctionUrl': ['true'] },
    },
  ]
}

/** The functions whose policies allow the call. */
export function callersOf(
  policies: FunctionPolicies,
  account: Account,
  callee: Callee,
): readonly Door[] {
  const asked = callsOf(account, callee)
  return DOORS.filter((door) => asked.every((one) => allows(policies[door], one)))
}
