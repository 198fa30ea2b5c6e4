import { expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { collectAfter } from '../../../adapters/http/collect-after.ts'

type Invocation = Parameters<StreamingHandler>

const NOTHING = {} as unknown as Invocation[0]
const INVOCATION: Invocation = [NOTHING, NOTHING as never, NOTHING as never]
const MB = 1_048_576

function externalMb(): number {
  return process.memoryUsage().external / MB
}

/** Buffers that nothing holds when it has returned. */
async function leave(megabytes: number): Promise<void> {
  for (let left = 0; left < megabytes; left += 1) Buffer.alloc(MB, 1)
}

test('an invocation that leaves 24 MB of buffers has given them back when it ends', async () => {
  const handler = collectAfter(async () => leave(24))
  await collectAfter(async () => leave(24))(...INVOCATION)
  const before = externalMb()
  await handler(...INVOCATION)
  await handler(...INVOCATION)
  expect(externalMb() - before).toBeLessThan(12)
})

test('an invocation that fails after it has left 24 MB gives them back, and fails as it did', async () => {
  let calls = 0
  const handler = collectAfter(async () => {
    calls += 1
    if (calls === 1) return
    await leave(24)
    throw new Error('the door failed')
  })
  await handler(...INVOCATION)
  const before = externalMb()
  await expect(handler(...INVOCATION)).rejects.toThrow('the door failed')
  expect(externalMb() - before).toBeLessThan(12)
})
