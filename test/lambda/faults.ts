// The failures that Lambda itself reports for a function, in the words of its logs.

import type { FunctionFault } from './answer.ts'

export const noAnswer: FunctionFault = {
  errorType: 'Runtime.NoAnswer',
  errorMessage: 'the runtime asked for the next invocation without answering this one',
}

export const connectionBroke: FunctionFault = {
  errorType: 'Runtime.TruncatedResponse',
  errorMessage: 'the environment broke off its response',
}

export function exited(requestId: string, how: string): FunctionFault {
  const errorMessage = `RequestId: ${requestId} Error: Runtime exited with error: ${how}`
  return { errorType: 'Runtime.ExitError', errorMessage }
}

export function initTimedOut(ms: number): FunctionFault {
  return { errorType: 'Sandbox.Timedout', errorMessage: `init took longer than ${ms} ms` }
}

export function timedOut(requestId: string, ms: number): FunctionFault {
  const seconds = (ms / 1000).toFixed(2)
  const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`
  return { errorType: 'Sandbox.Timedout', errorMessage }
}

export function notStarted(cause: unknown): FunctionFault {
  return { errorType: 'Harness.NotStarted', errorMessage: String(cause) }
}
