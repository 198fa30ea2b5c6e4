/** The routes of the users' API that show the account: balance, charges, sums and statements. */
import { ok } from '../../../core/errors.ts'
import { showAccount } from '../../../core/flow/account/show-account.ts'
import { showLedger } from '../../../core/flow/users/read-ledger.ts'
import { withKeptSince } from '../kept-calls.ts'
import { readPageQuery, toAnswer } from '../route.ts'
import { LEDGER_ROUTE } from '../routes/ledger-route.ts'
import { CREDIT_PRICE } from '../routes/statement-routes.ts'
import { BUDGET_SHOWN, TEXT, toAnsweredObject, USER_GROUPS } from '../schemas/field-schemas.ts'
import { KEY_DAY_SHOWN } from '../schemas/key-schemas.ts'
import { BALANCE_FIELDS, USER_STATE } from '../schemas/user-schemas.ts'
import { readCallerUid, shareForm, type UserRoute } from './user-route.ts'

const URLS = toAnsweredObject('DoorUrls', { mcp: TEXT, sse: TEXT, execute: TEXT }, [
  'mcp',
  'sse',
  'execute',
])

const ACCOUNT = toAnsweredObject(
  'Account',
  {
    uid: TEXT,
    username: TEXT,
    state: USER_STATE,
    tier: TEXT,
    groups: USER_GROUPS,
    ...BALANCE_FIELDS,
    creditPrice: CREDIT_PRICE,
    keyId: { ...TEXT, description: 'The key under which your calls are counted.' },
    keyBudget: { ...BUDGET_SHOWN, description: 'Monthly budget of that key, if it has one.' },
    keyCallsPerDay: KEY_DAY_SHOWN,
    mayManage: {
      type: 'boolean',
      description: 'Your credential may make keys, set secrets and end logins.',
    },
    urls: { ...URLS, description: 'Where tools are called, as far as the gateway knows.' },
    login: { type: 'boolean', description: 'People can log in with their MCP clients.' },
  },
  ['groups', 'monthlyBudget', 'creditPrice', 'keyBudget', 'keyCallsPerDay'],
)

export const ACCOUNT_ROUTES: readonly UserRoute[] = [
  {
    method: 'GET',
    path: '/me',
    operationId: 'showMe',
    tag: 'Account',
    summary: 'Show your account',
    description: 'Who you are here, what you can spend, and where tools are called.',
    needs: 'any',
    answers: {
      200: {
        description: 'Your account.',
        shown: {
          schema: ACCOUNT,
          example: {
            uid: 'ada',
            username: 'Ada',
            state: 'active',
            tier: 'free',
            credits: 24.5,
            creditsOnHold: 0,
            monthlyBudget: { limit: 100, spent: 0.5, renewsOn: '2026-12-01' },
            keyId: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
            mayManage: true,
            urls: { mcp: 'https://mcp.example.com/mcp' },
            login: true,
          },
        },
      },
    },
    refuses: [],
    run: async ({ clock }, settings, { caller }) =>
      toAnswer(200, ok(showAccount(settings, caller, clock.nowMs()))),
  },
  {
    ...shareForm([LEDGER_ROUTE], 'showLedger'),
    method: 'GET',
    path: '/me/ledger',
    operationId: 'showMyLedger',
    tag: 'Account',
    summary: 'List your calls with their charges and refunds',
    description: 'Calls on hold first, then ended calls, newest first.',
    needs: 'any',
    run: async (ports, settings, request) => {
      const page = await showLedger(ports, readCallerUid(request), readPageQuery(request))
      return toAnswer(200, withKeptSince(ports, settings, page))
    },
  },
]
