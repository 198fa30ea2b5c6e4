/**
 * The tool list while versions come and go under its readers. The contract suite tests the rest of the port.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { DynamoStore } from '../../../../adapters/dynamodb/client/document-store.ts'
import { bytesAt } from '../../../../adapters/dynamodb/client/item.ts'
import {
  DROP_TRIES_MAX,
  dynamoToolsCache,
} from '../../../../adapters/dynamodb/registry/tools-cache.ts'
import { toolsCacheHeadKey, toolsCachePartKey } from '../../../../adapters/dynamodb/table.ts'
import type { Tool } from '../../../../core/skills/skill.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const clock = testClock()
const { store, troubles } = await useEmbeddedStore(clock)
beforeEach(() => dynamoToolsCache(store).drop())

describe('versions of the tools list', () => {
  test('leave no parts behind when they are replaced or dropped', async () => {
    const cache = dynamoToolsCache(store)
    const first = await cache.write([toolOf('sg_a')], undefined)
    const second = await cache.write([toolOf('sg_b')], first)
    expect(await sortKeys()).toEqual([`${second}#0`, 'head'])
    await cache.write([toolOf('sg_c')], first)
    expect(await sortKeys()).toEqual([`${second}#0`, 'head'])
    await cache.drop()
    expect(await sortKeys()).toEqual(['head'])
  })

  test('let a reader whose parts are deleted during its read look at the head again', async () => {
    const cache = dynamoToolsCache(store)
    const first = await cache.write([toolOf('sg_a')], undefined)
    let second: string | undefined
    const reader = dynamoToolsCache(
      afterHeadRead(async () => {
        second = await cache.write([toolOf('sg_b')], first)
      }),
    )
    expect(await reader.read()).toEqual({ version: second, tools: [toolOf('sg_b')] })
  })

  test('give no list to a reader whose list is dropped during its read', async () => {
    const cache = dynamoToolsCache(store)
    await cache.write([toolOf('sg_a')], undefined)
    expect(await dynamoToolsCache(afterHeadRead(() => cache.drop())).read()).toBeUndefined()
  })

  test('are a fault, not an empty list, when a head has no parts', async () => {
    const cache = dynamoToolsCache(store)
    const version = await cache.write([toolOf('sg_a')], undefined)
    await store.remove('Gateway', toolsCachePartKey(version ?? '', 0))
    const read = dynamoToolsCache(store).read()
    await expect(read).rejects.toMatchObject({ code: 'internal' })
  })

  test('lose the parts of a dead writer after an hour, and keep those of a working one', async () => {
    const [dead, busy] = [`${clock.nowMs() - 3_600_000}-dead`, `${clock.nowMs() - 3_599_999}-busy`]
    for (const version of [dead, busy]) {
      const data = new Uint8Array([1])
      const item = { ...toolsCachePartKey(version, 0), version, part: 0, data }
      await store.put('Gateway', { item })
    }
    const version = await dynamoToolsCache(store).write([toolOf('sg_a')], undefined)
    expect(await sortKeys()).toEqual([`${busy}#0`, `${version}#0`, 'head'])
    await store.remove('Gateway', toolsCachePartKey(busy, 0))
  })

  test('are written although the clean-up fails, and the trouble is reported', async () => {
    const broken = { ...store, remove: () => Promise.reject(new Error('no')) }
    const first = await dynamoToolsCache(store).write([toolOf('sg_a')], undefined)
    const second = await dynamoToolsCache(broken).write([toolOf('sg_b')], first)
    expect(second).toBeDefined()
    expect(String(troubles.at(-1))).toBe('Error: no')
    expect((await dynamoToolsCache(store).read())?.version).toBe(second)
    await store.remove('Gateway', toolsCachePartKey(first ?? '', 0))
  })

  test('have parts of at most 300 kB', async () => {
    const cache = dynamoToolsCache(store)
    const tools = Array.from({ length: 700 }, (_, index) => toolOf(`sg_${index}`, noise(index)))
    const version = await cache.write(tools, undefined)
    const items = await parts()
    expect(items.length).toBeGreaterThan(1)
    const sizes = items.map((item) => bytesAt(item, 'data').length)
    expect(sizes.slice(0, -1).every((size) => size === 300_000)).toBe(true)
    const head = await store.get('Gateway', toolsCacheHeadKey(), 'consistent')
    expect([head?.['version'], String(head?.['parts'])]).toEqual([version, String(items.length)])
  })
})

describe('late copies of requests for the tools list', () => {
  test('a late copy of a drop removes no list that was written after the drop', async () => {
    const cache = dynamoToolsCache(store)
    await cache.write([toolOf('sg_a')], undefined)
    const { recording, sendAgain } = recordingWrites()
    await dynamoToolsCache(recording).drop()
    const version = await cache.write([toolOf('sg_b')], undefined)
    await sendAgain()
    expect(await cache.read()).toEqual({ version, tools: [toolOf('sg_b')] })
  })

  test('a late copy of a first write does not bring the list back after a drop', async () => {
    const { recording, sendAgain } = recordingWrites()
    await dynamoToolsCache(recording).write([toolOf('sg_a')], undefined)
    await dynamoToolsCache(store).drop()
    await sendAgain()
    expect(await dynamoToolsCache(store).read()).toBeUndefined()
  })

  test('a late copy of a refused first write makes no list after a drop', async () => {
    const cache = dynamoToolsCache(store)
    const { recording, sendAgain } = recordingWrites(async () => {
      await cache.write([toolOf('sg_b')], undefined)
    })
    expect(await dynamoToolsCache(recording).write([toolOf('sg_a')], undefined)).toBeUndefined()
    await cache.drop()
    await sendAgain()
    expect(await cache.read()).toBeUndefined()
  })

  test('a late copy of a first write brings no list back after a drop that was carried out unheard, and tried again', async () => {
    const cache = dynamoToolsCache(store)
    await cache.write([toolOf('sg_a')], undefined)
    const writer = recordingWrites()
    let puts = 0
    const unheard: DynamoStore = {
      ...store,
      async put(table, write) {
        puts += 1
        if (puts > 1) return store.put(table, write)
        await store.put(table, write)
        await dynamoToolsCache(writer.recording).write([toolOf('sg_b')], undefined)
        return store.put(table, write)
      },
    }
    await dynamoToolsCache(unheard).drop()
    expect(puts).toBe(2)
    await writer.sendAgain()
    expect(await cache.read()).toBeUndefined()
  })

  test('a drop gives up after eight writers that took over, one after the other', async () => {
    const cache = dynamoToolsCache(store)
    await cache.write([toolOf('sg_0')], undefined)
    let writers = 0
    const overtake = async () => {
      writers += 1
      const before = await cache.read()
      await cache.write([toolOf(`sg_${writers}`)], before?.version)
    }
    const { recording } = recordingWrites(async () => {
      if (writers < DROP_TRIES_MAX - 1) await overtake()
    })
    await dynamoToolsCache(recording).drop()
    expect(await cache.read()).toBeUndefined()
    await cache.write([toolOf('sg_0')], undefined)
    const drop = dynamoToolsCache(recordingWrites(overtake).recording).drop()
    await expect(drop).rejects.toMatchObject({ code: 'store_unavailable' })
  })
})

/** The store; `before` runs before each put of a head. `sendAgain` repeats every put and removal. */
function recordingWrites(before: () => Promise<void> = async () => {}) {
  const sent: (() => Promise<unknown>)[] = []
  const recording: DynamoStore = {
    ...store,
    async put(table, write) {
      if (write.item['sk'] === 'head') await before()
      sent.push(() => store.put(table, write))
      return store.put(table, write)
    },
    remove(table, key) {
      sent.push(() => store.remove(table, key))
      return store.remove(table, key)
    },
  }
  const sendAgain = async () => {
    for (const send of sent) await send()
  }
  return { recording, sendAgain }
}

/** The store; `happens` runs once, between a reader's read of the head and of the parts. */
function afterHeadRead(happens: () => Promise<unknown>): DynamoStore {
  let done = false
  return {
    ...store,
    async get(table, key, read) {
      const item = await store.get(table, key, read)
      if (!done) await happens()
      done = true
      return item
    },
  }
}

async function parts() {
  const { pk } = toolsCacheHeadKey()
  const items = await store.query('Gateway', { where: '#pk = :pk', values: { pk } })
  return items.filter((item) => item['sk'] !== 'head')
}

async function sortKeys(): Promise<readonly unknown[]> {
  const { pk } = toolsCacheHeadKey()
  const items = await store.query('Gateway', { where: '#pk = :pk', values: { pk } })
  return items.map((item) => item['sk'])
}

function toolOf(name: string, description = 'Says something.'): Tool {
  const inputSchema = { type: 'object', properties: {} }
  return { name, title: undefined, description, inputSchema, skillId: name, priceMicroCredits: 0 }
}

/** 1,000 characters that gzip cannot shorten much, the same for the same seed. */
function noise(seed: number): string {
  let state = seed + 1
  return Array.from({ length: 1_000 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return String.fromCharCode(33 + ((state >>> 16) % 90))
  }).join('')
}
