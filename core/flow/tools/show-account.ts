/**
 * The built-in tool `<prefix>_account`: the caller's credits, tier, limits, and the quota left of
 * them. Free.
 */
import { loadOnce } from '../../cache/load-once.ts'
import type { BuiltInTool } from './built-in-tool.ts'

const answering = loadOnce(() => import('./answer-account.ts'))

export const ACCOUNT: BuiltInTool = {
  title: 'Account',
  description:
    'Shows the account that calls are charged to: credits left, tier, limits and monthly budgets. ' +
    'Free, takes no arguments. Use it before an expensive call, or when a call was refused for lack of credits.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  callers: 'users',
  answer: async (request, ports) => (await answering()).showAccount(request, ports),
}
