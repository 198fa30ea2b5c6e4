import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { makeWorld, skillJson } from '../../core/flow/world.ts'
import { askAdmin, INTERNAL } from './admin-client.ts'

const TIDE = readFileSync(new URL('../../../examples/skills/tide.md', import.meta.url), 'utf8')
const TYPES = [
  'application/json',
  'text/markdown; charset=utf-8',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  '',
]

describe.each(TYPES)('POST sync_skill with the content type "%s"', (type) => {
  const headers = type === '' ? INTERNAL : { ...INTERNAL, 'content-type': type }

  test('POST sync_skill takes unified JSON under the content type', async () => {
    const sent = { headers, body: skillJson('sg_weather') }
    const answer = await askAdmin(makeWorld(), 'POST', '/sync_skill', sent)
    expect([answer.status, answer.json['toolName']]).toEqual([201, 'sg_weather'])
  })

  test('POST sync_skill takes Markdown under the content type', async () => {
    const answer = await askAdmin(makeWorld(), 'POST', '/sync_skill', { headers, body: TIDE })
    expect([answer.status, answer.json['toolName']]).toEqual([201, 'sg_tide'])
  })
})

test('Markdown that does not fit is a problem with code, line and remedy', async () => {
  const body = TIDE.replace('~~~json', '~~~js')
  const answer = await askAdmin(makeWorld(), 'POST', '/sync_skill', { body })
  expect(answer.status).toBe(422)
  expect(answer.json).toMatchObject({
    code: 'invalid_skill',
    errors: [
      {
        pointer: '',
        message: expect.stringContaining('line 38: the text ends without a JSON block'),
      },
    ],
  })
})

test('several skills are answered with 207 and a result for each', async () => {
  const body = [skillJson('sg_weather'), { ...skillJson('sg_bad'), credits_per_call: -1 }]
  const answer = await askAdmin(makeWorld(), 'POST', '/sync_skill', { body })
  expect(answer.status).toBe(207)
  expect(answer.json).toMatchObject({
    results: [{ status: 201, synced: { toolName: 'sg_weather' } }, { status: 422 }],
  })
})

test.each([
  ['', 201],
  ['strict=false', 201],
  ['strict=true', 422],
  ['strict=yes', 400],
])('POST sync_skill?%s answers a new skill with a slip with %i', async (query, status) => {
  const body = skillJson('sg_weather', { config: { methd: 'POST' } })
  const answer = await askAdmin(makeWorld(), 'POST', '/sync_skill', { body, query })
  expect(answer.status).toBe(status)
})
