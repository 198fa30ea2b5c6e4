// One running invocation: settled once, by its answer, its failure or its throttle.

import { randomBytes } from 'node:crypto'
import type { FunctionFault, InvocationAnswer } from './answer.ts'

type PendingSettings = {
  readonly requestId: string
  readonly functionArn: string
  readonly eventJson: string
  readonly timeoutMs: number
}

export type PendingInvocation = PendingSettings & {
  readonly traceId: string
  readonly answer: Promise<InvocationAnswer>
  readonly settle: (answer: InvocationAnswer) => void
  readonly fail: (fault: FunctionFault) => void
  readonly isSettled: () => boolean
}

export function createPending(settings: PendingSettings): PendingInvocation {
  const { promise, resolve } = Promise.withResolvers<InvocationAnswer>()
  let isSettled = false
  const settle = (answer: InvocationAnswer) => {
    isSettled = true
    resolve(answer)
  }
  return {
    ...settings,
    traceId: newTraceId(),
    answer: promise,
    settle,
    fail: (fault) => settle({ kind: 'failed', requestId: settings.requestId, fault }),
    isSettled: () => isSettled,
  }
}

function newTraceId(): string {
  const seconds = Math.floor(Date.now() / 1000).toString(16)
  return `Root=1-${seconds}-${randomBytes(12).toString('hex')};Sampled=0`
}
