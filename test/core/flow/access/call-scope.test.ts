/** The calls of one request wait on one timer, and leave their last steps to the end of the request. */
import { describe, expect, test, vi } from 'vitest'
import { openCallScope } from '../../../../core/flow/access/call-scope.ts'
import { makeWorld } from '../world.ts'

/** A scope that counts how often it arms the clock. */
function opened() {
  const { clock, log } = makeWorld()
  let armed = 0
  const counting = {
    ...clock,
    alarm: (ms: number, ring: () => void) => {
      armed += 1
      return clock.alarm(ms, ring)
    },
  }
  return { clock, log, scope: openCallScope({ clock: counting, log }), armed: () => armed }
}

const ANSWERED = Promise.resolve()

describe('the timer of a scope', () => {
  test('is armed once for a call that ends within a second', async () => {
    const { armed, clock, scope } = opened()
    const ends = [15_000, 1_000, 14_250].map((ms) => scope.alarm(ms, () => {}))
    await clock.advance(900)
    for (const end of ends) end()
    await scope.close(ANSWERED)
    expect([armed(), clock.sleepers()]).toEqual([1, 0])
  })

  test('rings for each wait at its time, and for none that was ended', async () => {
    const { clock, scope } = opened()
    const rung: string[] = []
    scope.alarm(15_000, () => rung.push('15 s'))
    await clock.advance(700)
    scope.alarm(200, () => rung.push('0.9 s'))
    const end = scope.alarm(1_000, () => rung.push('1.7 s'))
    scope.alarm(2_000, () => rung.push('2.7 s'))
    const seen: unknown[] = []
    for (const ms of [199, 1, 1_000, 799, 1, 12_299, 1]) {
      await clock.advance(ms)
      if (ms === 199) end()
      seen.push([...rung])
    }
    expect(seen).toEqual([
      [],
      ['0.9 s'],
      ['0.9 s'],
      ['0.9 s'],
      ['0.9 s', '2.7 s'],
      ['0.9 s', '2.7 s'],
      ['0.9 s', '2.7 s', '15 s'],
    ])
  })

  test('rings late for a process that was frozen, and once', async () => {
    const { clock, scope } = opened()
    let rung = 0
    scope.alarm(500, () => {
      rung += 1
    })
    clock.jump(60_000)
    await clock.settle()
    await clock.advance(5_000)
    expect(rung).toBe(1)
  })
})

describe('the steps of a scope', () => {
  test('run behind the answer, those of a call one after the other', async () => {
    const { scope } = opened()
    const done: string[] = []
    const call = Promise.withResolvers<readonly (() => Promise<void>)[]>()
    scope.follow(call.promise)
    const answer = Promise.withResolvers<void>()
    const closed = scope.close(answer.promise)
    call.resolve([
      async () => {
        await new Promise(setImmediate)
        done.push('settled')
      },
      async () => void done.push('noted'),
    ])
    await new Promise(setImmediate)
    expect(done).toEqual([])
    answer.resolve()
    await closed
    expect(done).toEqual(['settled', 'noted'])
  })

  test('wait 2 s for an answer that nobody reads', async () => {
    const { clock, scope } = opened()
    const ran = vi.fn()
    scope.follow([async () => ran()])
    const closed = scope.close(new Promise(() => {}))
    await clock.advance(1_999)
    expect(ran).not.toHaveBeenCalled()
    await clock.advance(1)
    expect(ran).toHaveBeenCalledOnce()
    await closed
    expect(clock.sleepers()).toBe(0)
  })

  test('that was released run as soon as they are known', async () => {
    const { clock, scope } = opened()
    const ran = vi.fn()
    scope.release()
    scope.follow([async () => ran()])
    await clock.settle()
    expect(ran).toHaveBeenCalledOnce()
  })

  test('a step that throws is logged, and the others of its scope run', async () => {
    const { log, scope } = opened()
    const ran = vi.fn()
    scope.follow([() => Promise.reject(new Error('bug')), async () => ran()])
    scope.follow([])
    await scope.close(Promise.reject(new Error('the answer failed')))
    expect([ran.mock.calls.length, log.events()]).toEqual([1, ['door-failed']])
  })
})
