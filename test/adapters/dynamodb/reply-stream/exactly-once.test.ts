/**
 * Reports each reply once, after its request, whatever the stream, its shards and the store do
 * meanwhile.
 */
import {
  ExpiredIteratorException,
  InternalServerError,
  LimitExceededException,
} from '@aws-sdk/client-dynamodb-streams'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { replyRecord, sessionAt, sessionRecord } from './stream-records.ts'
import { type StreamWorld, streamWorld } from './stream-world.ts'

const NAMES = ['ada', 'bob'] as const
type Name = (typeof NAMES)[number]

/** The events between two moments; `ms` is the time that passes before one. */
const EVENTS = [
  'accept',
  'accept',
  'answer',
  'answer',
  'answer in parts',
  'forget',
  'repeat',
  'old image',
  'split',
  'switch shard',
  'hide children',
  'expire',
  'sleep',
  'trim',
  'throttle',
  'fail',
  'store down',
  'store up',
  'reopen',
] as const

/** The events after which the stream alone still delivers everything. */
const HARMLESS = [
  'accept',
  'accept',
  'answer',
  'answer',
  'forget',
  'repeat',
  'old image',
  'split',
  'hide children',
  'expire',
  'sleep',
  'throttle',
  'fail',
] as const

function stepOf<What extends (typeof EVENTS)[number]>(events: readonly What[]) {
  return fc.record({
    ms: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 2_000 })),
    what: fc.constantFrom(...events),
    name: fc.constantFrom(...NAMES),
    pick: fc.nat(1_000),
  })
}

test('the tail reports each reply once and after its request, in any order of events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepOf(EVENTS), { maxLength: 40 }), async (steps) => {
      const play = begin()
      await perform(play, steps)
      play.world.down = false
      await answerAll(play)
      expectEachOnce(play)
    }),
    { numRuns: 120, seed: 20_331 },
  )
})

test('the tail reports each reply once by the stream alone, with a table that is empty after the first read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepOf(HARMLESS), { maxLength: 40 }), async (steps) => {
      const play = begin()
      await play.clock.settle()
      play.world.down = true
      // A first record, so that each iterator has a position to continue after.
      DO.accept(play, 'ada', 0)
      await play.clock.advance(20)
      await perform(play, steps)
      await answerAll(play)
      expectEachOnce(play)
    }),
    { numRuns: 120, seed: 20_332 },
  )
})

type Step = {
  readonly ms: number
  readonly what: (typeof EVENTS)[number]
  readonly name: Name
  readonly pick: number
}

async function perform(play: Play, steps: readonly Step[]): Promise<void> {
  for (const { ms, name, pick, what } of steps) {
    await play.clock.advance(ms)
    await DO[what](play, name, pick)
  }
}

function expectEachOnce(play: Play): void {
  for (const name of NAMES) {
    const { news } = play.tails[name]
    const accepted = Array.from({ length: play.accepted[name] }, (_, index) => index + 1)
    const seqs = news.flatMap((one) => (one.kind === 'reply' ? [one.seq] : []))
    expect([...seqs].sort((a, b) => a - b)).toEqual(accepted)
    expect(news.filter((one, index) => isEarly(news.slice(0, index), one))).toEqual([])
  }
}

type News = ReturnType<StreamWorld['follow']>['news'][number]

/** A reply before the record of its request. */
function isEarly(before: readonly News[], one: News): boolean {
  return (
    one.kind === 'reply' &&
    !before.some((early) => early.kind === 'session' && early.session.seq >= one.seq)
  )
}

function begin() {
  const world = streamWorld()
  for (const name of NAMES) world.change(name, { aliveUntilMs: FOREVER_MS })
  const tails = { ada: world.follow('ada'), bob: world.follow('bob') }
  return {
    ...world,
    tails,
    accepted: { ada: 0, bob: 0 },
    /** Requests without a reply. */
    open: { ada: new Set<number>(), bob: new Set<number>() },
    shards: [world.world.shard],
  }
}

type Play = ReturnType<typeof begin>

const FOREVER_MS = 4_000_000_000_000

/** The stream works again, all requests are answered, and time passes. */
async function answerAll(play: Play): Promise<void> {
  play.stream.settings.hidden.clear()
  play.stream.heal()
  for (const name of NAMES) for (const seq of play.open[name]) play.answer(name, seq)
  await play.clock.advance(12_000)
  for (const name of NAMES) play.tails[name].stop()
  await play.clock.settle()
  expect(play.clock.sleepers()).toBe(0)
}

type PlayedEvent = (play: Play, name: Name, pick: number) => void | Promise<void>

function answer(parts: number): PlayedEvent {
  return ({ answer: write, open }, name, pick) => {
    const seq = [...open[name]][pick % Math.max(1, open[name].size)]
    if (seq === undefined) return
    open[name].delete(seq)
    write(name, seq, parts)
  }
}

const DO: { readonly [what in (typeof EVENTS)[number]]: PlayedEvent } = {
  accept: (play, name) => {
    const seq = play.accept(name)
    play.accepted[name] = seq
    play.open[name].add(seq)
  },
  answer: answer(1),
  'answer in parts': answer(3),
  forget: ({ change, tails }, name) => {
    const seqs = new Set(tails[name].seqs())
    let base = 0
    while (seqs.has(base + 1)) base += 1
    change(name, { base })
  },
  // The same record again, as after a retry of the writer.
  repeat: ({ accepted, open, stream, world }, name, pick) => {
    const seq = 1 + (pick % Math.max(1, accepted[name]))
    if (seq > accepted[name] || open[name].has(seq)) return
    stream.write(world.shard, replyRecord(name, seq, new Uint8Array([seq])))
  },
  'old image': ({ accepted, stream, world }, name, pick) => {
    const seq = pick % (accepted[name] + 1)
    stream.write(world.shard, sessionRecord(sessionAt(name, { seq })))
  },
  split: (play, _name, pick) => {
    if (play.world.shard.closed) return
    const children = play.stream.split(play.world.shard, 1 + (pick % 2))
    play.shards.push(...children)
    play.world.shard = children[pick % children.length] ?? play.world.shard
  },
  // Items of one session are read out of order when they are in two shards.
  'switch shard': (play, _name, pick) => {
    const open = play.shards.filter(({ closed }) => !closed)
    play.world.shard = open[pick % open.length] ?? play.world.shard
  },
  'hide children': ({ shards, stream }) => {
    for (const { id, parent } of shards.slice(-1)) if (parent) stream.settings.hidden.add(id)
  },
  expire: ({ stream }) => {
    stream.fail('GetRecords', new ExpiredIteratorException({ message: '', $metadata: {} }))
  },
  // The process is frozen for longer than an iterator lives.
  sleep: ({ clock }) => clock.jump(16 * 60_000),
  trim: ({ stream, world }) => stream.trim(world.shard),
  throttle: ({ stream }, _name, pick) => {
    const cause = new LimitExceededException({ message: '', $metadata: {} })
    stream.fail(COMMANDS[pick % 3] ?? '', cause, 1 + (pick % 4))
  },
  fail: ({ stream }, _name, pick) => {
    const cause = new InternalServerError({ message: '', $metadata: {} })
    stream.fail(COMMANDS[pick % 3] ?? '', cause, 1 + (pick % 2))
  },
  'store down': ({ world }) => {
    world.down = true
  },
  'store up': ({ world }) => {
    world.down = false
  },
  // Another stream of the same host comes and goes: the reader may stop and begin again.
  reopen: async ({ clock, follow }, name, pick) => {
    const other = follow(name)
    await clock.advance(pick)
    other.stop()
  },
}

const COMMANDS = ['GetRecords', 'GetShardIterator', 'DescribeStream']
