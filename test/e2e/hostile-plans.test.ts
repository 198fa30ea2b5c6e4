/** A started twin answers everybody while a viewer's plans are made, hostile and honest ones. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOSTILE_PLANS, honestPlan } from '../attack/hostile-plans.ts'
import { bearer, send } from './http.ts'
import { startTwin, type Twin } from './twin.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin(['--memory'])
})
afterAll(async () => {
  await twin?.stop()
})

const health = () => send(`${twin.url}/healthz`, { method: 'GET' })

function ask({ body, path }: { readonly path: string; readonly body: string }) {
  const headers = { 'content-type': 'application/json', ...bearer(twin.internalApiSecret) }
  return send(`${twin.admin}/${path}`, { method: 'POST', headers, body })
}

/** Those that take a second of computing or more, wherever they are refused. */
const LONG = ['honest', 'many-globs', 'actions-on-large']
const PLANS = [{ name: 'honest', make: honestPlan }, ...HOSTILE_PLANS]

test.each(
  PLANS.filter(({ name }) => LONG.includes(name)).map(({ make, name }) => [name, make] as const),
)(
  'health is answered five times before the plan of %s is',
  async (_name, make) => {
    const order: string[] = []
    const planned = ask(make()).then(({ status }) => {
      order.push('plan')
      return status
    })
    for (let time = 0; time < 5; time += 1) {
      expect((await health()).status).toBe(200)
      order.push('health')
    }
    expect(await planned).toBeLessThan(500)
    expect(order).toEqual(['health', 'health', 'health', 'health', 'health', 'plan'])
  },
  120_000,
)

test('all hostile plans at once are answered, and the process is the same', async () => {
  const statuses = await Promise.all(
    HOSTILE_PLANS.map(({ make }) => ask(make()).then(({ status }) => status)),
  )
  expect(statuses.filter((status) => ![200, 413, 422, 429].includes(status))).toEqual([])
  expect((await health()).status).toBe(200)
}, 240_000)
