/**
 * Log lines that are counted as metrics where no metric of ours can be: what the platform says of a
 * function that died, and what a door says when it cannot do more. Plain data. No default value:
 * an hour without such a line has no metric, and costs nothing.
 */
import { DOORS, type Door } from './doors.ts'

export type LogCount = {
  readonly doors: readonly Door[]
  /** CloudWatch's filter syntax, over the JSON of one line. */
  readonly pattern: string
  readonly why: string
}

export const LOG_COUNTS = {
  ChargesInDoubt: {
    doors: ['sse', 'messages', 'mcp'],
    // messages and mcp try three times, and only the last one leaves the charge open.
    pattern: '{ ($.event = "void-failed" && $.attempt >= 3) || $.event = "void-lost" }',
    why: 'Somebody may have been charged for an answer that they never got.',
  },
  FunctionsDied: {
    doors: DOORS,
    // Where the platform reports every invocation, too (admin, sweep): one that did not succeed timed out
    // ("Task timed out"), its runtime exited, or it ran out of memory.
    pattern: '{ $.type = "platform.report" && $.record.status != "success" }',
    why: "Lambda's Errors metric may miss what dies behind a response that has ended.",
  },
  StoreTrouble: {
    doors: DOORS,
    pattern: '{ $.event = "store-trouble" }',
    why: 'A read was waited out and tried again: the first sign of throttling.',
  },
} as const satisfies { readonly [name: string]: LogCount }

export type LogCountName = keyof typeof LOG_COUNTS
