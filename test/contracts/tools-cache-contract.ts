/**
 * Contract of the port ToolsCache. There is one list per store: each test begins by dropping it.
 */
import { describe, expect, test } from 'vitest'
import { atOnce, noise, toolOf } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

export function describeToolsCache(name: string, makePorts: MakePorts): void {
  describe(`${name}: tools cache`, () => {
    const opened = openedPorts(makePorts)

    test('a store without a list answers none', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      expect(await toolsCache.read()).toBeUndefined()
    })

    test('a list comes back as it was written, in its order', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      const tools = [toolOf('sg_b'), toolOf('sg_a', { title: 'Äpfel 🍎', skillId: undefined })]
      const version = await toolsCache.write(tools, undefined)
      expect(version).toBeTypeOf('string')
      expect(await toolsCache.read()).toEqual({ version, tools })
    })

    test('an empty list is stored as a list', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      const version = await toolsCache.write([], undefined)
      expect(await toolsCache.read()).toEqual({ version, tools: [] })
    })

    test('a list of more than 1 MB that does not compress comes back whole', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      const tools = Array.from({ length: 1_100 }, (_, index) =>
        toolOf(`sg_tool${index}`, { description: noise(index, 1_000) }),
      )
      expect(JSON.stringify(tools).length).toBeGreaterThan(1_048_576)
      const version = await toolsCache.write(tools, undefined)
      expect(await toolsCache.read()).toEqual({ version, tools })
    })

    test('a shorter list replaces a longer one and leaves no rest of it', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      const long = Array.from({ length: 900 }, (_, index) =>
        toolOf(`sg_tool${index}`, { description: noise(index, 1_000) }),
      )
      const first = await toolsCache.write(long, undefined)
      const second = await toolsCache.write([toolOf('sg_only')], first)
      expect(second).not.toBe(first)
      expect(await toolsCache.read()).toEqual({ version: second, tools: [toolOf('sg_only')] })
    })

    test('a writer that saw no list does not overwrite one', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      const version = await toolsCache.write([toolOf('sg_a')], undefined)
      expect(await toolsCache.write([toolOf('sg_b')], undefined)).toBeUndefined()
      expect(await toolsCache.read()).toEqual({ version, tools: [toolOf('sg_a')] })
    })

    test('a writer that saw an older list does not overwrite a newer one', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      const first = await toolsCache.write([toolOf('sg_a')], undefined)
      const second = await toolsCache.write([toolOf('sg_b')], first)
      expect(await toolsCache.write([toolOf('sg_c')], first)).toBeUndefined()
      expect(await toolsCache.read()).toEqual({ version: second, tools: [toolOf('sg_b')] })
    })

    test('a single one of 10 writers at once from one version flips the head', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      const seen = await toolsCache.write([toolOf('sg_seen')], undefined)
      const wrote = await atOnce(10, (index) => toolsCache.write([toolOf(`sg_${index}`)], seen))
      const winner = wrote.findIndex((version) => version !== undefined)
      expect(wrote.filter((version) => version !== undefined)).toHaveLength(1)
      expect(await toolsCache.read()).toEqual({
        version: wrote[winner],
        tools: [toolOf(`sg_${winner}`)],
      })
    })

    test('after a drop a writer that saw the old list is refused, and a new list can be written', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      const seen = await toolsCache.write([toolOf('sg_a')], undefined)
      await toolsCache.drop()
      expect(await toolsCache.write([toolOf('sg_b')], seen)).toBeUndefined()
      expect(await toolsCache.read()).toBeUndefined()
      const version = await toolsCache.write([toolOf('sg_c')], undefined)
      expect(await toolsCache.read()).toEqual({ version, tools: [toolOf('sg_c')] })
      expect(version).not.toBe(seen)
    })

    test('every optional field of a tool comes back, too', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      const rich = toolOf('sg_rich', {
        outputSchema: { type: 'object', properties: { sky: { type: 'string' } } },
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: true,
        },
        emoji: '🌦️',
        tags: ['weather', 'Wetter'],
        typicalMs: 250,
        timeoutMs: 5_000,
      })
      await toolsCache.write([rich], undefined)
      expect((await toolsCache.read())?.tools).toEqual([rich])
    })

    test('a second drop changes nothing', async () => {
      const { toolsCache } = opened()
      await toolsCache.drop()
      await toolsCache.drop()
      expect(await toolsCache.read()).toBeUndefined()
    })
  })
}
