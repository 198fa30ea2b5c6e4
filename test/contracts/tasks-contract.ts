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
  }
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
      const working = { ...task, status: 'working', updatedAtMs: nowMs, sealed: undefined }
      expect(await tasks.read(task.hash)).toEqual(working)
    })

    test('a task keeps its result whole, at one part and past it', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      for (const length of [1, REPLY_ITEM_BYTES_MAX, REPLY_ITEM_BYTES_MAX + 1, 2_000_000]) {
        const task = taskOf(nowMs)
        const sealed = filled(length)
        await tasks.create(task)
        const end = { hash: task.hash, status: 'completed', nowMs: nowMs + 5, sealed } as const
        expect(await tasks.end(end)).toBe(true)
        const read = await tasks.read(task.hash)
        expect(read).toMatchObject({ status: 'completed', updatedAtMs: nowMs + 5 })
        expect(sameBytes(read?.sealed ?? filled(0), sealed)).toBe(true)
      }
    })

    test('the first end of a task stands', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      const task = taskOf(nowMs)
      await tasks.create(task)
      const { hash } = task
      expect(await tasks.end({ hash, status: 'cancelled', nowMs: nowMs + 1 })).toBe(true)
      const sealed = filled(3)
      expect(await tasks.end({ hash, status: 'completed', nowMs: nowMs + 2, sealed })).toBe(false)
      expect(await tasks.end({ hash, status: 'cancelled', nowMs: nowMs + 3 })).toBe(false)
      // A late copy of the creation.
      await tasks.create(task)
      expect(await tasks.read(hash)).toEqual({
        ...task,
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
          ? tasks.end({ ...of, status: 'completed', sealed: results[index] })
          : tasks.end({ ...of, status: 'cancelled' })
      })
      expect(ended.filter(Boolean)).toHaveLength(1)
      const first = ended.indexOf(true)
      const read = await tasks.read(task.hash)
      expect(read?.status).toBe(first % 2 === 0 ? 'completed' : 'cancelled')
      expect(read?.sealed?.length).toBe(first % 2 === 0 ? 400_000 + first : undefined)
    })

    test('a task that nobody created cannot be ended', async () => {
      const { clock, tasks } = opened()
      const nowMs = clock.nowMs()
      const hash = freshHash()
      expect(await tasks.end({ hash, status: 'failed', nowMs })).toBe(false)
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
