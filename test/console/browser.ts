/**
 * A browser on the console of a twin. Each page that is opened keeps what it did, and
 * {@link ConsolePage.findFaults} tells what no page of the console may do.
 */
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  firefox,
  type Page,
} from 'playwright-core'
import { findRequestFault } from './api-requests.ts'
import { BROWSER, type BrowserName, findProgram } from './programs.ts'

export type ConsoleBrowser = {
  /** Opens the console at a hash such as `#/users`, with nobody signed in. */
  open(hash?: string, options?: BrowserContextOptions): Promise<ConsolePage>
  close(): Promise<void>
}

export type ConsolePage = {
  readonly page: Page
  /** Signs in with a key on the page that asks for one. */
  signIn(key: string): Promise<void>
  /** Goes to a hash and waits until what the page loads is there. `title` is that of the page. */
  goTo(hash: string, title?: string): Promise<void>
  /**
   * Returns, since it was last asked, errors of the page, requests to other origins or that no
   * OpenAPI document has, and what is left in storage; none on a page that keeps the rules.
   * Chromium notes each refused request as an error: statuses of `expected` are left out.
   */
  findFaults(expected?: readonly number[]): Promise<readonly string[]>
  close(): Promise<void>
}

/** Root in a container has no sandbox; the pages are our own. */
const CHROMIUM_ARGS = ['--no-sandbox', '--disable-dev-shm-usage']
const FIREFOX_RELAY = join(import.meta.dirname, 'firefox-relay.ts')
/** A page may use the clipboard without asking the person, as in Chromium where a test allows it. */
const FIREFOX_PREFS = { 'dom.events.testing.asyncClipboard': true }

/** Launches the browser of the tests, or the one that is named. The caller closes it. */
export function launchBrowser(name: BrowserName = BROWSER): Promise<Browser> {
  if (name === 'chromium')
    return chromium.launch({ executablePath: findProgram(name), args: CHROMIUM_ARGS })
  return firefox.launch({
    channel: 'moz-firefox',
    executablePath: FIREFOX_RELAY,
    firefoxUserPrefs: FIREFOX_PREFS,
  })
}

/** `origin`: that of the gateway, such as `http://127.0.0.1:8787`. The caller closes it. */
export async function openBrowser(origin: string): Promise<ConsoleBrowser> {
  const browser = await launchBrowser()
  return {
    open: (hash = '', options = {}) => openPage(browser, origin, hash, options),
    close: () => browser.close(),
  }
}

async function openPage(
  browser: Browser,
  origin: string,
  hash: string,
  options: BrowserContextOptions,
): Promise<ConsolePage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', ({ message }) => faults.push(`script: ${message}`))
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(`${origin}/`)
    if (!isOwn) faults.push(`request: ${request.url()}`)
    const fault = isOwn ? findRequestFault(request.method(), new URL(request.url())) : undefined
    if (fault !== undefined) faults.push(`request: ${fault}`)
  })
  const url = `${origin}/v1/console/`
  await page.goto(`${url}${hash}`)
  return {
    page,
    signIn: async (key) => {
      await page.getByLabel('Key', { exact: true }).fill(key)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('button', { name: 'Sign out' }).waitFor()
      await waitForContent(page)
    },
    goTo: async (to, title) => {
      await page.goto(`${url}${to}`)
      if (title !== undefined) await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await waitForContent(page)
    },
    findFaults: async (expected = []) => {
      const left = await page.evaluate(() => [
        ...Object.keys(localStorage).map((name) => `localStorage: ${name}`),
        ...Object.keys(sessionStorage).map((name) => `sessionStorage: ${name}`),
      ])
      const cookies = await context.cookies()
      left.push(...cookies.map(({ name }) => `cookie: ${name}`))
      const isExpected = (fault: string) =>
        expected.some((status) => fault.includes(`responded with a status of ${status} `))
      return [...faults.splice(0).filter((fault) => !isExpected(fault)), ...left]
    },
    close: () => context.close(),
  }
}

/** Waits until nothing on the page says that it loads. */
async function waitForContent(page: Page): Promise<void> {
  await page.locator('main h1').waitFor()
  await page.locator('main .waiting').first().waitFor({ state: 'detached' })
}

/** Lets a test read what a page copied; Firefox lets each page from its start. */
export async function allowClipboard(page: Page): Promise<void> {
  if (BROWSER === 'chromium')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
}

/**
 * Drops the answers of requests whose URL ends so, until the test restores them: the gateway has
 * worked, and for the page the connection broke.
 */
export async function loseAnswers(
  page: Page,
  ending: string,
): Promise<{ restore(): Promise<void> }> {
  const kept = await page.evaluateHandle((end) => {
    const { fetch } = globalThis
    globalThis.fetch = async (...request) => {
      const answer = await fetch(...request)
      if (answer.url.endsWith(end)) throw new TypeError('the answer was lost')
      return answer
    }
    return fetch
  }, ending)
  return {
    restore: () =>
      kept.evaluate((fetch) => {
        globalThis.fetch = fetch
      }),
  }
}
