/**
 * `node test/console/pictures.ts`: makes the pictures of docs/console.md, in light and dark. Exits
 * with 1 if one has more bytes than a page of documents should load.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { createUser } from '../e2e/admin.ts'
import { bearer, postJson } from '../e2e/http.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { type ConsoleBrowser, openBrowser } from './browser.ts'

const FOLDER = join(import.meta.dirname, '../../docs/console')
const BYTES_MAX = 60_000
const VIEWPORT = { width: 820, height: 450 }

/** The file is named by the first word, and the page by its hash and title. */
const PICTURES: readonly (readonly [name: string, hash: string, title: string])[] = [
  ['overview', '#/', 'Overview'],
  ['skill', '#/skills/official/sg_weather', 'Skill'],
  ['calls', '#/calls', 'Calls'],
  ['users', '#/users', 'Users'],
  ['usage', '#/usage', 'Usage'],
  ['import', '#/import', 'Import'],
  ['health', '#/health', 'Health'],
]

mkdirSync(FOLDER, { recursive: true })
for (const colorScheme of ['light', 'dark'] as const) await takePictures(colorScheme)

/** A twin of its own for each colour, because the link to the welcome page works once. */
async function takePictures(colorScheme: 'dark' | 'light'): Promise<void> {
  const twin = await startTwin(['--memory'])
  const browser = await openBrowser(twin.url)
  try {
    await fill(twin)
    await takeAll(twin, browser, colorScheme)
  } finally {
    await browser.close()
    await twin.stop()
  }
}

async function fill(twin: Twin): Promise<void> {
  const { key } = await createUser(twin, { username: 'ada', credits: 40 })
  const cities = ['Oslo', 'Lima', 'Osaka', 'Tunis', 'Quito']
  for (const [index, city] of cities.entries()) {
    const call = { skill: 'sg_weather', arguments: { city } }
    await postJson(twin.execute, call, bearer(index % 2 === 0 ? twin.key : key))
  }
}

async function takeAll(
  twin: Twin,
  browser: ConsoleBrowser,
  colorScheme: 'dark' | 'light',
): Promise<void> {
  const { hash } = new URL(String(JSON.parse(twin.printed())['console']))
  const { goTo, page } = await browser.open(hash, { colorScheme, viewport: VIEWPORT })
  const take = async (name: string, page: Page) => {
    const path = join(FOLDER, `${name}-${colorScheme}.png`)
    const { length } = await page.screenshot({ path, animations: 'disabled' })
    process.stdout.write(`${path}: ${length} bytes\n`)
    if (length > BYTES_MAX) process.exitCode = 1
  }
  await page.getByText(twin.key, { exact: true }).waitFor()
  await take('welcome', page)
  for (const [name, to, title] of PICTURES) {
    await goTo(to, title)
    await take(name, page)
  }
  const own = await browser.open('', { colorScheme, viewport: VIEWPORT })
  await own.signIn(twin.key)
  await own.goTo('#/me/tools/sg_weather', 'Tool')
  await take('tool', own.page)
}
