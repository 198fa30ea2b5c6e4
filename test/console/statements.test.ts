/** Statements of a month: the list that loads page by page, one statement, its print and its file. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '../e2e/admin.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { type ConsoleBrowser, openBrowser } from './browser.ts'
import { BROWSER } from './programs.ts'

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

test('the balances of a month stay while other pages are open, until the person signs out', async () => {
  await createUser(twin, { username: '=HYPERLINK("x")', credits: 3 })
  const { close, findFaults, goTo, page, signIn } = await browser.open('#/statements')
  await signIn(twin.adminKey)
  await page.getByRole('button', { name: 'Load all balances' }).click()
  await page.getByText('all of the month').waitFor()
  await page.getByRole('link', { name: 'Health', exact: true }).click()
  await page.getByRole('table', { name: 'Checks' }).waitFor()
  await page.getByRole('link', { name: 'Statements', exact: true }).click()
  await page.getByText('all of the month').waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const text = readFileSync(await (await saved).path(), 'utf8')
  expect(text).toContain(`"'=HYPERLINK(""x"")",active,false,0,3,0,0,3,0,0,0`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await signIn(twin.adminKey)
  await page.getByRole('button', { name: 'Load all balances' }).waitFor()
  await goTo('#/statements')
  expect(await findFaults()).toEqual([])
  await close()
})

// Firefox's automation cannot show a page as it is printed.
test.skipIf(BROWSER === 'firefox')(
  'a statement is printed without the frame of the console',
  async () => {
    const { uid } = await createUser(twin, { username: 'ada', credits: 3 })
    const month = new Date().toISOString().slice(0, 7)
    const { close, findFaults, page, signIn } = await browser.open(`#/statements/${uid}/${month}`)
    await signIn(twin.adminKey)
    const closing = page.getByRole('row', { name: 'Closing balance 3' })
    await closing.waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(await closing.isVisible()).toBe(true)
    expect(await page.getByText(`ada (${uid})`).isVisible()).toBe(true)
    expect(await page.locator('.top, .page-head, button').filter({ visible: true }).count()).toBe(0)
    expect(await findFaults()).toEqual([])
    await close()
  },
)
