/**
 * The one thread of a database beside the event loop, for what takes longer than a call may wait:
 * checkpoints, and modules that it is told to load. It begins with the first of them; after it has ended by
 * itself, the next one begins another.
 */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { outsideTrace } from '../../config/trace.ts'
import { startLimitedThread } from './limited-thread.ts'
import { STORE_THREAD_CODE } from './store-thread-code.ts'

/** A checkpoint takes two statements and a batch of the feed 5 MB. Sums take 0.7 kB for each call of ten minutes. */
const MEMORY = { heapMb: 512, youngMb: 3 }

export type ToStoreThread =
  | { readonly kind: 'checkpoint' }
  /** Calls `run(start)` of the module, once for a thread. */
  | {
      readonly kind: 'load'
      readonly module: string
      readonly start: unknown
      readonly compiled: string | undefined
    }

export type Checkpointed = { readonly kind: 'checkpointed'; readonly failed: string | undefined }

export type StoreThread = {
  /** The running one, or a new one. It keeps no process alive. */
  get(): Worker
  close(): Promise<void>
}

export function storeThread(path: string): StoreThread {
  let worker: Worker | undefined
  const start = () => {
    const started = outsideTrace(() => startLimitedThread(STORE_THREAD_CODE, path, MEMORY))
    const forget = () => {
      if (worker === started) worker = undefined
    }
    started.on('error', forget)
    started.on('exit', forget)
    started.unref()
    return started
  }
  return {
    get: () => {
      worker ??= start()
      return worker
    },
    close: async () => void (await worker?.terminate()),
  }
}

/** It finds what Node compiled where the process does: its start takes a fifth of the time so. */
export function loadIn(thread: Worker, module: string, start: unknown): void {
  const folder = getCompileCacheDir()
  // The folder that Node answers is the one for its own version.
  const compiled = folder === undefined ? undefined : dirname(folder)
  thread.postMessage({ kind: 'load', module, start, compiled } satisfies ToStoreThread)
}
