/** The overview, its charts, and the usage of a month. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, postJson } from '../e2e/http.ts'
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

test('a day without calls says how calls come, and every hour is in the chart once there are some', async () => {
  const { close, findFaults, goTo, page, signIn } = await browser.open('#/?days=1')
  await signIn(twin.adminKey)
  await page.getByText('No call was made in this time.').waitFor()
  await callSample()
  await expect
    .poll(async () => {
      await goTo('#/usage')
      await goTo('#/?days=1')
      return page.getByRole('figure').count()
    })
    .toBe(2)
  const calls = page.getByRole('figure').first()
  expect(await calls.getByRole('row').count()).toBe(24)
  expect(await page.getByRole('listitem').first().textContent()).toBe('Calls1')
  await page.getByLabel('Show', { exact: true }).selectOption('7')
  await expect.poll(() => calls.getByRole('row').count()).toBe(7)
  expect(page.url()).toContain('days=7')
  await calls.getByRole('img').focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => calls.getByRole('status').textContent()).toContain(': 1, 0 failed')
  await page.getByText('does not run on AWS').waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})

async function callSample(): Promise<void> {
  const body = { skill: 'sg_weather', arguments: { city: 'Oslo' } }
  const { status } = await postJson(twin.execute, body, bearer(twin.key))
  expect(status).toBe(200)
}
