/** The thread of a store beside the event loop. */
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { currentTraceId, runWithTrace } from '../../../adapters/config/trace.ts'
import type { ToStoreThread } from '../../../adapters/sqlite/database/store-thread.ts'
import { storeThread } from '../../../adapters/sqlite/database/store-thread.ts'

test('messages of the thread of a store are heard in the trace of no call, though a call began it', async () => {
  const threads = storeThread(':memory:')
  onTestFinished(() => threads.close())
  const thread = runWithTrace(undefined, () => threads.get())
  const traces: unknown[] = []
  thread.on('message', () => traces.push(currentTraceId()))
  thread.postMessage({ kind: 'checkpoint' } satisfies ToStoreThread)
  await once(thread, 'message')
  expect(traces).toEqual([undefined])
})
