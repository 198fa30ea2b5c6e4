/** Contract of the port ToolsCache: renewed versions, and pieces of lists under construction. */
import { describe, expect, test } from 'vitest'
import { atOnce, noise, toolOf } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

export function describeToolsDraft(name: string, makePorts: MakePorts): void {
  describe(`${name}: renewed lists and drafts`, () => {
    const opened = openedPorts(makePorts)

    test('a renewed list is the same list, and a writer that saw the old version is refused', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      const first = (await toolsCache.write([toolOf('sg_a')], undefined)) ?? ''
      expect(await toolsCache.renew(first)).toBe(true)
      const renewed = await toolsCache.read()
      expect(renewed?.tools).toEqual([toolOf('sg_a')])
      expect(renewed?.version).not.toBe(first)
      expect(await toolsCache.renew(first)).toBe(false)
      expect(await toolsCache.write([toolOf('sg_b')], first)).toBeUndefined()
      expect(await toolsCache.renew(renewed?.version ?? '')).toBe(true)
      expect(await toolsCache.write([toolOf('sg_b')], renewed?.version)).toBeUndefined()
      const third = await toolsCache.read()
      const second = await toolsCache.write([toolOf('sg_b')], third?.version)
      expect(await toolsCache.read()).toEqual({ version: second, tools: [toolOf('sg_b')] })
    })

    test('nothing is renewed where there is no list', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      const version = (await toolsCache.write([toolOf('sg_a')], undefined)) ?? ''
      await toolsCache.drop()
      expect(await toolsCache.renew(version)).toBe(false)
      expect(await toolsCache.read()).toBeUndefined()
    })

    test('a single one of 10 renewals and writes of one version at once succeeds', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      const version = (await toolsCache.write([toolOf('sg_seen')], undefined)) ?? ''
      const done = await atOnce(10, async (index) =>
        index % 2 === 0
          ? toolsCache.renew(version)
          : (await toolsCache.write([toolOf(`sg_${index}`)], version)) !== undefined,
      )
      expect(done.filter((did) => did)).toHaveLength(1)
    })

    test('staged pieces are read by their ids, and are in no list', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      const long = Array.from({ length: 900 }, (_, index) =>
        toolOf(`sg_tool${index}`, { description: noise(index, 1_000) }),
      )
      const ids = await Promise.all([
        toolsCache.stage([toolOf('sg_a')]),
        toolsCache.stage([toolOf('sg_a')]),
        toolsCache.stage(long),
        toolsCache.stage([]),
      ])
      expect(new Set(ids).size).toBe(4)
      const pieces = await Promise.all(ids.map((id) => toolsCache.staged(id)))
      expect(pieces).toEqual([[toolOf('sg_a')], [toolOf('sg_a')], long, []])
      expect(await toolsCache.read()).toBeUndefined()
    })

    test.each(['', 'nobody', '😀'.repeat(500), 'x'.repeat(3_000)])(
      'no piece is found by an id that nobody was given',
      async (id) => {
        expect(await opened().toolsCache.staged(id)).toBeUndefined()
      },
    )

    test('a piece can be read for an hour, and not a second longer', async () => {
      const { clock, toolsCache } = opened()
      const id = await toolsCache.stage([toolOf('sg_a')])
      clock.advance(3_598_000)
      expect(await toolsCache.staged(id)).toEqual([toolOf('sg_a')])
      clock.advance(3_000)
      expect(await toolsCache.staged(id)).toBeUndefined()
    })
  })
}
