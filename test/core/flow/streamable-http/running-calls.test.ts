/** Which running call a posted cancellation means: one, of the same key, or none. */
import { describe, expect, test } from 'vitest'
import {
  addRunningCall,
  cancelRunningCall,
  createRunningCalls,
  type RunningCalls,
} from '../../../../core/flow/streamable-http/running-calls.ts'

function started(running: RunningCalls, credentialId: string, id: string) {
  const cancel = new AbortController()
  const forget = addRunningCall(running, { credentialId, id }, cancel)
  return { forget, isCancelled: () => cancel.signal.aborted }
}

describe('a posted cancellation', () => {
  test('ends the call of the same key and id, and no other', () => {
    const running = createRunningCalls()
    const mine = started(running, 'key-a', '1')
    const another = started(running, 'key-a', '2')
    const strangers = started(running, 'key-b', '1')
    cancelRunningCall(running, { credentialId: 'key-a', id: '1' })
    expect([mine, another, strangers].map((call) => call.isCancelled())).toEqual([
      true,
      false,
      false,
    ])
  })

  test('ends no call where two calls of the key have the id', () => {
    const running = createRunningCalls()
    const both = [started(running, 'key-a', '1'), started(running, 'key-a', '1')]
    cancelRunningCall(running, { credentialId: 'key-a', id: '1' })
    expect(both.map((call) => call.isCancelled())).toEqual([false, false])
  })

  test('comes too late for a call that is over, and nothing is kept of it', () => {
    const running = createRunningCalls()
    const over = started(running, 'key-a', '1')
    over.forget()
    cancelRunningCall(running, { credentialId: 'key-a', id: '1' })
    expect(over.isCancelled()).toBe(false)
    expect(running.size()).toBe(0)
  })
})
