/** The page of shared secrets: set, replaced and deleted, and never a value. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminPost } from '../e2e/admin.ts'
import { stringOf } from '../e2e/fields.ts'
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

test('a shared secret is set for its origins, replaced with them, and deleted by typing its name', async () => {
  const { close, findFaults, page, signIn } = await browser.open('#/secrets')
  await signIn(twin.adminKey)
  await page.getByText('No secret is set.').waitFor()
  await page.getByRole('button', { name: 'Set a secret' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set a secret' })
  await dialog.getByLabel('Name').fill('WEATHER_KEY')
  await dialog.getByLabel('Value', { exact: true }).fill('first value')
  await dialog.getByRole('button', { name: 'Set a secret' }).click()
  await expect.poll(() => dialog.getByRole('alert').textContent()).toContain('origins')
  await dialog.getByLabel('Sent to').fill('https://api.example.com')
  await dialog.getByRole('button', { name: 'Set a secret' }).click()
  const row = page.getByRole('row').filter({ hasText: 'WEATHER_KEY' })
  await row.getByText('all official skills').waitFor()
  await row.getByRole('button', { name: 'Replace' }).click()
  const replace = page.getByRole('dialog', { name: 'Replace' })
  await replace.getByLabel('Value', { exact: true }).fill('second value')
  await replace.getByLabel('Keep the former value, in seconds').fill('3600')
  await replace.getByRole('button', { name: 'Replace' }).click()
  await row.getByText('former value until').waitFor()
  await row.getByText('https://api.example.com').waitFor()
  expect(await page.content()).not.toMatch(/(first|second) value/)
  await row.getByRole('button', { name: 'Delete' }).click()
  const remove = page.getByRole('dialog', { name: 'Delete' })
  await remove.getByLabel('Type WEATHER_KEY to go on').fill('WEATHER_KEY')
  await remove.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No secret is set.').waitFor()
  expect(await findFaults([422])).toEqual([])
  await close()
})

test('a viewer reads the list and gets no button that changes it', async () => {
  const viewer = await adminPost(twin, 'keys', { name: 'the-viewer', role: 'viewer' })
  const { close, findFaults, page, signIn } = await browser.open('#/secrets')
  await signIn(stringOf(viewer.json(), 'key'))
  await page.getByText('No secret is set.').waitFor()
  const buttons = await page.locator('main').getByRole('button').allTextContents()
  expect(buttons).toEqual(['Copy as command line'])
  expect(await findFaults()).toEqual([])
  await close()
})
