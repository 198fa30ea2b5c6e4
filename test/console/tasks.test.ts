/** The page of tasks: a long call of a user, while it runs. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser, syncSkill } from '../e2e/admin.ts'
import { fieldsOf } from '../e2e/fields.ts'
import { bearer, postJson } from '../e2e/http.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { type ConsoleBrowser, openBrowser } from './browser.ts'

const REVISION = '2026-07-28'

let twin: Twin
let browser: ConsoleBrowser

beforeAll(async () => {
  twin = await startTwin(['--memory'])
  browser = await openBrowser(twin.url)
})
afterAll(async () => {
  await browser?.close()
  await twin?.stop()
})

/** Begins a call that takes longer than its answer, and returns the task's result. */
async function beginTask(key: string, name: string): Promise<unknown> {
  const extensions = { 'io.modelcontextprotocol/tasks': {} }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': { extensions },
  }
  const params = { name, arguments: {}, _meta }
  const answer = await postJson(
    twin.mcp,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    {
      ...bearer(key),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
  )
  return fieldsOf(answer.json(), 'result')['resultType']
}

test('a task that runs is listed with its user, its price on hold and its end, and by its user alone', async () => {
  const { key, uid } = await createUser(twin, { username: 'sybil', credits: 10 })
  const other = await createUser(twin, { username: 'trent', credits: 10 })
  const name = await syncSkill(twin, {
    id: 'sg_long',
    at: 'slow?seconds=30',
    price: 4,
    task: { max_sec: 600 },
  })
  expect(await beginTask(key, name)).toBe('task')
  const { close, findFaults, page, signIn } = await browser.open('#/tasks')
  await signIn(twin.adminKey)
  const row = page.getByRole('row').filter({ hasText: 'sybil' }).filter({ hasText: 'sg_long' })
  await row.getByRole('cell', { name: '4', exact: true }).waitFor()
  expect(await row.locator('time').count()).toBe(2)
  await page.getByLabel('User id').fill(other.uid)
  await page.getByText('No task ends within the next half hour.').waitFor()
  await page.getByLabel('User id').fill(uid)
  await row.getByRole('link', { name: 'sybil' }).click()
  await page.getByText('4 credits').waitFor()
  await page.getByText('running').waitFor()
  const buttons = await page.getByRole('row').getByRole('button').count()
  expect(buttons).toBe(0)
  expect(await findFaults()).toEqual([])
  await close()
})
