import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { makeRunningWork } from '../../../adapters/http/running.ts'

class Response extends EventEmitter {
  cut = false
  destroy(): void {
    this.cut = true
    this.emit('close')
  }
}

const GRACE = { callMs: 5, refundMs: 5 }

describe('a stop', () => {
  test('ends streams at once and waits for the work behind them', async () => {
    const running = makeRunningWork()
    const stream = new Response()
    const work = Promise.withResolvers<void>()
    running.opened(stream, 'stream')
    running.track(work.promise)
    const stopped = running.stop({ callMs: 60_000, refundMs: 60_000 })
    expect(stream.cut).toBe(true)
    work.resolve()
    await stopped
  })

  test('cuts a call only after its grace period, then waits for its refund', async () => {
    const running = makeRunningWork()
    const call = new Response()
    const refund = Promise.withResolvers<void>()
    running.opened(call, 'call')
    running.track(refund.promise)
    let refunded = false
    call.once('close', () => {
      refunded = true
      refund.resolve()
    })
    const stopped = running.stop({ callMs: 5, refundMs: 60_000 })
    expect(call.cut).toBe(false)
    await stopped
    expect(refunded).toBe(true)
  })

  test('ignores finished work, and does not wait for ever', async () => {
    const running = makeRunningWork()
    const ended = new Response()
    running.opened(ended, 'call')
    ended.emit('close')
    running.track(Promise.reject(new Error('failed'))).catch(() => {})
    running.track(new Promise(() => {}))
    await running.stop(GRACE)
    expect(ended.cut).toBe(false)
  })

  test('ends a stream that opens meanwhile', async () => {
    const running = makeRunningWork()
    await running.stop(GRACE)
    const late = new Response()
    running.opened(late, 'stream')
    expect(late.cut).toBe(true)
  })
})
