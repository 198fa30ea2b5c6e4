/** Contract of the port Usernames. */
import { describe, expect, test } from 'vitest'
import { atOnce, freshName } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

export function describeUsernames(name: string, makePorts: MakePorts): void {
  describe(`${name}: usernames`, () => {
    const opened = openedPorts(makePorts)

    test('a name that nobody took has no users and the version 0', async () => {
      const { usernames } = opened()
      expect(await usernames.read(freshName('ada'))).toEqual({ uids: [], version: 0 })
    })

    test('a claim comes back in its order, with the next version', async () => {
      const { usernames } = opened()
      const name = freshName('ada: 🎩 lovelace/')
      expect(await usernames.write(name, { uids: ['u-2'], version: 1 })).toBe(true)
      expect(await usernames.read(name)).toEqual({ uids: ['u-2'], version: 1 })
      expect(await usernames.write(name, { uids: ['u-2', 'u-1'], version: 2 })).toBe(true)
      expect(await usernames.read(name)).toEqual({ uids: ['u-2', 'u-1'], version: 2 })
    })

    test('a claim that follows no stored version leaves the claim as it is', async () => {
      const { usernames } = opened()
      const name = freshName('ada')
      expect(await usernames.write(name, { uids: ['u-1'], version: 2 })).toBe(false)
      expect(await usernames.read(name)).toEqual({ uids: [], version: 0 })
      await usernames.write(name, { uids: ['u-1'], version: 1 })
      for (const version of [1, 3]) {
        expect(await usernames.write(name, { uids: ['u-2'], version })).toBe(false)
      }
      expect(await usernames.read(name)).toEqual({ uids: ['u-1'], version: 1 })
    })

    test('a single one of 20 claims of one version at once is written', async () => {
      const { usernames } = opened()
      const name = freshName('ada')
      const written = await atOnce(20, (index) =>
        usernames.write(name, { uids: [`u-${index}`], version: 1 }),
      )
      expect(written.filter((won) => won)).toHaveLength(1)
      const uids = [`u-${written.indexOf(true)}`]
      expect(await usernames.read(name)).toEqual({ uids, version: 1 })
    })

    test('claims of two names do not touch each other', async () => {
      const { usernames } = opened()
      const [one, other] = [freshName('ada'), freshName('grace')]
      await usernames.write(one, { uids: ['u-1'], version: 1 })
      await usernames.write(other, { uids: ['u-2'], version: 1 })
      expect(await usernames.read(one)).toEqual({ uids: ['u-1'], version: 1 })
    })
  })
}
