/** "Copy as command line": the address of a page may come from a stranger, and sh reads the line. */
import { parse } from 'shell-quote'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { allowClipboard, type ConsoleBrowser, openBrowser } from './browser.ts'
import { listPages } from './list-pages.ts'

const HOSTILE = `x'; touch hit; "$(touch hit)" #`
/** The filters of all pages. */
const FILTERS =
  'also by days from group identity key month operation outcome search show since skill source state target tier tool uid until user who within'
/** Statuses of pages that the gateway has not, or does not read. */
const REFUSED = [400, 404]

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

test('a word of the address is one word of the command, on every page', async () => {
  const { close, findFaults, goTo, page, signIn } = await browser.open()
  await signIn(twin.adminKey)
  await allowClipboard(page)
  const query = new URLSearchParams(
    FILTERS.split(' ').map((name): [string, string] => [name, HOSTILE]),
  )
  const commands: string[] = []
  for (const { audience, path, title } of await listPages()) {
    if (audience !== 'administrators') continue
    const segments = path.replace(/\{\w+\}/g, encodeURIComponent(HOSTILE))
    await goTo(`#/${segments}?${query}`, title)
    const copy = page.getByRole('button', { name: 'Copy as command line' })
    if ((await copy.count()) === 0) continue
    await copy.click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    const words = parse(copied)
    expect(words, copied).toEqual(words.filter((word) => typeof word === 'string'))
    expect(words[0], copied).toBe('skillgate')
    commands.push(copied)
  }
  expect(commands.filter((command) => command.includes('touch')).length).toBeGreaterThan(8)
  expect(await findFaults(REFUSED)).toEqual([])
  await close()
})
