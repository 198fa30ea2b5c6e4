import { describe, expect, test } from 'vitest'
import type { Session, SessionNews, StoredReply } from '../../../core/session/session.ts'
import { type Feed, type FeedNote, tailStream } from '../../../core/session/stream-tail.ts'
import type { SeqRange } from '../../../core/session/watermark.ts'
import { manualClock, START_MS } from '../flow/manual-clock.ts'

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

/** A tail over a feed and a partition that the test fills by hand. */
function tailed() {
  const clock = manualClock()
  const notes: FeedNote[] = []
  let nap: AbortController | undefined
  const at = {
    /** Content of the partition. */
    session: FIRST as Session | undefined,
    replies: [] as StoredReply[],
    /** Times of the looks, and of those that asked for replies too, from the start. */
    looksAtMs: [] as number[],
    queriesAtMs: [] as number[],
    down: false,
    readAtOnce: Infinity,
    keepsUp: true,
    busy: 0,
  }
  const feed: Feed = {
    take: () => notes.splice(0),
    wait: async (ms, signal) => {
      if (notes.length > 0 || signal.aborted) return
      nap = new AbortController()
      signal.addEventListener('abort', () => nap?.abort())
      await clock.sleep(ms, nap.signal)
    },
    keepsUp: () => at.keepsUp,
    busy: () => {
      at.busy += 1
    },
  }
  const reads = {
    readSession: async () => {
      at.looksAtMs.push(clock.nowMs() - START_MS)
      if (at.down) throw new Error('the store is down')
      return at.session
    },
    repliesIn: async ({ after, upTo = Infinity }: SeqRange) => {
      at.queriesAtMs.push(clock.nowMs() - START_MS)
      const all = at.replies.filter(({ seq }) => seq > after && seq <= upTo)
      const replies = all.slice(0, at.readAtOnce)
      return { replies, isCut: replies.length === at.readAtOnce }
    },
  }
  const stop = new AbortController()
  const news: SessionNews[] = []
  const troubles: unknown[] = []
  let ended = false
  const run = async () => {
    const tail = tailStream(
      { reads, feed, clock, onTrouble: (cause) => troubles.push(cause) },
      stop.signal,
    )
    for await (const one of tail) news.push(one)
    ended = true
  }
  void run()
  return {
    clock,
    at,
    news,
    troubles,
    stop,
    ended: () => ended,
    seqs: () => news.flatMap((one) => (one.kind === 'reply' ? [one.seq] : [])),
    tell: async (...told: FeedNote[]) => {
      notes.push(...told)
      nap?.abort()
      await clock.settle()
    },
  }
}

function reply(seq: number): StoredReply {
  return { seq, sealed: new Uint8Array([seq]) }
}

function told(seq: number): FeedNote {
  return { kind: 'reply', reply: reply(seq) }
}

function shown(more: Partial<Session>): FeedNote {
  return { kind: 'session', session: { ...FIRST, ...more } }
}

const LOOK: FeedNote = { kind: 'look' }

describe('a tail over a feed', () => {
  test('looks at its partition when the reader is in place, and reports the record first', async () => {
    const { at, news, seqs, stop, tell } = tailed()
    at.session = { ...FIRST, seq: 2 }
    at.replies = [reply(2), reply(1)]
    await tell(LOOK)
    expect(news[0]).toEqual({ kind: 'session', session: { ...FIRST, seq: 2 } })
    expect(seqs()).toEqual([2, 1])
    stop.abort()
  })

  test('reads what one look left as soon as its news were taken', async () => {
    const { at, clock, seqs, stop, tell } = tailed()
    at.session = { ...FIRST, seq: 5 }
    at.replies = [1, 2, 3, 4, 5].map(reply)
    at.readAtOnce = 2
    await tell(LOOK)
    await clock.advance(0)
    expect(seqs()).toEqual([1, 2, 3, 4, 5])
    expect(at.queriesAtMs).toEqual([0, 0, 0])
    await clock.advance(1_000)
    expect(at.queriesAtMs).toHaveLength(3)
    stop.abort()
  })

  test('waits for the reader no longer than a second', async () => {
    const { clock, news, stop } = tailed()
    await clock.advance(999)
    expect(news).toEqual([])
    await clock.advance(1)
    expect(news).toHaveLength(1)
    stop.abort()
  })

  test('reports news of the feed without asking the store', async () => {
    const { at, news, stop, tell } = tailed()
    await tell(LOOK)
    await tell(shown({ seq: 1 }), told(1))
    expect(news.slice(1)).toEqual([
      { kind: 'session', session: { ...FIRST, seq: 1 } },
      { kind: 'reply', seq: 1, sealed: new Uint8Array([1]) },
    ])
    expect([at.looksAtMs, at.queriesAtMs]).toEqual([[0], []])
    stop.abort()
  })

  test('reports a reply once when both the look and the feed bring it', async () => {
    const { at, news, seqs, stop, tell } = tailed()
    at.session = { ...FIRST, seq: 2 }
    at.replies = [reply(1)]
    await tell(shown({ seq: 1 }), told(1), LOOK)
    await tell(shown({ seq: 1 }), told(1), shown({ seq: 2 }), told(2), told(1))
    expect(seqs()).toEqual([1, 2])
    expect(news.filter(({ kind }) => kind === 'session')).toHaveLength(2)
    stop.abort()
  })

  test('takes the image of an older record for no news', async () => {
    const { news, stop, tell } = tailed()
    await tell(LOOK)
    await tell(shown({ seq: 3 }))
    await tell(shown({ seq: 2 }), shown({}))
    expect(news).toHaveLength(2)
    stop.abort()
  })

  test('looks up a reply whose request no record has shown, so that the record comes first', async () => {
    const { at, news, stop, tell } = tailed()
    await tell(LOOK)
    at.session = { ...FIRST, seq: 1 }
    at.replies = [reply(1)]
    await tell(told(1))
    expect(news.slice(1)).toEqual([
      { kind: 'session', session: { ...FIRST, seq: 1 } },
      { kind: 'reply', seq: 1, sealed: new Uint8Array([1]) },
    ])
    stop.abort()
  })

  test('waits for a record that is not there yet', async () => {
    const { at, news, ended, stop, tell } = tailed()
    at.session = undefined
    await tell(LOOK)
    expect([news.length, ended()]).toEqual([0, false])
    await tell(shown({}))
    expect(news).toHaveLength(1)
    stop.abort()
  })

  test('ends when it is told to look and the record is gone', async () => {
    const { at, clock, ended, tell } = tailed()
    await tell(LOOK)
    at.session = undefined
    await tell(LOOK)
    expect([ended(), clock.sleepers()]).toEqual([true, 0])
  })

  test('ends when it is stopped, and leaves no sleeper', async () => {
    const { clock, ended, stop, tell } = tailed()
    await tell(LOOK)
    stop.abort()
    await clock.settle()
    expect([ended(), clock.sleepers()]).toEqual([true, 0])
  })

  test('requests and replies make a tail busy, and its own renewals and answered pings do not', async () => {
    const { at, stop, tell } = tailed()
    await tell(LOOK)
    expect(at.busy).toBe(1)
    await tell(shown({ aliveUntilMs: START_MS + 99_000 }), shown({ lastPostAtMs: START_MS + 5 }))
    expect(at.busy).toBe(1)
    await tell(shown({ seq: 1, lastPostAtMs: START_MS + 9 }))
    await tell(told(1))
    expect(at.busy).toBe(3)
    stop.abort()
  })
})

describe('the safety net of a tail over a feed', () => {
  test('is a read of the record every ten seconds while nothing is pending', async () => {
    const { at, clock, stop, tell } = tailed()
    await tell(LOOK)
    await clock.advance(60_000)
    expect(at.looksAtMs).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000])
    expect(at.queriesAtMs).toEqual([])
    stop.abort()
  })

  test('looks for an awaited reply every three seconds: five times before the stream answers', async () => {
    const { at, clock, stop, tell } = tailed()
    await tell(LOOK)
    at.session = { ...FIRST, seq: 1 }
    await clock.advance(4_000)
    await tell(shown({ seq: 1 }))
    await clock.advance(16_000)
    expect(at.queriesAtMs).toEqual([7_000, 10_000, 13_000, 16_000, 19_000])
    stop.abort()
  })

  test('is not put off by other requests that are answered meanwhile', async () => {
    const { at, clock, seqs, stop, tell } = tailed()
    await tell(LOOK)
    at.session = { ...FIRST, seq: 9 }
    await tell(shown({ seq: 1 }))
    for (const seq of [2, 3]) {
      await clock.advance(1_400)
      await tell(shown({ seq }), told(seq))
    }
    at.replies = [1, 2, 3].map(reply)
    await clock.advance(200)
    expect(seqs()).toEqual([2, 3, 1])
    stop.abort()
  })

  test('finds an expired session, which the feed does not report', async () => {
    const { at, clock, ended, tell } = tailed()
    await tell(LOOK)
    at.session = undefined
    await clock.advance(10_000)
    expect(ended()).toBe(true)
  })

  test('is a look each second while the reader does not keep up', async () => {
    const { at, clock, seqs, stop, tell } = tailed()
    await tell(LOOK)
    at.keepsUp = false
    at.session = { ...FIRST, seq: 1 }
    at.replies = [reply(1)]
    await clock.advance(1_000)
    expect(seqs()).toEqual([1])
    await clock.advance(2_000)
    expect(at.looksAtMs).toEqual([0, 1_000, 2_000, 3_000])
    stop.abort()
  })

  test('notices within a second that the reader has fallen behind', async () => {
    const { at, clock, stop, tell } = tailed()
    await tell(LOOK)
    await clock.advance(3_500)
    at.keepsUp = false
    await clock.advance(500)
    expect(at.looksAtMs).toEqual([0, 4_000])
    stop.abort()
  })
})

describe('store trouble of a tail over a feed', () => {
  test('is reported, waited out for 250, 500, 1000, 2000, 2000 ms, and then the awaited reply comes', async () => {
    const { at, clock, seqs, stop, tell, troubles } = tailed()
    at.down = true
    await tell(LOOK)
    await clock.advance(5_800)
    expect(at.looksAtMs).toEqual([0, 250, 750, 1_750, 3_750, 5_750])
    expect(troubles).toHaveLength(6)
    at.down = false
    at.session = { ...FIRST, seq: 1 }
    at.replies = [reply(1)]
    await clock.advance(2_000)
    expect(seqs()).toEqual([1])
    await clock.advance(9_949)
    expect(at.looksAtMs.slice(6)).toEqual([7_750])
    stop.abort()
  })

  test('does not hold back news of the feed', async () => {
    const { at, seqs, stop, tell } = tailed()
    await tell(LOOK)
    at.down = true
    await tell(LOOK, shown({ seq: 1 }), told(1))
    expect(seqs()).toEqual([1])
    stop.abort()
  })
})
