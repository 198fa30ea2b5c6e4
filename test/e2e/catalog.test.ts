/** The public catalog as a web page or a script reads it: fetch, without a key, from the twin. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushSkill } from './admin.ts'
import { startTwin, type Twin } from './twin.ts'

let twin: Twin

beforeAll(async () => {
  twin = await startTwin(['--memory'])
})
afterAll(() => twin?.stop())

test('fetch reads the catalog without a key, and asks with its validator after that', async () => {
  const first = await fetch(`${twin.url}/catalog`)
  expect([first.status, first.headers.get('cache-control')]).toEqual([
    200,
    expect.stringMatching(/^public, max-age=(60|59|58)$/),
  ])
  const { tools } = (await first.json()) as { tools: { name: string }[] }
  const weather = tools.find(({ name }) => name === 'sg_weather')
  expect(weather).toMatchObject({
    price: 0.5,
    refund: 'A call that fails, is cancelled or is stopped by its time limit is refunded in full.',
    latency: null,
    version: 1,
    parameters: { type: 'object' },
  })
  expect(tools.map(({ name }) => name)).not.toContain('sg_account')
  const etag = first.headers.get('etag') ?? ''
  const again = await fetch(`${twin.url}/v1/catalog`, { headers: { 'if-none-match': etag } })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test('a skill that is synced now may be missing for a minute, and never has half of a change', async () => {
  await pushSkill(twin, { id: 'sg_new', config: { endpoint: 'https://api.example/x' }, price: 1 })
  const { tools } = (await (await fetch(`${twin.url}/catalog`)).json()) as {
    tools: { name: string }[]
  }
  expect(tools.map(({ name }) => name)).not.toContain('sg_new')
})
