/** The routes of the users' API that show the account: balance, charges, sums and statements. */
import { ok, type Result } from '../../../core/errors.ts'
import { showAccount } from '../../../core/flow/account/show-account.ts'
import { showLedger } from '../../../core/flow/users/read-ledger.ts'
import { showStatement } from '../../../core/flow/users/show-statement.ts'
import type { Statement } from '../../../core/usage/statement.ts'
import { withKeptSince } from '../kept-calls.ts'
import { readPageQuery, toAnswer } from '../route.ts'
import { LEDGER_ROUTE } from '../routes/ledger-route.ts'
import {
  CREDIT_PRICE,
  OWN_STATEMENT,
  STATEMENT_EXAMPLE,
  STATEMENT_ROUTES,
} from '../routes/statement-routes.ts'
import { answerUsage, USAGE_ROUTE } from '../routes/usage-route.ts'
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
  {
    ...shareForm([USAGE_ROUTE], 'showUsage'),
    method: 'GET',
    path: '/me/usage',
    operationId: 'showMyUsage',
    tag: 'Account',
    summary: 'Add up your calls and credits',
    description:
      'Sums of your calls that started between since and until: whole hours of UTC; today without either. They are up to a minute behind the ledger.',
    needs: 'managing',
    run: (ports, settings, request) =>
      answerUsage(ports, settings, { ...request.query, user: readCallerUid(request) }),
  },
  {
    ...shareForm(STATEMENT_ROUTES, 'showStatement'),
    answers: {
      200: {
        description: 'The statement.',
        shown: { schema: OWN_STATEMENT, example: STATEMENT_EXAMPLE },
      },
    },
    method: 'GET',
    path: '/me/statements/{month}',
    operationId: 'showMyStatement',
    tag: 'Account',
    summary: 'Show your account in a month',
    description:
      'Opening balance, grants, corrections, charges by skill, refunds by reason and closing balance of a month (UTC).',
    needs: 'managing',
    run: async (ports, { creditPrice }, request) => {
      const of = { uid: readCallerUid(request), month: request.params['month'] ?? '' }
      return toAnswer(200, toOwnStatement(await showStatement(ports, of, creditPrice)))
    },
  },
]

/** Who granted, and the note for other administrators, stay with them. */
function toOwnStatement(read: Result<Statement>): Result<object> {
  if (!read.ok) return read
  const { corrections, grants, ...statement } = read.value
  const toOwn = ({ by: _by, reason: _reason, ...grant }: Statement['grants'][number]) => grant
  return ok({ ...statement, grants: grants.map(toOwn), corrections: corrections.map(toOwn) })
}
