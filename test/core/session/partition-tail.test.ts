import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tailPartition } from '../../../core/session/partition-tail.ts'
import type { Session, SessionNews, StoredReply } from '../../../core/session/session.ts'
import type { SeqRange } from '../../../core/session/watermark.ts'
import { type ManualClock, manualClock, START_MS } from '../flow/manual-clock.ts'

const FIRST: Session = {
  hash: 'h',
  keyHash: 'k',
  uid: 'ada',
  sealedCredential: undefined,
  createdAtMs: START_MS,
  lastPostAtMs: START_MS,
  aliveUntilMs: START_MS + 75_000,
  endedAtMs: undefined,
  seq: 0,
  base: 0,
  pending: [],
}

/** A partition of a store, as a tail reads it: counts reads, lags or fails when told to. */
function partition(clock: ManualClock) {
  const store = {
    session: FIRST as Session | undefined,
    /** The record that an eventual read returns while it lags. */
    older: undefined as Session | undefined,
    replies: new Map<number, StoredReply>(),
    recordReads: 0,
    replyReads: 0,
    readAtOnce: Infinity,
    /** Times of the reads, from the start. */
    recordAtMs: [] as number[],
    repliesAtMs: [] as number[],
    down: { record: false, replies: false },
    change(more: Partial<Session>) {
      store.session = { ...FIRST, ...store.session, ...more }
    },
    accept() {
      const seq = (store.session?.seq ?? 0) + 1
      store.change({ seq, lastPostAtMs: clock.nowMs() })
    },
    answer(seq: number) {
      store.replies.set(seq, { seq, sealed: new Uint8Array([seq]) })
    },
  }
  const reads = {
    readSession: async (consistent: boolean) => {
      store.recordReads += 1
      store.recordAtMs.push(clock.nowMs() - START_MS)
      if (store.down.record) throw new Error('the store is down')
      return consistent ? store.session : (store.older ?? store.session)
    },
    repliesIn: async ({ after, upTo = Infinity }: SeqRange) => {
      store.replyReads += 1
      store.repliesAtMs.push(clock.nowMs() - START_MS)
      if (store.down.replies) throw new Error('the store is down')
      const all = [...store.replies.values()].filter(({ seq }) => seq > after && seq <= upTo)
      const replies = all.slice(0, store.readAtOnce)
      return { replies, isCut: replies.length === store.readAtOnce }
    },
  }
  return { store, reads }
}

function tailed(record: 'there' | 'not there yet' = 'there') {
  const clock = manualClock()
  const { store, reads } = partition(clock)
  if (record === 'not there yet') store.session = undefined
  const stop = new AbortController()
  const news: SessionNews[] = []
  const troubles: unknown[] = []
  let ended = false
  const run = async () => {
    const onTrouble = (cause: unknown) => troubles.push(cause)
    for await (const one of tailPartition(reads, clock, stop.signal, { onTrouble })) news.push(one)
    ended = true
  }
  const done = run()
  const seqs = () => news.flatMap((one) => (one.kind === 'reply' ? [one.seq] : []))
  return { clock, store, news, troubles, seqs, stop, done, ended: () => ended }
}

describe('a tail', () => {
  test('reports the record first, and each change of it once', async () => {
    const { clock, store, news, stop } = tailed()
    await clock.advance(1_000)
    expect(news).toEqual([{ kind: 'session', session: FIRST }])
    store.change({ aliveUntilMs: START_MS + 99_000 })
    await clock.advance(1_000)
    store.change({ endedAtMs: START_MS + 2_000 })
    await clock.advance(1_000)
    expect(news).toHaveLength(3)
    stop.abort()
  })

  test('waits for a record that is not there yet', async () => {
    const { clock, store, news, ended, stop } = tailed('not there yet')
    await clock.advance(1_000)
    expect([news.length, ended()]).toEqual([0, false])
    store.session = FIRST
    await clock.advance(250)
    expect(news).toHaveLength(1)
    stop.abort()
  })

  test('ends when the record that it has seen is gone', async () => {
    const { clock, store, ended } = tailed()
    await clock.advance(250)
    store.session = undefined
    await clock.advance(250)
    expect([ended(), clock.sleepers()]).toEqual([true, 0])
  })

  test('ends when it is stopped in the middle of its sleep, and leaves no sleeper', async () => {
    const { clock, ended, stop } = tailed()
    await clock.advance(100)
    stop.abort()
    await clock.settle()
    expect([ended(), clock.sleepers()]).toEqual([true, 0])
  })

  test('ignores an older record, as an eventual read may give it', async () => {
    const { clock, store, news, stop } = tailed()
    store.change({ seq: 2, endedAtMs: START_MS })
    await clock.advance(250)
    expect(news).toHaveLength(2)
    store.older = { ...FIRST, seq: 1 }
    await clock.advance(1_000)
    expect(news).toHaveLength(2)
    stop.abort()
  })

  test('finds a reply with the same poll that finds its request', async () => {
    const { clock, store, seqs, stop } = tailed()
    await clock.settle()
    store.accept()
    store.answer(1)
    await clock.advance(250)
    expect(seqs()).toEqual([1])
    stop.abort()
  })

  test('reads what one poll left without a pause, as soon as its news were taken', async () => {
    const { clock, store, seqs, stop } = tailed()
    await clock.settle()
    store.readAtOnce = 2
    for (let seq = 1; seq <= 5; seq += 1) {
      store.accept()
      store.answer(seq)
    }
    await clock.advance(250)
    expect(seqs()).toEqual([1, 2, 3, 4, 5])
    expect(store.repliesAtMs).toEqual([250, 250, 250])
    stop.abort()
  })

  test('reads no more while nobody takes what it has read', async () => {
    const clock = manualClock()
    const { store, reads } = partition(clock)
    store.readAtOnce = 2
    for (let seq = 1; seq <= 5; seq += 1) {
      store.accept()
      store.answer(seq)
    }
    const stop = new AbortController()
    const tail = tailPartition(reads, clock, stop.signal, { onTrouble: () => {} })
    const taken: unknown[] = []
    for (let n = 0; n < 3; n += 1) taken.push((await tail.next()).value)
    expect(taken).toMatchObject([{ kind: 'session' }, { seq: 1 }, { seq: 2 }])
    expect(store.replyReads).toBe(1)
    expect((await tail.next()).value).toMatchObject({ seq: 3 })
    expect(store.replyReads).toBe(2)
    stop.abort()
  })

  test('reports replies as they come, in any order, each once', async () => {
    const { clock, store, seqs, stop } = tailed()
    for (let n = 0; n < 4; n += 1) store.accept()
    await clock.settle()
    for (const seq of [3, 1, 4, 2]) {
      store.answer(seq)
      await clock.advance(250)
    }
    await clock.advance(5_000)
    expect(seqs()).toEqual([3, 1, 4, 2])
    stop.abort()
  })

  test('goes on after delivered requests were forgotten', async () => {
    const { clock, store, seqs, stop } = tailed()
    for (const seq of [1, 2, 3]) {
      store.accept()
      store.answer(seq)
    }
    await clock.advance(250)
    store.change({ base: 3 })
    store.replies.clear()
    await clock.advance(250)
    store.accept()
    store.answer(4)
    await clock.advance(250)
    expect(seqs()).toEqual([1, 2, 3, 4])
    stop.abort()
  })
})

describe('the cost of a tail', () => {
  test('an idle minute costs 240 reads of the record and none of replies', async () => {
    const { clock, store, stop } = tailed()
    await clock.advance(59_999)
    expect([store.recordReads, store.replyReads]).toEqual([240, 0])
    stop.abort()
  })

  test('a tail after a quiet minute costs 120 reads a minute', async () => {
    const { clock, store, stop } = tailed()
    await clock.advance(60_250)
    const before = store.recordReads
    await clock.advance(60_000)
    expect(store.recordReads - before).toBe(120)
    stop.abort()
  })

  test("the stream's own renewals do not end the quiet", async () => {
    const { clock, store, stop } = tailed()
    for (let renewal = 1; renewal <= 4; renewal += 1) {
      await clock.advance(30_000)
      store.change({ aliveUntilMs: START_MS + 75_000 + renewal * 30_000 })
    }
    const before = store.recordReads
    await clock.advance(60_000)
    expect(store.recordReads - before).toBe(120)
    stop.abort()
  })

  test('a POST without a reply to come, such as the answer to a ping, does not end the quiet, and is reported', async () => {
    const { clock, store, news, stop } = tailed()
    await clock.advance(90_000)
    store.change({ lastPostAtMs: clock.nowMs() })
    await clock.advance(500)
    expect(news).toHaveLength(2)
    const before = store.recordReads
    await clock.advance(10_000)
    expect(store.recordReads - before).toBe(20)
    stop.abort()
  })

  test('a request ends the quiet', async () => {
    const { clock, store, seqs, stop } = tailed()
    await clock.advance(90_000)
    store.accept()
    store.answer(1)
    await clock.advance(500)
    expect(seqs()).toEqual([1])
    const before = store.recordReads
    await clock.advance(10_000)
    expect(store.recordReads - before).toBe(40)
    stop.abort()
  })

  test('a pending request is asked for every 40 ms for two seconds, then more and more slowly', async () => {
    const { clock, store, stop } = tailed()
    await clock.settle()
    store.accept()
    await clock.advance(3_000)
    // Seen at 250. The fifty pauses of 40 ms end at 2,250.
    expect(store.repliesAtMs.slice(0, 4)).toEqual([250, 290, 330, 370])
    expect(store.repliesAtMs.slice(49)).toEqual([2_210, 2_250, 2_310, 2_400, 2_535, 2737.5, 2987.5])
    stop.abort()
  })

  test('the record is read at most every 200 ms while a request is pending', async () => {
    const { clock, store, stop } = tailed()
    await clock.settle()
    store.accept()
    await clock.advance(3_000)
    expect(store.recordAtMs).toEqual([
      0, 250, 450, 650, 850, 1_050, 1_250, 1_450, 1_650, 1_850, 2_050, 2_250, 2_535, 2737.5, 2987.5,
    ])
    stop.abort()
  })

  test('a call of 300 ms, once it was seen, costs 8 queries and 1 read of the record', async () => {
    const { clock, store, seqs, stop } = tailed()
    await clock.settle()
    store.accept()
    await clock.advance(250)
    const [records, replies] = [store.recordReads, store.replyReads]
    await clock.advance(300)
    store.answer(1)
    await clock.advance(20)
    expect(seqs()).toEqual([1])
    expect([store.replyReads - replies, store.recordReads - records]).toEqual([8, 1])
    stop.abort()
  })

  test('a tail is as slow as before once all is answered', async () => {
    const { clock, store, stop } = tailed()
    await clock.settle()
    store.accept()
    await clock.advance(250)
    store.answer(1)
    await clock.advance(40)
    const [records, replies] = [store.recordReads, store.replyReads]
    await clock.advance(1_000)
    expect([store.recordReads - records, store.replyReads - replies]).toEqual([4, 0])
    stop.abort()
  })
})

describe('a tail with one pending request', () => {
  /** Request 1 was accepted at once and seen at 250; it is 260 now. */
  async function waiting() {
    const tail = tailed()
    await tail.clock.settle()
    tail.store.accept()
    await tail.clock.advance(260)
    return tail
  }

  test('the next poll brings the reply to another request that no record has shown yet', async () => {
    const { clock, store, seqs, stop } = await waiting()
    store.accept()
    store.answer(2)
    await clock.advance(29)
    expect(seqs()).toEqual([])
    await clock.advance(1)
    expect(seqs()).toEqual([2])
    stop.abort()
  })

  test('the reply to another request does not slow down the wait for the first', async () => {
    const { clock, store, seqs, stop } = await waiting()
    store.accept()
    store.answer(2)
    await clock.advance(40)
    store.answer(1)
    await clock.advance(29)
    expect(seqs()).toEqual([2])
    await clock.advance(1)
    expect(seqs()).toEqual([2, 1])
    stop.abort()
  })

  test('the record that holds the request is reported before its reply', async () => {
    const { clock, store, news, stop } = await waiting()
    store.older = store.session
    store.accept()
    store.accept()
    store.answer(3)
    await clock.advance(40)
    expect(news.slice(2)).toEqual([
      { kind: 'session', session: { ...FIRST, seq: 3, lastPostAtMs: START_MS + 260 } },
      { kind: 'reply', seq: 3, sealed: new Uint8Array([3]) },
    ])
    stop.abort()
  })

  test('an unseen request costs one more read of the record, and later ones none, though the record lags', async () => {
    const { clock, store, stop } = await waiting()
    store.older = store.session
    store.accept()
    store.answer(2)
    await clock.advance(640)
    expect(store.recordAtMs).toEqual([0, 250, 290, 450, 650, 850])
    stop.abort()
  })

  test('the end of the session is reported 200 ms after the last read of the record', async () => {
    const { clock, store, news, stop } = await waiting()
    store.change({ endedAtMs: START_MS + 260 })
    await clock.advance(189)
    expect(news).toHaveLength(2)
    await clock.advance(1)
    expect(news.at(-1)).toMatchObject({ kind: 'session', session: { endedAtMs: START_MS + 260 } })
    stop.abort()
  })

  test('the end of the session is reported within 250 ms when a request is pending for long', async () => {
    const { clock, store, news, stop } = await waiting()
    await clock.advance(10_000)
    store.change({ endedAtMs: START_MS + 10_260 })
    await clock.advance(250)
    expect(news).toHaveLength(3)
    stop.abort()
  })
})

describe('trouble of the store', () => {
  test('store trouble is reported, waited out for 250, 500, 1000, 2000, 2000 ms, and over with the first answer', async () => {
    const { clock, store, troubles, stop } = tailed()
    store.down.record = true
    await clock.advance(6_100)
    expect(store.recordAtMs).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 6_000])
    expect(troubles).toHaveLength(6)
    store.down.record = false
    await clock.advance(2_200)
    expect(store.recordAtMs.slice(-2)).toEqual([8_000, 8_250])
    expect(troubles).toHaveLength(6)
    stop.abort()
  })

  test('loses no news: the next poll reports the news that a failed poll had read', async () => {
    const { clock, store, news, seqs, stop } = tailed()
    await clock.settle()
    store.accept()
    store.down.replies = true
    await clock.advance(250)
    expect(news).toHaveLength(1)
    store.down.replies = false
    store.answer(1)
    await clock.advance(250)
    expect(news.map((one) => one.kind)).toEqual(['session', 'session', 'reply'])
    expect(seqs()).toEqual([1])
    stop.abort()
  })

  test('store trouble does not keep a tail from being stopped', async () => {
    const { clock, store, stop, ended } = tailed()
    store.down.record = true
    await clock.advance(3_000)
    stop.abort()
    await clock.settle()
    expect([ended(), clock.sleepers()]).toEqual([true, 0])
  })
})

describe('news that are reported exactly once', () => {
  /** Possible events; `ms` is the time that passes before one. */
  const step = fc.record({
    ms: fc.integer({ min: 0, max: 400 }),
    what: fc.constantFrom('accept', 'answer', 'forget', 'fail', 'lag'),
    pick: fc.nat(1_000),
  })

  test('news are reported exactly once for any order of accepts, replies, forgetting, lagging reads and store trouble', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const tail = tailed()
        const open = new Set<number>()
        for (const { ms, what, pick } of steps) {
          await tail.clock.advance(ms)
          await DO[what](tail, open, pick)
        }
        tail.store.down = { record: false, replies: false }
        for (const seq of open) tail.store.answer(seq)
        await tail.clock.advance(5_000)
        tail.stop.abort()
        await tail.done
        const accepted = Array.from({ length: tail.store.session?.seq ?? 0 }, (_, i) => i + 1)
        expect([...tail.seqs()].sort((a, b) => a - b)).toEqual(accepted)
      }),
      { numRuns: 150, seed: 20_331 },
    )
  })
})

type TestTail = ReturnType<typeof tailed>
type TailEvent = (tail: TestTail, open: Set<number>, pick: number) => void | Promise<void>

const DO: { readonly [what in 'accept' | 'answer' | 'forget' | 'fail' | 'lag']: TailEvent } = {
  accept: ({ store }, open) => {
    store.accept()
    open.add(store.session?.seq ?? 0)
  },
  answer: ({ store }, open, pick) => {
    const seq = [...open][pick % open.size]
    if (seq === undefined) return
    open.delete(seq)
    store.answer(seq)
  },
  forget: ({ store, seqs }) => {
    store.change({ base: Math.max(store.session?.base ?? 0, deliveredUpTo(seqs())) })
  },
  fail: async ({ store, clock }, _open, pick) => {
    store.down = { record: pick % 2 === 0, replies: pick % 2 === 1 }
    await clock.advance(pick)
    store.down = { record: false, replies: false }
  },
  lag: async ({ store, clock }, _open, pick) => {
    const newest = store.session ?? FIRST
    store.older = { ...newest, seq: Math.max(newest.base, newest.seq - 1) }
    await clock.advance(pick % 300)
    store.older = undefined
  },
}

function deliveredUpTo(seqs: readonly number[]): number {
  let up = 0
  while (seqs.includes(up + 1)) up += 1
  return up
}
