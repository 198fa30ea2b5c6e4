/** Every area with its rows, in the order of the page. */
import type { Area, Requirement } from '../requirement.ts'
import { ACCESS } from './access.ts'
import { INPUT } from './input.ts'
import { LIFECYCLE } from './lifecycle.ts'
import { MESSAGES } from './messages.ts'
import { CACHING, ENVELOPE, LISTEN } from './modern.ts'
import { RESOURCES } from './resources.ts'
import { TASKS } from './tasks.ts'
import { TOOL_CALL } from './tool-call.ts'
import { TOOL_LIST } from './tool-list.ts'
import { HTTP_SSE, STREAMABLE_HTTP } from './transports.ts'
import { UTILITIES } from './utilities.ts'

export const AREAS: readonly Area[] = [
  MESSAGES,
  LIFECYCLE,
  HTTP_SSE,
  STREAMABLE_HTTP,
  ENVELOPE,
  ACCESS,
  TOOL_LIST,
  TOOL_CALL,
  INPUT,
  RESOURCES,
  UTILITIES,
  CACHING,
  LISTEN,
  TASKS,
]

export const ROWS: readonly Requirement[] = AREAS.flatMap(({ rows }) => rows)
