/** Kept results as resources: for their owner, whole, up to a size. */
import { expect, test } from 'vitest'
import { toResultUri } from '../../../../core/archive/kept-result.ts'
import { openKeptResultSource } from '../../../../core/flow/resources/kept-result-source.ts'
import { memoryKeptResults } from '../../../contracts/memory-kept-results.ts'
import { testClock } from '../../../contracts/test-clock.ts'

const RESULT_ID = 'r'.repeat(43)
const URI = toResultUri(RESULT_ID)

async function kept(bytes: Uint8Array, mimeType: string) {
  const clock = testClock()
  const results = memoryKeptResults(clock)
  const expiresAtMs = clock.nowMs() + 1_000
  await results.put({ uid: 'ada', resultId: RESULT_ID, mimeType, expiresAtMs, bytes })
  const source = openKeptResultSource(results, { prefix: 'sg' })
  return (uid: string | undefined, uri = URI) =>
    source.read({ principal: toPrincipal(uid), groups: [], tools: async () => [] }, uri)
}

function toPrincipal(uid: string | undefined) {
  return uid === undefined ? undefined : { uid, keyHash: '', sealingKey: '', username: uid }
}

test('a text is answered as text, and other bytes as Base64', async () => {
  const text = await kept(new TextEncoder().encode('{}'), 'application/json')
  expect(await text('ada')).toEqual({
    kind: 'content',
    content: { uri: URI, mimeType: 'application/json', text: '{}' },
  })
  const bytes = await kept(Uint8Array.of(255, 0, 1), 'text/plain')
  expect(await bytes('ada')).toMatchObject({ content: { blob: '/wAB' } })
})

test('only its owner reads a result, and only by its URI', async () => {
  const read = await kept(Uint8Array.of(1), 'application/pdf')
  expect(await read('bob')).toBeUndefined()
  expect(await read(undefined)).toBeUndefined()
  expect(await read('ada', `${URI}x`)).toBeUndefined()
  expect(await read('ada', 'skill://a/SKILL.md')).toBeUndefined()
})

test('a result of 1,000,000 bytes is answered, and of one more is said how to read it', async () => {
  expect(await (await kept(new Uint8Array(1_000_000), 'application/pdf'))('ada')).toMatchObject({
    kind: 'content',
  })
  expect(await (await kept(new Uint8Array(1_000_001), 'application/pdf'))('ada')).toEqual({
    kind: 'too-large',
    message: 'has 1000001 bytes, over 1000000; read it by parts with sg_read_result',
  })
})
