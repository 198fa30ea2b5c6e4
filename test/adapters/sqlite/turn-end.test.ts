/** At the end of a turn, reads share one look at the file, and what they lead to is written in the same turn. */
import { expect, test } from 'vitest'
import { epochsOf } from '../../../adapters/sqlite/database/epochs.ts'
import { afterPromises, turnEnd } from '../../../adapters/sqlite/database/turn-end.ts'
import { keyOf } from '../../contracts/fresh.ts'
import { freshFile, openFile, openPorts, portsOver } from './fresh-file.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('writes come behind the reads of their turn and all promises that these settled', async () => {
  const turn = turnEnd()
  const done: string[] = []
  turn.write(() => done.push('outcome'))
  const key = new Promise<void>((resolve) => turn.read(resolve))
  const counted = key.then(async () => {
    await Promise.resolve()
    done.push('key')
    turn.write(() => done.push('count'))
  })
  expect(done).toEqual([])
  await counted
  expect(done).toEqual(['key'])
  await nextTurn()
  expect(done).toEqual(['key', 'outcome', 'count'])
})

test('a read or write that comes during the end of a turn runs in the next one', async () => {
  const turn = turnEnd()
  const done: string[] = []
  turn.write(() => {
    done.push('first')
    turn.write(() => done.push('second'))
    turn.read(() => done.push('read'))
  })
  await nextTurn()
  expect(done).toEqual(['first'])
  await nextTurn()
  expect(done).toEqual(['first', 'read', 'second'])
})

test('a look is fresh for the promises of its callback, and for no later callback', async () => {
  let looks = 0
  const epochs = epochsOf(() => {
    looks += 1
    return 1
  })
  const fresh: boolean[] = []
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      epochs.now()
      void Promise.resolve().then(() => {
        epochs.now()
        fresh.push(epochs.isFresh())
        resolve()
      })
    })
  })
  await nextTurn()
  expect([looks, fresh, epochs.isFresh()]).toEqual([1, [true], false])
  epochs.now()
  expect(looks).toBe(2)
})

test('a step after the promises of a callback runs before the next callback', async () => {
  const done: string[] = []
  afterPromises(() => done.push('after'))
  setImmediate(() => done.push('callback'))
  await Promise.resolve().then(() => done.push('promise'))
  await nextTurn()
  expect(done).toEqual(['promise', 'after', 'callback'])
})

test('keys that are asked for in one turn are as new as its end', async () => {
  const path = freshFile()
  const [first, second] = [openPorts(path), openPorts(path)]
  for (const keyHash of ['h-1', 'h-2']) await first.keys.put(keyOf(keyHash, { uid: 'u-1' }))
  const find = () => Promise.all(['h-1', 'h-2'].map((keyHash) => first.keys.find(keyHash)))
  expect((await find()).map((key) => key?.keyHash)).toEqual(['h-1', 'h-2'])
  await second.keys.revoke({ uid: 'u-1', keyHash: 'h-1' })
  expect((await find()).map((key) => key?.keyHash)).toEqual([undefined, 'h-2'])
})

test('a read at the end of a turn that fails is a fault, and the others of its turn are answered', async () => {
  const database = openFile(freshFile())
  await portsOver(database).keys.put(keyOf('h-1'))
  const ends = await Promise.allSettled([
    database.readSoon(() => {
      throw new Error('a bug')
    }),
    database.readSoon(() => 7),
  ])
  expect(ends).toMatchObject([
    { status: 'rejected', reason: { code: 'internal' } },
    { status: 'fulfilled', value: 7 },
  ])
})
