import { expect, test } from 'vitest'
import { collectGarbageAfter } from '../../../adapters/http/collect-after.ts'
import type { StreamingHandler } from '../../../adapters/http/events.ts'

type Invocation = Parameters<StreamingHandler>

const INVOCATION = [{}, {}, {}] as unknown as Invocation
const MB = 1_048_576

function heapMb(): number {
  return process.memoryUsage().heapUsed / MB
}

/** Some 25 MB of objects that nothing holds when it has returned. */
function leave(): number {
  const held = Array.from({ length: 400_000 }, (_, at) => ({ at, text: `number ${at}` }))
  return held.length
}

/** The first invocation leaves nothing, so that the next ones are compared with it. */
function leaving(end: () => void, wrap: (handler: StreamingHandler) => StreamingHandler) {
  let invocations = 0
  return wrap(async () => {
    invocations += 1
    if (invocations === 1) return
    leave()
    end()
  })
}

test('an invocation that leaves 25 MB of objects has given them back when it ends', async () => {
  const handler = leaving(() => {}, collectGarbageAfter)
  await handler(...INVOCATION)
  const before = heapMb()
  await handler(...INVOCATION)
  expect(heapMb() - before).toBeLessThan(5)
})

test('an invocation that fails gives back what it leaves, and fails as it did', async () => {
  const handler = leaving(() => {
    throw new Error('the door failed')
  }, collectGarbageAfter)
  await handler(...INVOCATION)
  const before = heapMb()
  await expect(handler(...INVOCATION)).rejects.toThrow('the door failed')
  expect(heapMb() - before).toBeLessThan(5)
})
