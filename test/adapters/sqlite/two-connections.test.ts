/** Two connections to one file, as two processes have them: locks, news, and the log that both write. */

import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LOG_PAGES_MAX } from '../../../adapters/sqlite/database/checkpoints.ts'
import type { Database } from '../../../adapters/sqlite/database/database.ts'
import { LOOK_EVERY_MS } from '../../../adapters/sqlite/reply-stream/bells.ts'
import { sqliteStorePorts } from '../../../adapters/sqlite/store-ports.ts'
import { sleepingClock } from '../../../bench/lib/sleeping-clock.ts'
import type { Clock, StorePorts } from '../../../core/ports.ts'
import { acceptOne, freshSession, holdOf, profileOf } from '../../contracts/fresh.ts'
import { listenTo } from '../../contracts/tail-listener.ts'
import { freshFile, openFile, openPorts, portsOver } from './fresh-file.ts'

test('holds through two connections at once never take more than there is', async () => {
  const path = freshFile()
  const both = [openPorts(path), openPorts(path)] as const
  await both[0].profiles.create(profileOf('u-1', { credits: 10 }))
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      both[index % 2 === 0 ? 0 : 1].ledger.hold({
        ...{ uid: 'u-1', callId: `1-${index}`, holdsMax: 32 },
        hold: holdOf(1),
      }),
    ),
  )
  expect(answers.filter(({ kind }) => kind === 'held')).toHaveLength(10)
  expect((await both[1].profiles.read('u-1'))?.credits).toBe(0)
})

test("a write waits for another connection's write without holding the event loop, and then succeeds", async () => {
  const path = freshFile()
  const ports = openPorts(path)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const created = ports.profiles.create(profileOf('u-1'))
  // A write that held the loop would have given up before the first turn was over.
  for (let turns = 0; turns < 20; turns += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect(await ports.profiles.read('u-1')).toBeUndefined()
  other.exec('COMMIT')
  expect(await created).toBe(true)
  other.close()
})

test('a reply through another connection wakes a tail that would sleep for ever', async () => {
  const path = freshFile()
  let sleepers = 0
  const sleep: Clock['sleep'] = (_ms, signal) =>
    new Promise((resolve) => {
      sleepers += 1
      signal?.addEventListener('abort', () => resolve())
    })
  const still = { advance: () => {}, alignToSecond: () => {} }
  const clock = { ...sleepingClock({ nowMs: Date.now, sleep }), ...still }
  const first = { ...sqliteStorePorts(openFile(path), clock, () => {}), clock }
  const second = openPorts(path)
  const hash = await freshSession(first)
  await acceptOne(first, hash, '1')
  const tail = listenTo(first, hash)
  onTestFinished(() => tail.stop())
  await expect.poll(() => sleepers).toBe(1)
  await second.replies.append({ hash, seq: 1, sealed: new Uint8Array([7]) })
  await tail.untilSeq(1)
  // Two looks in the 50 ms within which a change must be seen.
  expect(LOOK_EVERY_MS).toBe(25)
})

test('no connection looks for news of others while no tail waits', async () => {
  const database = openFile(freshFile())
  const looks = vi.spyOn(database, 'hasChanged')
  const ports = portsOver(database)
  const hash = await freshSession(ports)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(looks).not.toHaveBeenCalled()
  const tail = listenTo(ports, hash)
  onTestFinished(() => tail.stop())
  await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(0)
  await tail.stop()
  looks.mockClear()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(looks).not.toHaveBeenCalled()
})

test('the log is moved into the database while calls go on, and then begins anew', async () => {
  const path = freshFile()
  const database = openFile(path)
  const { ledger, profiles } = portsOver(database)
  await profiles.create(profileOf('u-1', { credits: 1 }))
  const { after, most } = await callUntilLogMoves(database, ledger)
  expect(most).toBeGreaterThan(LOG_PAGES_MAX)
  expect(after).toBeLessThan(most)
  expect(statSync(path).size).toBeGreaterThan(0)
  expect((await profiles.read('u-1'))?.credits).toBe(1)
})

test('the log is moved by another thread once the first has ended', async () => {
  const database = openFile(freshFile())
  const { ledger, profiles } = portsOver(database)
  await profiles.create(profileOf('u-1', { credits: 1 }))
  await callUntilLogMoves(database, ledger)
  await database.thread?.get().terminate()
  const { after, most } = await callUntilLogMoves(database, ledger)
  expect(most).toBeGreaterThan(LOG_PAGES_MAX)
  expect(after).toBeLessThan(most)
})

/** Pages of the log at the most and afterwards. */
async function callUntilLogMoves(database: Database, ledger: StorePorts['ledger']) {
  const pages = () => Number(database.prepare('PRAGMA wal_checkpoint(NOOP)').get()?.['log'])
  let most = 0
  // On a busy machine the thread that moves the log may run late.
  for (let call = 0; call < 2_000 && pages() >= most; call += 1) {
    most = pages()
    for (let again = 0; again < 100; again += 1) {
      const callId = `1-${call}-${again}`
      await ledger.hold({ uid: 'u-1', callId, holdsMax: 32, hold: holdOf(1) })
      await ledger.release({ uid: 'u-1', callId, giveBack: true })
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { after: pages(), most }
}
