/**
 * Contract of the port Tasks: a task works until it is ended, once, and its result is read whole for a day after
 * its creation. Bound by ADR 0110.
 */
import { describe, expect, test } from 'vitest'
import type { NewTask } from '../../core/mcp/task.ts'
import { REPLY_ITEM_BYTES_MAX } from '../../core/session/limits.ts'
import { sameBytes } from './answered.ts'
import { atOnce, freshHash } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

const DAY_MS = 86_400_000

function taskOf(nowMs: number, createdAtMs = nowMs): NewTask {
  return {
    hash: freshHash(),
    uid: 'u-1',
    keyHash: 'key-1',
    callId: '1q6a0k000-c1',
    createdAtMs,
    untilMs: createdAtMs + 840_000,
    worker: 'w-1',
    aliveUntilMs: createdAtMs + 60_000,
  }
}

const MINE = { worker: 'w-1' }

/** The task as it is read. */
function seen({ worker, ...task }: NewTask) {
  return { ...task, writer: worker }
}

function filled(length: number): Uint8Array {
  return new Uint8Array(length).fill(7)
}

export function describeTasks(name: string, makePorts: MakePorts): void {
  describe(`${name}: tasks`, () => {
    const opened = openedPorts(makePorts)

    test('a task that was created works', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      const task = taskOf(nowMs)
      expect(await tasks.read(task.hash)).toBeUndefined()
      await tasks.create(task)
      const working = { ...seen(task), status: 'working', updatedAtMs: nowMs, sealed: undefined }
      expect(await tasks.read(task.hash)).toEqual(working)
    })

    test('a task keeps its result whole, at one part and past it', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      for (const length of [1, REPLY_ITEM_BYTES_MAX, REPLY_ITEM_BYTES_MAX + 1, 4_200_000]) {
        const task = taskOf(nowMs)
        // Each part differs from the others, so that their order counts.
        const sealed = filled(length).map((_, at) => at % 251)
        await tasks.create(task)
        const end = { hash: task.hash, status: 'completed', nowMs: nowMs + 5, sealed } as const
        expect(await tasks.end({ ...end, by: MINE })).toBe('own')
        const read = await tasks.read(task.hash)
        expect(read).toMatchObject({ status: 'completed', updatedAtMs: nowMs + 5 })
        expect(sameBytes(read?.sealed ?? filled(0), sealed)).toBe(true)
      }
    })

    test('a result of more than 12 parts is refused', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      const task = taskOf(nowMs)
      await tasks.create(task)
      const end = { hash: task.hash, status: 'completed', nowMs, by: MINE } as const
      await expect(tasks.end({ ...end, sealed: filled(4_200_001) })).rejects.toThrow('4200000')
      expect(await tasks.read(task.hash)).toMatchObject({ status: 'working' })
    })

    test('the first end of a task stands', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      const task = taskOf(nowMs)
      await tasks.create(task)
      const { hash } = task
      const cancel = { hash, status: 'cancelled', by: 'caller' } as const
      expect(await tasks.end({ ...cancel, nowMs: nowMs + 1 })).toBe('own')
      const late = { hash, status: 'completed', nowMs: nowMs + 2, sealed: filled(3) } as const
      expect(await tasks.end({ ...late, by: MINE })).toBe('cancelled')
      expect(await tasks.end({ ...cancel, nowMs: nowMs + 3 })).toBe('cancelled')
      // A late copy of the creation.
      await tasks.create(task)
      expect(await tasks.read(hash)).toEqual({
        ...seen(task),
        writer: expect.any(String),
        status: 'cancelled',
        updatedAtMs: nowMs + 1,
        sealed: undefined,
      })
    })

    test('20 workers and cancellations at once end a task once, with the bytes of the one that did', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      const task = taskOf(nowMs)
      await tasks.create(task)
      const results = Array.from({ length: 20 }, (_, index) => filled(400_000 + index))
      const ended = await atOnce(20, (index) => {
        const of = { hash: task.hash, nowMs: nowMs + index }
        return index % 2 === 0
          ? tasks.end({ ...of, status: 'completed', by: MINE, sealed: results[index] })
          : tasks.end({ ...of, status: 'cancelled', by: 'caller' })
      })
      expect(ended.filter((end) => end === 'own')).toHaveLength(1)
      const first = ended.indexOf('own')
      const read = await tasks.read(task.hash)
      expect(read?.status).toBe(first % 2 === 0 ? 'completed' : 'cancelled')
      expect(read?.sealed?.length).toBe(first % 2 === 0 ? 400_000 + first : undefined)
    })

    test('a reader ends a task whose lease is over, and no other one', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      const task = taskOf(nowMs)
      await tasks.create(task)
      const { hash } = task
      const read = { hash, status: 'failed', by: 'reader' } as const
      expect(await tasks.end({ ...read, nowMs: nowMs + 60_000 })).toBe('taken')
      expect(await tasks.renew({ hash, ...MINE, aliveUntilMs: nowMs + 90_000 })).toBe('own')
      expect(await tasks.end({ ...read, nowMs: nowMs + 60_001 })).toBe('taken')
      expect(await tasks.end({ ...read, nowMs: nowMs + 90_001 })).toBe('own')
      expect(await tasks.renew({ hash, ...MINE, aliveUntilMs: nowMs + 120_000 })).toBe('over')
      expect(await tasks.end({ hash, status: 'completed', nowMs, by: MINE })).toBe('over')
    })

    test('a lease is renewed by its worker alone, and never shortened', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      const task = taskOf(nowMs)
      await tasks.create(task)
      const { hash } = task
      const other = { worker: 'w-2' }
      expect(await tasks.renew({ hash, ...other, aliveUntilMs: nowMs + 70_000 })).toBe('taken')
      expect(await tasks.end({ hash, status: 'completed', nowMs, by: other })).toBe('taken')
      expect(await tasks.renew({ hash, ...MINE, aliveUntilMs: nowMs + 90_000 })).toBe('own')
      // A late copy.
      expect(await tasks.renew({ hash, ...MINE, aliveUntilMs: nowMs + 60_000 })).toBe('own')
      expect((await tasks.read(hash))?.aliveUntilMs).toBe(nowMs + 90_000)
      expect(await tasks.end({ hash, status: 'cancelled', nowMs, by: 'caller' })).toBe('own')
      expect(await tasks.renew({ hash, ...MINE, aliveUntilMs: nowMs + 120_000 })).toBe('cancelled')
    })

    test('a task that asks is answered in parts, and claimed once by one of many', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      const task = taskOf(nowMs)
      await tasks.create(task)
      const { hash } = task
      const asking = { hash, nowMs: nowMs + 1, aliveUntilMs: nowMs + 3_600_000, sealed: filled(2) }
      expect(await tasks.ask({ ...asking, worker: 'w-2' })).toBe('taken')
      expect(await tasks.ask({ ...asking, ...MINE })).toBe('own')
      expect(await tasks.end({ hash, status: 'completed', nowMs, by: MINE })).toBe('taken')
      expect(await tasks.renew({ hash, ...MINE, aliveUntilMs: nowMs + 9e6 })).toBe('taken')
      const asked = await tasks.read(hash)
      const seenAs = { status: 'input_required', updatedAtMs: nowMs + 1, sealed: filled(2) }
      expect(asked).toMatchObject({ ...seenAs, aliveUntilMs: nowMs + 3_600_000 })
      const over = asked?.writer ?? ''
      const part = { hash, over, nowMs: nowMs + 2, sealed: filled(400_000) }
      expect(await tasks.answer(part)).toBe(true)
      expect(await tasks.answer(part)).toBe(false)
      const read = await tasks.read(hash)
      expect(read?.sealed).toHaveLength(400_000)
      const last = { hash, over: read?.writer ?? '', aliveUntilMs: nowMs + 3_660_000 }
      const late = { ...last, worker: 'late', nowMs: nowMs + 3_600_001 }
      expect(await tasks.claim(late)).toBe(false)
      const claims = await atOnce(10, (index) =>
        tasks.claim({ ...last, worker: `c-${index}`, nowMs: nowMs + 3_600_000 }),
      )
      expect(claims.filter(Boolean)).toHaveLength(1)
      const working = { status: 'working', aliveUntilMs: nowMs + 3_660_000, sealed: undefined }
      expect(await tasks.read(hash)).toMatchObject(working)
      const by = { worker: `c-${claims.indexOf(true)}` }
      expect(await tasks.end({ hash, status: 'completed', nowMs, by })).toBe('own')
      expect(await tasks.claim({ ...last, worker: 'again', nowMs })).toBe(false)
    })

    test('a task that asks is cancelled by its caller, and ended by a reader past its time', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      const hashes = [0, 1].map(() => taskOf(nowMs))
      for (const task of hashes) {
        await tasks.create(task)
        const sealed = filled(REPLY_ITEM_BYTES_MAX + 1)
        await tasks.ask({ hash: task.hash, nowMs, aliveUntilMs: nowMs + 5, sealed, ...MINE })
        expect((await tasks.read(task.hash))?.sealed).toEqual(sealed)
      }
      const [first = '', second = ''] = hashes.map(({ hash }) => hash)
      const cancel = { hash: first, status: 'cancelled', nowMs, by: 'caller' } as const
      expect(await tasks.end(cancel)).toBe('own')
      expect((await tasks.read(first))?.sealed).toBeUndefined()
      const expire = { hash: second, status: 'completed', by: 'reader', sealed: filled(1) } as const
      expect(await tasks.end({ ...expire, nowMs: nowMs + 5 })).toBe('taken')
      expect(await tasks.end({ ...expire, nowMs: nowMs + 6 })).toBe('own')
      expect((await tasks.read(second))?.sealed).toHaveLength(1)
    })

    test('a task that was made for another process is claimed once by the name that it has', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      const task = taskOf(nowMs)
      await tasks.create(task)
      const claim = { hash: task.hash, over: 'w-1', nowMs, aliveUntilMs: nowMs + 60_000 }
      expect(await tasks.claim({ ...claim, worker: 'a' })).toBe(true)
      expect(await tasks.claim({ ...claim, worker: 'b' })).toBe(false)
      expect(await tasks.end({ hash: task.hash, status: 'completed', nowMs, by: MINE })).toBe(
        'taken',
      )
    })

    test('a task that nobody created cannot be ended', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      const hash = freshHash()
      expect(await tasks.end({ hash, status: 'failed', nowMs, by: 'caller' })).toBe('over')
      const lease = { hash, worker: 'w-1', aliveUntilMs: nowMs + 60_000 }
      expect(await tasks.renew(lease)).toBe('over')
      expect(await tasks.read(hash)).toBeUndefined()
    })

    test('a task is read for a day after its creation, whether the store has removed it or not', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      const young = taskOf(nowMs, nowMs - DAY_MS + 60_000)
      const old = taskOf(nowMs, nowMs - DAY_MS - 1_000)
      for (const task of [young, old]) await tasks.create(task)
      expect((await tasks.read(young.hash))?.hash).toBe(young.hash)
      expect(await tasks.read(old.hash)).toBeUndefined()
    })
  })
}
