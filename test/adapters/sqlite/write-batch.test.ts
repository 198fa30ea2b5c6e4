/** Writes of one turn of the event loop share a transaction, and each gets its own result. */
import { expect, test } from 'vitest'
import { faultOf } from '../../../adapters/sqlite/database/store-fault.ts'
import { writeBatch } from '../../../adapters/sqlite/database/write-batch.ts'
import { holdOf, profileOf } from '../../contracts/fresh.ts'
import { freshFile, openFile, portsOver } from './fresh-file.ts'

test('a write that throws takes no other write of its batch with it', async () => {
  const database = openFile(freshFile())
  const insert = database.prepare('INSERT INTO v0_asked (keyHash) VALUES (?)')
  const count = database.prepare('SELECT count(*) AS rows FROM v0_asked')
  const write = (keyHash: string) => database.write(() => void insert.run(keyHash))
  const broken = database.write(() => {
    insert.run('broken')
    throw new Error('a bug')
  })
  const ends = await Promise.allSettled([write('a'), broken, write('b'), write('a'), write('c')])
  expect(ends.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(await database.read(() => count.get()?.['rows'])).toBe(3)
})

test('more writes than fit one turn are all made, in the order in which they came', async () => {
  const database = openFile(freshFile())
  const insert = database.prepare('INSERT INTO v0_asked (keyHash) VALUES (?)')
  const made: number[] = []
  const slow = (row: number) =>
    database.write(() => {
      for (const endMs = performance.now() + 0.1; performance.now() < endMs; );
      insert.run(String(row).padStart(3, '0'))
    })
  const all = Array.from({ length: 100 }, (_, row) => slow(row).then(() => made.push(row)))
  await Promise.all(all)
  expect(made).toEqual(Array.from({ length: 100 }, (_, row) => row))
})

test('holds that were rolled back with a batch are invisible afterwards', async () => {
  const database = openFile(freshFile())
  const { ledger, profiles } = portsOver(database)
  await profiles.create(profileOf('u-1', { credits: 10 }))
  const held = ledger.hold({ uid: 'u-1', callId: '1-a', holdsMax: 32, hold: holdOf(1) })
  const broken = database.write(() => {
    throw new Error('a bug')
  })
  await expect(broken).rejects.toThrow('a bug')
  expect((await held).kind).toBe('held')
  const profile = await profiles.read('u-1')
  expect([profile?.credits, Object.keys(profile?.holds ?? {})]).toEqual([9, ['1-a']])
  expect(profile?.holds['1-a']?.placement).toBe(1)
})

test('writes that another program locks out are refused together, after one wait', async () => {
  let waits = 0
  const locked = faultOf('a.sqlite', Object.assign(new Error('database is locked'), { errcode: 5 }))
  const write = writeBatch(async () => {
    waits += 1
    throw locked
  })
  const ends = await Promise.allSettled([1, 2, 3].map((row) => write(() => row)))
  expect(ends).toEqual([1, 2, 3].map(() => ({ status: 'rejected', reason: locked })))
  expect(waits).toBe(1)
})
