/** Two connections to one file, as two processes have them: locks, news, and the log that both write. */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import { LOCK_PATIENCE_MS } from '../../../adapters/sqlite/database/patience.ts'
import { sqliteStorePorts } from '../../../adapters/sqlite/store-ports.ts'
import { acceptOne, freshSession, holdOf, profileOf } from '../../contracts/fresh.ts'
import { listenTo } from '../../contracts/tail-listener.ts'
import { freshFile, openFile, openPorts, portsOver } from './fresh-file.ts'

test('holds through both at once never take more than there is', async () => {
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

test('while another one writes, a write waits without holding the event loop, and then succeeds', async () => {
  const path = freshFile()
  const ports = openPorts(path)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const created = ports.profiles.create(profileOf('u-1'))
  let turns = 0
  for (const endMs = performance.now() + 100; performance.now() < endMs; turns += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  expect(turns).toBeGreaterThan(5)
  expect(await ports.profiles.read('u-1')).toBeUndefined()
  other.exec('COMMIT')
  expect(await created).toBe(true)
  other.close()
})

test('a lock that is held for longer than the patience is a fault that names file and remedy', async () => {
  const path = freshFile()
  const ports = openPorts(path)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const beganMs = performance.now()
  await expect(ports.profiles.create(profileOf('u-1'))).rejects.toThrow(
    `store: ${path} is locked by another program; stop that one`,
  )
  expect(performance.now() - beganMs).toBeGreaterThan(LOCK_PATIENCE_MS)
  other.exec('ROLLBACK')
  expect(await ports.profiles.create(profileOf('u-1'))).toBe(true)
  other.close()
}, 20_000)

test('a reply through another connection is heard within 50 ms', async () => {
  const path = freshFile()
  const clock = { ...systemClock(), advance: () => {}, alignToSecond: () => {} }
  const [here, there] = [openFile(path), openFile(path)].map((database) => ({
    ...sqliteStorePorts(database, clock, () => {}),
    clock,
  }))
  if (here === undefined || there === undefined) throw new Error('two were opened')
  const hash = await freshSession(here)
  await acceptOne(here, hash, '1')
  const tail = listenTo(here, hash)
  // Past the two seconds in which a tail polls fast anyway.
  await new Promise((resolve) => setTimeout(resolve, 3_500))
  const sentMs = performance.now()
  await there.replies.append({ hash, seq: 1, sealed: new Uint8Array([7]) })
  await tail.untilSeq(1)
  expect(performance.now() - sentMs).toBeLessThan(50)
  await tail.stop()
})

test('nobody looks for news of others while nobody waits', async () => {
  const database = openFile(freshFile())
  const looks = vi.spyOn(database, 'hasChanged')
  const ports = portsOver(database)
  const hash = await freshSession(ports)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(looks).not.toHaveBeenCalled()
  const tail = listenTo(ports, hash)
  await vi.waitFor(() => expect(looks).toHaveBeenCalled())
  await tail.stop()
  looks.mockClear()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(looks).not.toHaveBeenCalled()
})

test('the log is moved into the database while calls go on, and does not grow without end', async () => {
  const path = freshFile()
  const database = openFile(path)
  const { ledger, profiles } = portsOver(database)
  await profiles.create(profileOf('u-1', { credits: 1 }))
  const pages = () => Number(database.prepare('PRAGMA wal_checkpoint(NOOP)').get()?.['log'])
  let most = 0
  let longestMs = 0
  for (let call = 0; call < 8_000; call += 1) {
    const beganMs = performance.now()
    await ledger.hold({ uid: 'u-1', callId: `1-${call}`, holdsMax: 32, hold: holdOf(1) })
    await ledger.release({ uid: 'u-1', callId: `1-${call}`, giveBack: true })
    longestMs = Math.max(longestMs, performance.now() - beganMs)
    if (call % 100 === 0) {
      most = Math.max(most, pages())
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  expect(most).toBeGreaterThan(4_000)
  await vi.waitFor(() => expect(statSync(path).size).toBeGreaterThan(0))
  expect(statSync(`${path}-wal`).size).toBeLessThan(100_000_000)
  expect((await profiles.read('u-1'))?.credits).toBe(1)
  expect(longestMs).toBeLessThan(1_000)
}, 30_000)
