/** What administrators see of calls in a twin. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DEFAULT_OPTIONS } from '../../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../../local/start-twin.ts'

let data = ''
const started: Twin[] = []
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'skillgate-usage-'))
})
afterEach(async () => {
  for (const twin of started.splice(0)) await twin.stop()
  rmSync(data, { recursive: true, force: true })
})

async function start(): Promise<Twin> {
  const options = { ...DEFAULT_OPTIONS, port: 0, data }
  const twin = await startTwin(options, { call: () => {}, note: () => {} })
  started.push(twin)
  return twin
}

async function call(twin: Twin, city: string): Promise<void> {
  const answer = await fetch(`${twin.origin}/v1/execute`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${twin.credentials.key}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ skill: 'sg_weather', arguments: { city } }),
  })
  expect(answer.status).toBe(200)
  await answer.arrayBuffer()
}

async function admin(twin: Twin, path: string) {
  const headers = { 'x-admin-key': twin.credentials.adminKey }
  const answer = await fetch(`${twin.origin}/v1/admin/${path}`, { headers })
  expect(answer.status).toBe(200)
  return JSON.parse(await answer.text())
}

const WAIT = { timeout: 100_000, interval: 100 }

describe('a twin', () => {
  test('lists and adds up calls a moment after their end, and archives them when it stops', async () => {
    const twin = await start()
    for (const city of ['Oslo', 'Lima', 'Rome']) await call(twin, city)
    await vi.waitFor(async () => {
      const { calls } = await admin(twin, 'calls')
      expect(calls).toHaveLength(3)
      expect(calls[0]).toMatchObject({ uid: 'demo', skillId: 'sg_weather', outcome: 'settled' })
    }, WAIT)
    const { entries } = await admin(twin, 'usage?by=skill')
    expect(entries).toMatchObject([{ calls: 3, charged: 1.5 }])
    await started.pop()?.stop()
    expect(readdirSync(join(data, 'archive'), { recursive: true }).join()).toContain('.gz')
  })

  test('keeps what it knew of calls over a restart, and counts none twice', async () => {
    const before = await start()
    await call(before, 'Oslo')
    await started.pop()?.stop()
    const after = await start()
    await call(after, 'Lima')
    await vi.waitFor(async () => {
      expect((await admin(after, 'calls')).calls).toHaveLength(2)
    }, WAIT)
    expect((await admin(after, 'usage?by=day')).entries).toMatchObject([{ calls: 2, charged: 1 }])
  })
})
