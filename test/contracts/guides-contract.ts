/** Contract of the port Guides: what a put keeps of a guide, for how long, and who wins a race. */
import { describe, expect, test } from 'vitest'
import type { GuideContent } from '../../core/guides/guide.ts'
import { GUIDE_BYTES_MAX, GUIDE_VERSIONS_KEPT } from '../../core/guides/limits.ts'
import { freshName } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

export function describeGuides(name: string, makePorts: MakePorts): void {
  describe(`${name}: guides`, () => {
    const opened = openedPorts(makePorts)

    test('a guide is read as it was put, with any part of its bytes', async () => {
      const { guides } = opened()
      const guide = guideOf(freshName('read-'), { bytes: GUIDE_BYTES_MAX })
      const { guideId } = guide.record
      expect(await guides.put(guide, 0)).toBe(true)
      expect(await guides.get(guideId)).toEqual(guide.record)
      expect(await guides.version({ guideId, version: 1 })).toEqual(guide.record)
      const across = { guideId, version: 1, from: 349_990, bytes: 20 }
      expect(await guides.read(across)).toEqual(guide.bytes.slice(349_990, 350_010))
      const whole = { guideId, version: 1, from: 0, bytes: GUIDE_BYTES_MAX }
      expect(Buffer.compare(await guides.read(whole), guide.bytes)).toBe(0)
    })

    test('guides are listed by id, page by page, with those of other tests between', async () => {
      const { guides } = opened()
      const base = freshName('list-')
      for (const end of ['c', 'a', 'b']) await guides.put(guideOf(`${base}${end}`), 0)
      const first = await guides.list({ after: base, limit: 2 })
      expect(first.records.map(({ guideId }) => guideId)).toEqual([`${base}a`, `${base}b`])
      const rest = await guides.list({ after: first.next ?? `${base}b`, limit: 1 })
      expect(rest.records.map(({ guideId }) => guideId)).toEqual([`${base}c`])
    })

    test('of two pushes from one version one is written', async () => {
      const { guides } = opened()
      const guideId = freshName('race-')
      await guides.put(guideOf(guideId), 0)
      const both = await Promise.all(
        ['ada', 'bob'].map((by) => guides.put(guideOf(guideId, { version: 2, by }), 1)),
      )
      expect([...both].sort()).toEqual([false, true])
      expect((await guides.get(guideId))?.by).toBe(both[0] === true ? 'ada' : 'bob')
    })

    test('versions outlive the guide, and none is written a second time', async () => {
      const { guides } = opened()
      const guideId = freshName('gone-')
      await guides.put(guideOf(guideId), 0)
      expect(await guides.remove(guideId, 2)).toBe(false)
      expect(await guides.remove(guideId, 1)).toBe(true)
      expect(await guides.get(guideId)).toBeUndefined()
      expect((await guides.versions({ guideId, limit: 5 })).versions).toHaveLength(1)
      // As a copy of the first put would, which the network delivers late.
      expect(await guides.put(guideOf(guideId), 0)).toBe(false)
      expect(await guides.put(guideOf(guideId, { version: 2 }), 0)).toBe(true)
    })

    test(`the last ${GUIDE_VERSIONS_KEPT} versions are kept with their files`, async () => {
      const { guides } = opened()
      const guideId = freshName('kept-')
      for (let version = 1; version <= GUIDE_VERSIONS_KEPT; version += 1) {
        await guides.put(guideOf(guideId, { version }), version - 1)
      }
      expect(await guides.version({ guideId, version: 1 })).toBeDefined()
      const next = GUIDE_VERSIONS_KEPT + 1
      await guides.put(guideOf(guideId, { version: next }), next - 1)
      expect(await guides.version({ guideId, version: 1 })).toBeUndefined()
      await expect(guides.read({ guideId, version: 1, from: 0, bytes: 1 })).rejects.toThrow('part')
      const page = await guides.versions({ guideId, limit: 2 })
      expect(page.versions.map(({ version }) => version)).toEqual([next, next - 1])
      const older = await guides.versions({ guideId, before: page.next, limit: 1 })
      expect(older.versions.map(({ version }) => version)).toEqual([next - 2])
    })
  })
}

/** `bytes`: how many. */
function guideOf(
  guideId: string,
  { by = 'ada', bytes = 8, version = 1 }: { by?: string; bytes?: number; version?: number } = {},
): GuideContent {
  const file = {
    path: 'SKILL.md',
    digest: 'ab'.repeat(32),
    bytes,
    from: 0,
    mimeType: 'text/markdown',
    isText: true,
    hasPrices: false,
  }
  const record = {
    guideId,
    version,
    frontMatter: { name: guideId, description: 'Says when.', metadata: { z: '1', a: '2' } },
    groups: ['finance'],
    files: [file],
    createdAtMs: 1,
    updatedAtMs: 2,
    by,
    set: 'main',
  }
  return { record, bytes: Uint8Array.from({ length: bytes }, (_, at) => at % 251) }
}
