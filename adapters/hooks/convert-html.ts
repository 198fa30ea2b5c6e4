/**
 * Converts HTML to Markdown in another thread: some pages of half a megabyte keep the converter
 * busy for minutes, and this thread could not cut or refund a call meanwhile. A thread is kept for
 * the next page, and ended after a long page or any error. docs/hooks.md has the figures.
 */
import type { Worker } from 'node:worker_threads'
import {
  CONVERT_CPU_MS_MAX,
  CONVERT_MS_MAX,
  CONVERT_THREADS_MAX,
  KEPT_HTML_CHARS_MAX,
} from './conversion-limits.ts'
import { type ConversionOutcome, startThread } from './html-thread.ts'
import { waitUnlessAborted } from './unless-aborted.ts'

export type Conversion =
  | ConversionOutcome
  /** `broken`: the converter threw. */
  | { readonly kind: 'too_slow' | 'too_much_memory' | 'broken' | 'cut' }

type Limits = { readonly signal: AbortSignal; readonly msMax?: number; readonly cpuMsMax?: number }

const US_PER_MS = 1_000
/** Shortest pause between two checks of the processor time. */
const CHECK_PAUSE_MS_MIN = 20
const CUT: Conversion = { kind: 'cut' }

type ThreadSlot = { jobs: number; last: Promise<unknown>; idle: Worker | undefined }
const SLOTS: readonly ThreadSlot[] = Array.from({ length: CONVERT_THREADS_MAX }, () => ({
  jobs: 0,
  last: Promise.resolve(),
  idle: undefined,
}))

/** Resolves to `cut` as soon as the signal aborts. */
export function convertHtml(html: string, limits: Limits): Promise<Conversion> {
  const slot = SLOTS.reduce((best, one) => (one.jobs < best.jobs ? one : best))
  slot.jobs += 1
  const turn = slot.last
    .then(() => (limits.signal.aborted ? CUT : runInThread(slot, html, limits)))
    .finally(() => {
      slot.jobs -= 1
    })
  slot.last = turn.catch(() => undefined)
  return waitUnlessAborted(turn, limits.signal, CUT)
}

/** Resolves when the thread is idle again or has ended. */
function runInThread(slot: ThreadSlot, html: string, limits: Limits): Promise<Conversion> {
  const { cpuMsMax = CONVERT_CPU_MS_MAX, msMax = CONVERT_MS_MAX, signal } = limits
  const worker = slot.idle ?? startThread()
  slot.idle = undefined
  worker.ref()
  const before = process.cpuUsage()
  return new Promise((resolve) => {
    const leave = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', cut)
      worker.off('error', fail).off('message', done)
    }
    const stop = (conversion: Conversion) => {
      leave()
      // An error of a thread that is being ended would otherwise be uncaught.
      worker.on('error', () => {})
      void worker.terminate().then(() => resolve(conversion))
    }
    const cut = () => stop(CUT)
    const fail = (cause: unknown) => stop({ kind: isMemory(cause) ? 'too_much_memory' : 'broken' })
    const done = (converted: ConversionOutcome) => {
      if (html.length > KEPT_HTML_CHARS_MAX) return stop(converted)
      leave()
      worker.unref()
      slot.idle = worker
      resolve(converted)
    }
    const checkTime = () => {
      const leftMs = cpuMsMax - readCpuMs(before)
      if (leftMs <= 0) return stop({ kind: 'too_slow' })
      timer = setTimeout(checkTime, Math.max(leftMs, CHECK_PAUSE_MS_MIN))
    }
    let timer = setTimeout(checkTime, msMax)
    signal.addEventListener('abort', cut, { once: true })
    worker.on('error', fail).on('message', done)
    worker.postMessage(html)
  })
}

/** Processor time of all threads: in a function, other threads are mostly idle meanwhile. */
function readCpuMs(before: NodeJS.CpuUsage): number {
  const { system, user } = process.cpuUsage(before)
  return (system + user) / US_PER_MS
}

function isMemory(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
