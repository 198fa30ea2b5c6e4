/** An MCP server as a person registers it, looks at what it changed, approves and deletes it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startToolServer, type ToolServer, toolOf } from '../core/flow/upstreams/tool-server.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { type ConsoleBrowser, openBrowser } from './browser.ts'

const HOSTILE = '<img src=x onerror=alert(1)> Writes. \u202egnp'

let server: ToolServer
let twin: Twin
let browser: ConsoleBrowser

beforeAll(async () => {
  server = await startToolServer([
    toolOf('read_file', { description: 'Reads one file. Give its path.' }),
    toolOf('write_file'),
    toolOf('delete_file'),
  ])
  twin = await startTwin(['--memory', '--outbound-allow', new URL(server.url).host])
  browser = await openBrowser(twin.url)
})
afterAll(async () => {
  await browser?.close()
  await twin?.stop()
  server?.close()
})

test('a server is registered without a tool, changes another one, is approved, and deleted', async () => {
  const { close, findFaults, goTo, page, signIn } = await browser.open('#/upstreams')
  await signIn(twin.adminKey)
  await page.getByText('No MCP server is registered.').waitFor()
  await page.getByRole('link', { name: 'Register an MCP server' }).click()
  await page.getByLabel('Id', { exact: true }).fill('files')
  await page.getByLabel('Address').fill(server.url)
  await page.getByRole('button', { name: 'Ask for its tools' }).click()
  await page.getByLabel('Take delete_file').uncheck()
  await page.getByText('Something was changed since.').waitFor()
  await page.getByRole('button', { name: 'Ask for its tools' }).click()
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await page.getByRole('button', { name: 'Refresh now' }).waitFor()
  expect(page.url()).toContain('#/upstreams/files')
  expect(await page.getByRole('row', { name: /delete_file/ }).count()).toBe(0)

  server.tools = [
    toolOf('read_file', { description: 'Reads one file. Send its path.' }),
    toolOf('write_file', { description: HOSTILE }),
  ]
  await page.getByRole('button', { name: 'Refresh now' }).click()
  await page.getByRole('row', { name: /read_file.*changed.*refused/ }).waitFor()
  await page.getByRole('link', { name: 'write_file' }).click()
  await page.getByText('<img src=x onerror=alert(1)> Writes.').first().waitFor()
  expect(await page.locator('main img').count()).toBe(0)

  await page.getByRole('link', { name: 'read_file' }).click()
  const description = page.getByRole('row', { name: /^description/ })
  await description.locator('del', { hasText: 'Give' }).waitFor()
  expect(await description.locator('ins').textContent()).toBe('Send')
  expect(page.url()).toContain('tool=read_file')
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('row', { name: /read_file.*approved.*served/ }).waitFor()

  await goTo('#/upstreams')
  await page.getByRole('row', { name: /files.*ok.*1 (changed|flagged)/ }).waitFor()
  await page.getByRole('link', { name: 'files', exact: true }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  const sure = page.getByRole('dialog')
  await sure.getByLabel('Type files to go on').fill('files')
  await sure.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No MCP server is registered.').waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})

test('a server that does not answer is said with its reason, and what was typed stays', async () => {
  server.down = 503
  const { close, findFaults, page, signIn } = await browser.open('#/import?from=mcp')
  await signIn(twin.adminKey)
  await page.getByLabel('Id', { exact: true }).fill('down')
  await page.getByLabel('Address').fill(server.url)
  await page.getByRole('button', { name: 'Ask for its tools' }).click()
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('503')
  expect(await page.getByLabel('Id', { exact: true }).inputValue()).toBe('down')
  server.down = undefined
  expect(await findFaults([502])).toEqual([])
  await close()
})
