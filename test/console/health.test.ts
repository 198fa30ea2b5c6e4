/** The page on which the gateway tells of itself. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { type ConsoleBrowser, openBrowser } from './browser.ts'

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

test('each check is a line in the words of doctor, and can be made again', async () => {
  const { close, findFaults, page, signIn } = await browser.open('#/health')
  await signIn(twin.adminKey)
  const checks = page.getByRole('table', { name: 'Checks' })
  const upstreams = checks.getByRole('row', { name: /^upstreams/ })
  await expect.poll(() => upstreams.textContent()).toBe('upstreamsokthere is no MCP server')
  await checks.getByText('none here: they are a part of a stage on AWS').waitFor()
  await page.getByRole('button', { name: 'Check again' }).click()
  await checks
    .getByRole('row', { name: /^sweep/ })
    .getByText('ok')
    .waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})
