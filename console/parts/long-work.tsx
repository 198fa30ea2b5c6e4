/**
 * Work of many requests, one after the other. It goes on when the person opens another page, and its
 * result stays until the person signs out.
 */
import { effect, type Signal, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { ApiError } from '../api/client.ts'
import { person } from '../shell/session.ts'
import { Failure } from './states.tsx'

/** What one request gave, and where the next one begins; no `next` at the end. */
export type Batch<R> = { readonly rows: readonly R[]; readonly next?: string | undefined }

export type LongWork<R> = {
  /** The run that may change this; undefined while none runs. */
  readonly run?: symbol | undefined
  readonly rows: readonly R[]
  /** Where the next request begins; undefined before the first one and at the end. */
  readonly next?: string | undefined
  readonly error?: ApiError
}

const NOTHING: LongWork<never> = { rows: [] }

const kept = new Map<string, Signal<LongWork<unknown>>>()

effect(() => {
  if (person.value.kind !== 'nobody') return
  for (const work of kept.values()) work.value = NOTHING
  kept.clear()
})

/** The work of this name; `key` says what it is about, such as a month. */
export function findWork<R>(key: string): Signal<LongWork<R>> {
  const work = kept.get(key) ?? signal<LongWork<unknown>>(NOTHING)
  kept.set(key, work)
  // A name is used with one type of rows.
  return work as Signal<LongWork<R>>
}

/** Shows a button to start, go on or stop, and how far the work is. */
export function Progress<R>({
  of,
  start,
  step,
  children,
}: {
  of: Signal<LongWork<R>>
  /** The label of the button. */
  start: string
  step: (from: string | undefined) => Promise<Batch<R>>
  /** How far it is, in words. */
  children: ComponentChildren
}) {
  const { error, next, rows, run } = of.value
  const isRunning = run !== undefined
  const toggle = () => {
    if (isRunning) of.value = { ...of.peek(), run: undefined }
    else void runSteps(of, step)
  }
  const isBegun = isRunning || rows.length > 0
  return (
    <div class="progress">
      <button type="button" onClick={toggle}>
        {isRunning ? 'Stop' : next === undefined ? start : 'Go on'}
      </button>
      <output>{isBegun && children}</output>
      {error !== undefined && <Failure error={error} />}
    </div>
  )
}

/**
 * A step that fails can be done again: the rows before it stay. What a step brings after somebody
 * stopped its run, or signed out, is dropped.
 */
async function runSteps<R>(
  work: Signal<LongWork<R>>,
  step: (from: string | undefined) => Promise<Batch<R>>,
): Promise<void> {
  const mine = Symbol()
  const isMine = () => work.peek().run === mine
  const { next, rows } = work.peek()
  work.value = next === undefined ? { run: mine, rows: [] } : { run: mine, rows, next }
  try {
    while (isMine()) {
      const batch = await step(work.peek().next)
      if (!isMine()) return
      work.value = {
        run: batch.next === undefined ? undefined : mine,
        rows: [...work.peek().rows, ...batch.rows],
        next: batch.next,
      }
    }
  } catch (cause) {
    if (!isMine()) return
    const error = cause instanceof ApiError ? cause : new ApiError(0, { detail: String(cause) })
    work.value = { ...work.peek(), run: undefined, error }
  }
}
