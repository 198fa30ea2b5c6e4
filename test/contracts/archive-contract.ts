/** Contract of the port Archive: the first put of an object stands, and objects are found by their names. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Archive } from '../../core/ports/usage.ts'

export function describeArchive(name: string, open: () => Promise<Archive>): void {
  describe(`archive, ${name}`, () => {
    let archive: Archive
    beforeAll(async () => {
      archive = await open()
    })

    test('an object is read back as it was put, also with signs beyond ASCII', async () => {
      const object = {
        name: 'ledger/day=2026-11-22/read-back.ndjson.gz',
        text: '{"a":"ü\u2028"}\n',
      }
      await archive.put(object)
      expect(await archive.read(object.name)).toBe(object.text)
    })

    test('a name that is taken keeps its object', async () => {
      const taken = 'ledger/day=2026-11-22/taken.ndjson.gz'
      await archive.put({ name: taken, text: 'first\n' })
      await archive.put({ name: taken, text: 'second\n' })
      expect(await archive.read(taken)).toBe('first\n')
    })

    test('an unknown name has no object', async () => {
      expect(await archive.read('ledger/day=2026-11-22/none.ndjson.gz')).toBeUndefined()
    })

    test('a removed object is gone from lists and reads, its name is free again, and the others stay', async () => {
      const [one, other] = ['one', 'other'].map((own) => `ledger/day=2026-11-25/${own}.ndjson.gz`)
      if (one === undefined || other === undefined) throw new Error('no names')
      for (const name of [one, other]) await archive.put({ name, text: `${name}\n` })
      await archive.remove(one)
      await archive.remove(one)
      expect(await archive.read(one)).toBeUndefined()
      expect(await archive.list('ledger/day=2026-11-25/')).toEqual([other])
      await archive.put({ name: one, text: 'again\n' })
      expect(await archive.read(one)).toBe('again\n')
    })

    test('ten puts of one object at once leave that object', async () => {
      const object = { name: 'ledger/day=2026-11-23/at-once.ndjson.gz', text: 'same\n'.repeat(500) }
      await Promise.all(Array.from({ length: 10 }, () => archive.put(object)))
      expect(await archive.read(object.name)).toBe(object.text)
    })

    test('names are listed in order by what they begin with, past one page of a store', async () => {
      const names = Array.from(
        { length: 7 },
        (_, index) => `audit/day=2026-0${7 - index}-01/1-x.ndjson.gz`,
      )
      for (const one of names) await archive.put({ name: one, text: `${one}\n` })
      expect(await archive.list('audit/')).toEqual([...names].sort())
      expect(await archive.list('audit/day=2026-03')).toEqual([names[4]])
      expect(await archive.list('elsewhere/')).toEqual([])
    })

    test('an object of 10,000 lines is whole', async () => {
      const text = Array.from({ length: 10_000 }, (_, index) => `{"line":${index}}\n`).join('')
      await archive.put({ name: 'ledger/day=2026-11-24/long.ndjson.gz', text })
      expect(await archive.read('ledger/day=2026-11-24/long.ndjson.gz')).toBe(text)
    })
  })
}
