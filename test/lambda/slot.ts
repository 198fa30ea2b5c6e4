// One place for an environment and its Runtime API: its state, the invocation it holds, and the
// fate of that invocation when the process runs out of time or dies.
//
//   starting → (poll) idle ⇄ (given) busy → … → exited
//
// The runtime client does not wait for its own error report before it polls again, so an
// invocation stays open for its report for a while after the poll that ended it.

import type { FunctionFault } from './answer.ts'
import { type Environment, type EnvironmentSettings, startEnvironment } from './environment.ts'
import * as faults from './faults.ts'
import type { PendingInvocation } from './pending.ts'
import {
  type AnswerPlace,
  type EnvironmentDesk,
  type Invocation,
  startRuntimeApi,
} from './runtime-api.ts'
import type { Timeline, TimelineKind } from './timeline.ts'

export type SlotState = 'starting' | 'idle' | 'busy' | 'exited'

export type SlotSettings = EnvironmentSettings & {
  /** Lambda's own limit of 10 s unless told */
  readonly initMsMax?: number
  /** Pauses the process while it is idle, as Lambda does; off by default */
  readonly freezeWhenIdle?: boolean
}

type Queue = {
  readonly timeline: Timeline
  readonly takeWaiting: () => PendingInvocation | undefined
}

const initMsMaxDefault = 10_000
/** How long a finished invocation waits for an error report that is still on the wire. */
const lateReportMsMax = 2_000

export class Slot implements EnvironmentDesk {
  readonly id: number
  state: SlotState = 'starting'
  readonly #settings: SlotSettings
  readonly #queue: Queue
  readonly #open = new Map<string, PendingInvocation>()
  readonly #done: Promise<void>
  #environment: Environment | undefined
  #current: PendingInvocation | undefined
  #isResponseOver = false
  #deliver: ((invocation: Invocation) => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #initFault: FunctionFault | undefined
  #doom: FunctionFault | undefined
  #isKilled = false

  constructor(id: number, settings: SlotSettings, queue: Queue) {
    this.id = id
    this.#settings = settings
    this.#queue = queue
    this.#done = this.#run()
  }

  get pid(): number | undefined {
    return this.#environment?.pid
  }

  log(): string {
    return this.#environment?.log() ?? ''
  }

  async kill(): Promise<void> {
    this.#isKilled = true
    await this.#environment?.kill()
    await this.#done
  }

  give(pending: PendingInvocation): void {
    const { requestId, functionArn, traceId, eventJson, timeoutMs } = pending
    this.state = 'busy'
    this.#current = pending
    this.#isResponseOver = false
    this.#open.set(requestId, pending)
    this.#environment?.thaw()
    const deadlineMs = Date.now() + timeoutMs
    this.#dieAfter(timeoutMs, faults.timedOut(requestId, timeoutMs))
    this.#note('given', requestId)
    this.#deliver?.({ requestId, functionArn, traceId, eventJson, deadlineMs })
    this.#deliver = undefined
  }

  next(): Promise<Invocation> {
    return new Promise((resolve) => {
      this.#finishCurrent()
      this.#deliver = resolve
      const pending = this.#queue.takeWaiting()
      if (pending !== undefined) return this.give(pending)
      this.state = 'idle'
      if (this.#settings.freezeWhenIdle === true) this.#environment?.freeze()
    })
  }

  initFailed(fault: FunctionFault): void {
    this.#initFault = fault
  }

  claim(requestId: string): AnswerPlace | undefined {
    const pending = this.#open.get(requestId)
    if (pending === undefined) return undefined
    this.#open.delete(requestId)
    const listener = {
      prelude: () => this.#note('prelude', requestId),
      chunk: (bytes: Buffer) => {
        this.#note('chunk', requestId, { bytes: bytes.length, text: bytes.toString('utf8') })
      },
      end: (fault: FunctionFault | undefined) => {
        if (this.#current === pending) this.#isResponseOver = true
        if (fault !== undefined) this.#note('failed', requestId, { text: fault.errorType })
        this.#note('responseEnd', requestId)
      },
      broken: () => this.#doom ?? faults.connectionBroke,
    }
    return { requestId, listener, settle: pending.settle }
  }

  #finishCurrent(): void {
    clearTimeout(this.#timer)
    const finished = this.#current
    this.#current = undefined
    this.#note(finished === undefined ? 'ready' : 'nextPoll', finished?.requestId)
    if (finished === undefined) return
    setTimeout(() => {
      this.#open.delete(finished.requestId)
      if (!finished.isSettled()) finished.fail(faults.noAnswer)
    }, lateReportMsMax).unref()
  }

  async #run(): Promise<void> {
    const api = await startRuntimeApi(this)
    try {
      if (this.#isKilled) return this.#bury('killed before it started')
      this.#environment = startEnvironment(this.#settings, api.host)
      this.#note('started')
      const initMsMax = this.#settings.initMsMax ?? initMsMaxDefault
      this.#dieAfter(initMsMax, faults.initTimedOut(initMsMax))
      this.#bury(await this.#environment.exited)
    } catch (cause) {
      this.#doom = faults.notStarted(cause)
      this.#bury('not started')
    } finally {
      await api.stop()
    }
  }

  #dieAfter(ms: number, fault: FunctionFault): void {
    this.#timer = setTimeout(() => {
      this.#doom = fault
      void this.#environment?.kill()
    }, ms)
  }

  /**
   * The process has ended: its current invocation, or the first one meant for it, fails with it.
   */
  #bury(how: string): void {
    clearTimeout(this.#timer)
    const isUnborn = this.state === 'starting'
    const victim = this.#current ?? (isUnborn ? this.#queue.takeWaiting() : undefined)
    this.state = 'exited'
    this.#current = undefined
    if (victim !== undefined && (!victim.isSettled() || this.#isResponseOver)) {
      const fault = this.#doom ?? this.#initFault ?? faults.exited(victim.requestId, how)
      this.#note('failed', victim.requestId, { text: fault.errorType })
      victim.fail(fault)
    }
    this.#note('exited')
  }

  #note(kind: TimelineKind, requestId?: string, more: { text?: string; bytes?: number } = {}) {
    const request = requestId === undefined ? {} : { requestId }
    this.#queue.timeline.add({ kind, environmentId: this.id, ...request, ...more })
  }
}
