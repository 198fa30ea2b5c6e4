/** The first-run sheet, from the link in the terminal to the lines that connect a client. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { type ConsoleBrowser, openBrowser } from './browser.ts'

let twin: Twin
let browser: ConsoleBrowser
let fragment: string

beforeAll(async () => {
  twin = await startTwin(['--memory'])
  browser = await openBrowser(twin.url)
  fragment = new URL(String(JSON.parse(twin.printed())['console'])).hash
})
afterAll(async () => {
  await browser?.close()
  await twin?.stop()
})

test('the link of the terminal shows both keys and lines for each client, once, and keeps no code', async () => {
  const { close, findFaults, page } = await browser.open(fragment)
  const main = page.getByRole('main')
  await main.getByText(twin.key, { exact: true }).waitFor()
  expect(await main.textContent()).toContain(twin.adminKey)
  expect(page.url()).toBe(`${twin.url}/v1/console/#/welcome`)

  const lines = (title: string) => main.getByRole('region', { name: `Lines for ${title}` })
  expect(await lines('Claude Code').textContent()).toBe(
    `claude mcp add --transport http --scope user skillgate ${twin.mcp} --header 'Authorization: Bearer ${twin.key}'`,
  )
  await main.getByLabel('Client').selectOption('Goose')
  expect(await lines('Goose').textContent()).toContain(`uri: "${twin.mcp}"`)

  // Other programs can read the arguments of a program, and the link becomes one.
  await main.getByLabel('Client').selectOption('VS Code')
  const link = await main.getByRole('link', { name: 'Add to VS Code' }).getAttribute('href')
  expect(link).toMatch(/^vscode:mcp\/install\?/)
  expect(decodeURIComponent(link ?? '')).not.toContain(twin.key)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('The keys of this gateway are shown once.').waitFor()
  expect(await page.content()).not.toContain(twin.key)
  expect(await findFaults()).toEqual([])
  await close()

  const again = await browser.open(fragment)
  await again.page.getByRole('alert').getByText('was used, or is older than 10 minutes').waitFor()
  expect(await again.findFaults([403])).toEqual([])
  await again.close()
})
