/** Contract of the port ToolListVersion: one time per store, which only ever grows. */
import { describe, expect, test } from 'vitest'
import { atOnce } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

export function describeToolListVersion(name: string, makePorts: MakePorts): void {
  describe(`${name}: tool list version`, () => {
    const opened = openedPorts(makePorts)

    test('a later time is written as it is', async () => {
      const { toolListVersion } = opened()
      const nowMs = (await toolListVersion.read()) + 5_000
      expect(await toolListVersion.write(nowMs)).toBe(nowMs)
      expect(await toolListVersion.read()).toBe(nowMs)
    })

    test('a process sees its own broadcast at once, also where it asks again and again', async () => {
      const { clock, toolListVersion } = opened()
      // Past all that the process remembers.
      clock.advance(60_000)
      const nowMs = (await toolListVersion.recent()) + 5_000
      await toolListVersion.write(nowMs)
      expect(await toolListVersion.recent()).toBe(nowMs)
      await toolListVersion.write(nowMs)
      expect([await toolListVersion.recent(), await toolListVersion.read()]).toEqual([
        nowMs + 1,
        nowMs + 1,
      ])
    })

    test('two broadcasts in one millisecond have two times', async () => {
      const { toolListVersion } = opened()
      const nowMs = (await toolListVersion.read()) + 5_000
      expect(await toolListVersion.write(nowMs)).toBe(nowMs)
      expect(await toolListVersion.write(nowMs)).toBe(nowMs + 1)
      expect(await toolListVersion.read()).toBe(nowMs + 1)
    })

    test('a clock that went back still moves the time on by one', async () => {
      const { toolListVersion } = opened()
      const nowMs = (await toolListVersion.read()) + 5_000
      await toolListVersion.write(nowMs)
      expect(await toolListVersion.write(nowMs - 4_000)).toBe(nowMs + 1)
    })

    test('10 broadcasts at once have 10 times, and the last of them stays', async () => {
      const { toolListVersion } = opened()
      const nowMs = (await toolListVersion.read()) + 5_000
      const written = await atOnce(10, () => toolListVersion.write(nowMs))
      expect(written.sort((a, b) => a - b).map((atMs) => atMs - nowMs)).toEqual([
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
      ])
      expect(await toolListVersion.read()).toBe(nowMs + 9)
    })
  })
}
