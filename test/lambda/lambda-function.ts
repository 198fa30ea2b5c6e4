// One function: environments started on demand, one invocation at a time each, and a throttle past
// the concurrency limit. Decides as Lambda does: an environment is busy until it polls again, so work
// after the response keeps it busy and counts against the timeout; one that still starts without an
// invocation of its own takes the next one, and counts against no limit.

import { randomUUID } from 'node:crypto'
import type { InvocationAnswer } from './answer.ts'
import { testAccountId, testRegion } from './credentials.ts'
import { createPending, type PendingInvocation } from './pending.ts'
import { Slot, type SlotSettings, type SlotState } from './slot.ts'
import { Timeline } from './timeline.ts'

export type FunctionSettings = SlotSettings & {
  /** Invocations at the same time (reserved concurrency); 10 unless told */
  readonly concurrencyMax?: number
  /** The function's timeout; 30 s unless told, 900 s at most as on Lambda */
  readonly timeoutMs?: number
}

export type InvokeOptions = { readonly requestId?: string; readonly qualifier?: string }

export type LambdaFunction = {
  readonly name: string
  readonly timeline: Timeline
  /** `event` is sent as JSON. Resolves at the first byte of the answer. Never rejects. */
  readonly invoke: (event: unknown, options?: InvokeOptions) => Promise<InvocationAnswer>
  /** The live ones. */
  readonly environments: () => readonly Slot[]
  /** Everything that all environments, past ones too, wrote to stdout and stderr. */
  readonly log: () => string
  /**
   * Resolves once no environment is at work. Before that a next invocation starts a new one, also
   * when all answers have arrived; rejects after 100 s.
   */
  readonly whenIdle: () => Promise<void>
  /** Kills every environment, as an outage would; running invocations fail. */
  readonly killAll: () => Promise<void>
  readonly stop: () => Promise<void>
}

const timeoutMsDefault = 30_000
const timeoutMsMax = 900_000
const concurrencyDefault = 10

export function startFunction(settings: FunctionSettings): LambdaFunction {
  const { functionName, concurrencyMax = concurrencyDefault } = settings
  const timeline = new Timeline()
  const slots: Slot[] = []
  const waiting: PendingInvocation[] = []
  let isStopped = false

  const live = () => slots.filter((slot) => slot.state !== 'exited')
  const count = (state: SlotState) => slots.filter((slot) => slot.state === state).length
  const addSlot = () => {
    const queue = { timeline, takeWaiting: () => waiting.shift() }
    slots.push(new Slot(slots.length, settings, queue))
  }

  const invoke = (event: unknown, options: InvokeOptions = {}): Promise<InvocationAnswer> => {
    const pending = createPending({
      requestId: options.requestId ?? randomUUID(),
      functionArn: arnOf(functionName, options.qualifier),
      eventJson: JSON.stringify(event),
      timeoutMs: Math.min(settings.timeoutMs ?? timeoutMsDefault, timeoutMsMax),
    })
    const idle = slots.find((slot) => slot.state === 'idle')
    if (idle !== undefined) idle.give(pending)
    else if (!isStopped && count('busy') + waiting.length < concurrencyMax) {
      waiting.push(pending)
      if (count('starting') < waiting.length) addSlot()
    } else pending.settle({ kind: 'throttled', requestId: pending.requestId })
    return pending.answer
  }

  const whenIdle = () =>
    timeline.until(() => live().every(({ state }) => state !== 'busy' && state !== 'starting'))
  const killAll = async () => {
    await Promise.all(slots.map((slot) => slot.kill()))
  }
  const stop = async () => {
    isStopped = true
    await killAll()
  }
  const log = () => slots.map((slot) => slot.log()).join('')
  const seen = { name: functionName, timeline, environments: live, log }
  return { ...seen, invoke, whenIdle, killAll, stop }
}

function arnOf(functionName: string, qualifier?: string): string {
  const arn = `arn:aws:lambda:${testRegion}:${testAccountId}:function:${functionName}`
  return qualifier === undefined ? arn : `${arn}:${qualifier}`
}
