/** The public catalogue, as somebody without a key reads it. */
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

test('somebody without a key finds a tool, its price and what a failure costs', async () => {
  const { close, findFaults, page } = await browser.open()
  await page.getByRole('link', { name: 'See the tools and their prices' }).click()
  await page.getByRole('heading', { name: 'Catalogue' }).waitFor()
  await page.getByLabel('Search').fill('weather')
  const row = page.getByRole('row').filter({ hasText: 'sg_weather' })
  await row.getByText('0.5', { exact: true }).waitFor()
  expect(await row.textContent()).toContain('refunded in full')
  expect(await row.getByText('too few calls').count()).toBe(3)
  expect(page.url()).toContain('#/catalogue?search=weather')
  await page.getByLabel('Search').fill('nothing like it')
  await page.getByText('No tool is here.').waitFor()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Key', { exact: true }).waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})

test('administrators find the catalogue among their pages', async () => {
  const { close, findFaults, page, signIn } = await browser.open('#/users')
  await signIn(twin.adminKey)
  await page.getByRole('link', { name: 'Catalogue' }).click()
  await page.getByRole('row').filter({ hasText: 'sg_weather' }).waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})

test('a stage that lists its tools to nobody has no catalogue and no link to one', async () => {
  const closed = await startTwin(['--memory', '--login'])
  const other = await openBrowser(closed.url)
  try {
    const { findFaults, page } = await other.open('#/catalogue')
    await page.getByLabel('Key', { exact: true }).waitFor()
    expect(await page.getByRole('link', { name: /tools/ }).count()).toBe(0)
    expect(await findFaults()).toEqual([])
    const answer = await fetch(`${closed.url}/v1/catalog`)
    expect([answer.status, (await answer.text()).includes('callers who logged in')]).toEqual([
      404,
      true,
    ])
  } finally {
    await other.close()
    await closed.stop()
  }
})
