/** The trail of changes, and the verification of its days. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '../e2e/admin.ts'
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

test('a change is found by its user, and the verification of thirty days stays', async () => {
  const { uid } = await createUser(twin, { username: 'ada', credits: 3 })
  const { close, findFaults, page, signIn } = await browser.open(`#/trail?target=${uid}`)
  await signIn(twin.adminKey)
  const change = page.getByRole('row').filter({ hasText: 'issueKey' })
  await change.getByText('done').waitFor()
  await change.getByText(/\d+ fields/).click()
  await change.getByText('withheld').first().waitFor()
  await page.getByRole('button', { name: 'Verify the last 30 days' }).click()
  const found = page.getByText('30 of 30 days')
  await found.waitFor()
  await page.getByText('whole', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Health', exact: true }).click()
  await page.getByRole('link', { name: 'Trail', exact: true }).click()
  await found.waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})
