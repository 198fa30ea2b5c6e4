import { describe, expect, test } from 'vitest'
import { openMailbox } from '../../../../adapters/dynamodb/reply-stream/mailbox.ts'
import type { FeedNote } from '../../../../core/session/stream-tail.ts'
import { manualClock } from '../../../core/flow/manual-clock.ts'

const LOOK: FeedNote = { kind: 'look' }

function told(seq: number): FeedNote {
  return { kind: 'reply', reply: { seq, sealed: new Uint8Array([seq]) } }
}

function opened() {
  const clock = manualClock()
  const box = openMailbox(clock, { keepsUp: () => true, busy: () => {} })
  const stop = new AbortController()
  let waited = false
  const wait = (ms: number) => {
    waited = false
    void box.feed.wait(ms, stop.signal).then(() => {
      waited = true
    })
  }
  return { clock, ...box, stop, wait, waited: () => waited }
}

describe('a mailbox', () => {
  test('gives notes in their order, each once', () => {
    const { feed, put } = opened()
    put(told(2))
    put(LOOK)
    expect(feed.take()).toEqual([told(2), LOOK])
    expect(feed.take()).toEqual([])
  })

  test('keeps 32 notes, and past them only the advice to look at the partition', () => {
    const { feed, put } = opened()
    for (let seq = 1; seq <= 32; seq += 1) put(told(seq))
    expect(feed.take()).toHaveLength(32)
    for (let seq = 1; seq <= 33; seq += 1) put(told(seq))
    put(told(34))
    expect(feed.take()).toEqual([LOOK, told(34)])
  })

  test('ends the wait when a note arrives, and does not wait while one is there', async () => {
    const { clock, put, wait, waited } = opened()
    wait(1_000)
    await clock.settle()
    expect(waited()).toBe(false)
    put(LOOK)
    await clock.settle()
    expect(waited()).toBe(true)
    wait(1_000)
    await clock.settle()
    expect([waited(), clock.sleepers()]).toEqual([true, 0])
  })

  test('ends the wait at its limit or when the tail stops, and leaves no sleeper', async () => {
    const { clock, stop, wait, waited } = opened()
    wait(1_000)
    await clock.advance(1_000)
    expect(waited()).toBe(true)
    wait(1_000)
    await clock.settle()
    stop.abort()
    await clock.settle()
    expect([waited(), clock.sleepers()]).toEqual([true, 0])
    wait(1_000)
    await clock.settle()
    expect([waited(), clock.sleepers()]).toEqual([true, 0])
  })
})
