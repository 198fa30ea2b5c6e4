/** Looking for changes of other processes while the file is closed, locked or damaged. */
import { expect, onTestFinished, test } from 'vitest'
import { currentTraceId, runWithTrace } from '../../../adapters/config/trace.ts'
import { watchedBells } from '../../../adapters/sqlite/reply-stream/bells.ts'

test('a look that fails is reported once, and no timer looks again before the next stream', async () => {
  const fault = new Error('disk I/O error')
  const troubles: unknown[] = []
  let looks = 0
  const hasChanged = () => {
    looks += 1
    throw fault
  }
  const bells = watchedBells(hasChanged, (cause) => troubles.push(cause))
  const first = bells.listen('a')
  onTestFinished(() => first.stop())
  await expect.poll(() => troubles).toEqual([fault])
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(looks).toBe(1)
  const second = bells.listen('b')
  onTestFinished(() => second.stop())
  await expect.poll(() => troubles).toEqual([fault, fault])
})

test('a look that fails is reported in the trace of no stream, since it is made for all of them', async () => {
  const traces: unknown[] = []
  const bells = watchedBells(
    () => {
      throw new Error('disk I/O error')
    },
    () => traces.push(currentTraceId()),
  )
  const bell = runWithTrace(undefined, () => bells.listen('a'))
  onTestFinished(() => bell.stop())
  await expect.poll(() => traces).toEqual([undefined])
})
