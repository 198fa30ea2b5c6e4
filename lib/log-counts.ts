/**
 * Log lines that are counted as metrics because the code cannot write one: the platform's report of
 * a crash, and the last lines of a function. Plain data. The filters have no default value, so an
 * hour without such a line has no metric and costs nothing.
 */
import { DOORS, type FunctionName } from './doors.ts'

export type LogCount = {
  readonly doors: readonly FunctionName[]
  /** A filter in CloudWatch's syntax, for the JSON of one line. */
  readonly pattern: string
  readonly why: string
}

export const LOG_COUNTS = {
  ChargesInDoubt: {
    doors: ['sse', 'messages', 'mcp'],
    // messages and mcp try three times; only the last failure leaves the charge open.
    pattern: '{ ($.event = "void-failed" && $.attempt >= 3) || $.event = "void-lost" }',
    why: 'A user may have been charged for an answer that never arrived.',
  },
  AdminSecretsStale: {
    doors: ['admin'],
    pattern: '{ $.event = "admin-secrets-stale" }',
    why: 'The admin secrets could not be fetched; older values are valid for five minutes.',
  },
  EventsFailed: {
    doors: ['sweep'],
    pattern: '{ $.event = "event-failed" }',
    why: 'An event was tried for six hours and not delivered.',
  },
  OutcomesUnwritten: {
    doors: ['mcp', 'messages', 'execute'],
    pattern: '{ $.event = "settle-failed" || $.event = "refund-delayed" }',
    why: 'A call ended, and the record of its outcome could not be written.',
  },
  FunctionsDied: {
    // admin, sweep and usage have alarms of their own for their failures.
    doors: ['sse', 'messages', 'mcp', 'execute', 'caller'],
    // Matches only failures: timed out ("Task timed out"), exited, or out of memory. At the level
    // WARN the platform reports no others.
    pattern: '{ $.type = "platform.report" && $.record.status != "success" }',
    why: "Lambda's Errors metric may miss a crash after the response has ended.",
  },
  StoreTrouble: {
    doors: DOORS,
    pattern: '{ $.event = "store-trouble" }',
    why: 'A read was repeated after a pause: the first sign of throttling.',
  },
  SyntheticCallsFailed: {
    doors: ['usage'],
    pattern: '{ $.event = "synthetic-call-failed" }',
    why: 'The call that a stage makes as an agent failed.',
  },
} as const satisfies { readonly [name: string]: LogCount }

export type LogCountName = keyof typeof LOG_COUNTS
