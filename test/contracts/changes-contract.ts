/**
 * Contract of the port Changes, for a store that reports changes: a listener hears of each change soon after
 * it, whether this process made it or another one.
 */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ChangeTopic } from '../../core/ports/registry.ts'
import { freshName, freshUser, settledOf } from './fresh.ts'
import { type MakePorts, openedPorts, type StorePorts } from './store-ports.ts'

/** `makeOther`: the same store as another process has it; undefined: the store has one process. */
export function describeChanges(name: string, makePorts: MakePorts, makeOther?: MakePorts): void {
  describe(`${name}: changes`, () => {
    const opened = openedPorts(makePorts)
    const other = makeOther === undefined ? opened : openedPorts(makeOther)
    const writers = makeOther === undefined ? [opened] : [opened, other]

    test('changes of the shared list, and of any user’s own skills, are heard', async () => {
      for (const writer of writers) {
        const uid = await freshUser(writer(), 1)
        const listener = listening(opened(), 'tool-lists')
        await listener.afterNext(() => writer().toolListVersion.write(Date.now()))
        await listener.afterNext(() => writer().profiles.noteSkillsChanged(uid, Date.now()))
      }
    })

    test('changes of the outcome of a call are heard: its end, and its void', async () => {
      for (const writer of writers) {
        const [uid, callId] = [await freshUser(writer(), 1), freshName('1-')]
        const listener = listening(opened(), `call:${callId}`)
        await listener.afterNext(() => writer().ledger.decide(settledOf(uid, callId, 1)))
        await listener.afterNext(() =>
          writer().ledger.voidSettled({ uid, callId, reason: 'void', nowMs: Date.now() }),
        )
      }
    })

    test('changes of a task are heard: its end', async () => {
      for (const writer of writers) {
        const hash = freshName('task-')
        const nowMs = Date.now()
        const of = { uid: 'u', keyHash: 'k', callId: freshName('1-') }
        await writer().tasks.create({
          ...of,
          hash,
          createdAtMs: nowMs,
          untilMs: nowMs + 60_000,
          worker: 'w',
          aliveUntilMs: nowMs + 60_000,
        })
        const listener = listening(opened(), `task:${hash}`)
        await listener.afterNext(() =>
          writer().tasks.end({ hash, status: 'cancelled', nowMs, by: 'caller' }),
        )
      }
    })

    test('changes are reported to all listeners, and to none after it has stopped', async () => {
      const [first, second] = [listening(opened(), 'tool-lists'), listening(opened(), 'tool-lists')]
      await first.afterNext(() => other().toolListVersion.write(Date.now()))
      await second.afterNext(() => other().toolListVersion.write(Date.now()))
      first.stop()
      const before = first.count()
      await second.afterNext(() => other().toolListVersion.write(Date.now()))
      expect(first.count()).toBe(before)
    })
  })
}

function listening({ changes }: StorePorts, topic: ChangeTopic) {
  let count = 0
  const stop = changes.listen(topic, () => {
    count += 1
  })
  onTestFinished(stop)
  return {
    stop,
    count: () => count,
    /** Resolves once the listener was called after `change` began. */
    afterNext: async (change: () => Promise<unknown>) => {
      const before = count
      await change()
      await vi.waitUntil(() => count > before, { timeout: 100_000, interval: 5 })
    },
  }
}
