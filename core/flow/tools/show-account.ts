/**
 * The built-in tool `<prefix>_account`: shows the caller's credits, tier, limits and what is left
 * of these limits. Free; calls no upstream. Bound by docs/service.md, Built-in tools.
 */
import { loadOnce } from '../../cache/load-once.ts'
import type { BuiltInTool } from './built-in-tool.ts'

const importAnswer = loadOnce(() => import('./answer-account.ts'))

/** The code that answers is loaded with the first call. */
export const ACCOUNT: BuiltInTool = {
  title: 'Account',
  description:
    'Shows the account that calls are charged to: credits left, tier, limits and monthly budgets. ' +
    'Takes no arguments. Use it before an expensive call, or when a call was refused for lack of credits.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  callers: 'users',
  answer: async (request, ports) => (await importAnswer()).showAccount(request, ports),
}
