/** GET users/{uid}/statements/{month} and GET statements/{month}: accounts of users by month. */

import { ok } from '../../../core/errors.ts'
import { listStatements } from '../../../core/flow/users/list-statements.ts'
import { showStatement } from '../../../core/flow/users/show-statement.ts'
import { STATEMENTS_PAGE_DEFAULT, STATEMENTS_PAGE_MAX } from '../../../core/usage/limits.ts'
import type { Statement } from '../../../core/usage/statement.ts'
import {
  describeStatement,
  listStatementNotes,
  toStatementTables,
} from '../../../core/usage/statement-tables.ts'
import { writeStatementCsv } from '../../../core/usage/statement-text.ts'
import {
  type Route,
  type RouteAnswer,
  type RoutedRequest,
  readPageQuery,
  readUid,
  toAnswer,
} from '../route.ts'
import { NEXT_CURSOR, TEXT, toAnsweredObject, toPageQuery, UID } from '../schemas/field-schemas.ts'
import {
  CREDIT_PRICE,
  MONTH,
  OWNER,
  OWNER_EXAMPLE,
  STATEMENT,
  STATEMENT_EXAMPLE,
  STATEMENT_TABLES,
  TOTALS,
  TOTALS_EXAMPLE,
} from '../schemas/statement-schemas.ts'

const FORMATS = ['json', 'tables', 'csv'] as const

export const STATEMENT_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/users/{uid}/statements/{month}',
    operationId: 'showStatement',
    tag: 'Users',
    summary: 'Show the account of a month',
    description:
      'Opening balance, grants, corrections, charges by skill, refunds by reason and closing balance of a month (UTC). A call belongs to the month in which it started. Deleted users keep their accounts.',
    access: 'either',
    role: 'viewer',
    params: { uid: UID, month: MONTH },
    query: {
      format: {
        type: 'string',
        enum: FORMATS,
        default: 'json',
        description:
          '`tables` has the texts of the printed statement; `csv` is the file of `skillgate statements show --csv`.',
        'x-rule': `must be one of ${FORMATS.join(', ')}`,
      },
    },
    answers: {
      200: {
        description: 'The statement.',
        texts: { 'text/csv': 'uid,month,kind,time,id,by,reason,calls,credits\r\n' },
        shown: {
          schema: { anyOf: [STATEMENT, STATEMENT_TABLES] },
          example: {
            ...STATEMENT_EXAMPLE,
            grants: [
              {
                createdAtMs: 1790900000000,
                grantId: 'october',
                amount: 10,
                by: 'grace',
                reason: 'monthly',
              },
            ],
            corrections: [
              {
                createdAtMs: 1790990000000,
                grantId: 'fix-1',
                amount: -1,
                by: 'grace',
                reason: 'counted twice',
              },
            ],
          },
        },
      },
    },
    refuses: ['not_found'],
    run: async (ports, { creditPrice }, request) => {
      const of = { uid: readUid(request), month: request.params['month'] ?? '' }
      const shown = await showStatement(ports, of, creditPrice)
      return shown.ok ? formatStatement(request, shown.value) : shown
    },
  },
  {
    method: 'GET',
    path: '/statements/{month}',
    operationId: 'listStatements',
    tag: 'Users',
    summary: 'List the balances of all users in a month',
    description:
      'A line for each user who existed in the month: users by name, then deleted ones. A page may have fewer lines than its limit, and still a nextCursor.',
    access: 'either',
    role: 'viewer',
    params: { month: MONTH },
    query: toPageQuery({ max: STATEMENTS_PAGE_MAX, otherwise: STATEMENTS_PAGE_DEFAULT }),
    answers: {
      200: {
        description: 'A page of lines.',
        shown: {
          schema: toAnsweredObject(
            'StatementPage',
            {
              month: MONTH,
              creditPrice: CREDIT_PRICE,
              statements: {
                type: 'array',
                items: toAnsweredObject('StatementLine', { ...OWNER, ...TOTALS }, ['money']),
              },
              tooLarge: {
                type: 'array',
                items: TEXT,
                description:
                  'Users whose statement would need more than 10,000 grants, or too many sums of calls; absent without such users.',
              },
              nextCursor: NEXT_CURSOR,
            },
            ['creditPrice', 'tooLarge', 'nextCursor'],
          ),
          example: { month: '2026-10', statements: [{ ...OWNER_EXAMPLE, ...TOTALS_EXAMPLE }] },
        },
      },
    },
    // An empty month is a path without a route.
    refuses: ['not_found'],
    run: async (ports, { creditPrice }, request) => {
      const query = { ...readPageQuery(request), month: request.params['month'] ?? '' }
      return toAnswer(200, await listStatements(ports, query, creditPrice))
    },
  },
]

function formatStatement({ query }: RoutedRequest, statement: Statement): RouteAnswer {
  switch (query['format']) {
    case 'csv': {
      const headers = { 'content-type': 'text/csv; charset=utf-8' }
      return ok({ status: 200, body: writeStatementCsv(statement), headers })
    }
    case 'tables': {
      const facts = describeStatement(statement)
      const tables = toStatementTables(statement)
      return ok({ status: 200, body: { facts, tables, notes: listStatementNotes(statement) } })
    }
    default:
      return ok({ status: 200, body: statement })
  }
}
