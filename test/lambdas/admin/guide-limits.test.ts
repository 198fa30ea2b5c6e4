/** Limits of guides as an administrator meets them: at each, and one past it. */
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json/json.ts'
import { askAdmin } from './admin-client.ts'
import { seededWorld } from './seeded-registry.ts'

const world = await seededWorld()

function fileOf(guideId: string, matter: string) {
  return { path: 'SKILL.md', text: `---\nname: ${guideId}\n${matter}\n---\n\nHello.\n` }
}

async function push(guideId: string, matter: string, more: readonly JsonObject[] = []) {
  const files = [fileOf(guideId, matter), ...more]
  const { json, status } = await askAdmin(world, 'PUT', `/guides/${guideId}`, { body: { files } })
  return [status, json['errors']]
}

test('a description has 1,024 characters at most, whatever they take in bytes', async () => {
  const described = (count: number) => `description: ${'é'.repeat(count)}`
  expect(await push('described', described(1_024))).toEqual([200, undefined])
  expect(await push('described', described(1_025))).toEqual([
    422,
    [
      {
        pointer: '/files/0/text',
        message: 'description: must be a text of 1 to 1024 characters that says when to read it',
      },
    ],
  ])
})

test('front matter has 8,192 bytes at most, counted as JSON', async () => {
  const matterOf = (bytes: number) => {
    const own = Buffer.byteLength(JSON.stringify({ name: 'm', description: 'd', note: '' }))
    return `description: d\nnote: ${'n'.repeat(bytes - own)}`
  }
  expect(await push('m', matterOf(8_192))).toEqual([200, undefined])
  expect(await push('m', matterOf(8_193))).toEqual([
    422,
    [{ pointer: '/files/0/text', message: 'the front matter has over 8192 bytes; shorten it' }],
  ])
})

test('a guide has 100 files at most', async () => {
  const files = (count: number) =>
    Array.from({ length: count - 1 }, (_, at) => ({ path: `notes/${at}.md`, text: 'x' }))
  expect(await push('filed', 'description: d', files(100))).toEqual([200, undefined])
  const [status, errors] = await push('filed', 'description: d', files(101))
  expect(status).toBe(422)
  expect(errors).toEqual([
    {
      pointer: '/files',
      message: 'must be a list of 1 to 100 files with path and text or base64',
    },
  ])
})

test('a set has 50 guides at most, and none of a longer one is stored', async () => {
  const apply = (set: string, count: number) => {
    const guides = Array.from({ length: count }, (_, at) => {
      const guideId = `${set}-${at}`
      return { guideId, files: [fileOf(guideId, 'description: d')] }
    })
    return askAdmin(world, 'POST', '/guides:apply', { query: `set=${set}`, body: { guides } })
  }
  expect((await apply('fits', 50)).status).toBe(200)
  const long = await apply('long', 51)
  expect([long.status, long.json['errors']]).toEqual([
    422,
    [
      {
        pointer: '/guides',
        message: 'must be a list of at most 50 guides with guideId and files',
      },
    ],
  ])
  expect((await askAdmin(world, 'GET', '/guides/long-0')).status).toBe(404)
})

test('a page of guides has 100 at most', async () => {
  expect((await askAdmin(world, 'GET', '/guides', { query: 'limit=100' })).status).toBe(200)
  const { json, status } = await askAdmin(world, 'GET', '/guides', { query: 'limit=101' })
  expect(status).toBe(400)
  expect(json['detail']).toContain('100')
})
