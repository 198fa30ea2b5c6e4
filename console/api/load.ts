/** Loads what a page shows, and tells what to show meanwhile. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ApiError } from './client.ts'

export type Loaded<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: ApiError }

export type Loading<T> = {
  readonly state: Signal<Loaded<T>>
  /** Loads anew; what is shown stays until then. */
  reload(): Promise<void>
}

/**
 * Loads when the page opens, and again when one of `keys` changes. An answer that comes after its
 * page was left, or after a later request, is dropped.
 */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[] = [],
): Loading<T> {
  const state = useSignal<Loaded<T>>({ kind: 'loading' })
  const running = useSignal<AbortController | undefined>(undefined)
  const run = async () => {
    running.peek()?.abort()
    const controller = new AbortController()
    running.value = controller
    const loaded = await toLoaded(load(controller.signal))
    if (!controller.signal.aborted) state.value = loaded
  }
  useEffect(() => {
    state.value = { kind: 'loading' }
    void run()
    return () => running.peek()?.abort()
  }, keys)
  return { state, reload: run }
}

async function toLoaded<T>(loading: Promise<T>): Promise<Loaded<T>> {
  try {
    return { kind: 'ready', value: await loading }
  } catch (cause) {
    if (cause instanceof ApiError) return { kind: 'failed', error: cause }
    return { kind: 'failed', error: new ApiError(0, { detail: String(cause) }) }
  }
}
