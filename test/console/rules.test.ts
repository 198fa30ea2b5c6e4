/**
 * What holds for every page of the console, in a gateway whose users, skills and upstreams are
 * hostile. A new page is visited as soon as it is in the console's table; if its address varies, its
 * segments need samples in hostile-world.ts.
 */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleBrowser, type ConsolePage, openBrowser } from './browser.ts'
import { type HostileWorld, MARKUP, startHostileWorld } from './hostile-world.ts'
import { type ListedPage, listPages } from './list-pages.ts'
import { BROWSER } from './programs.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const WIDE = { width: 1280, height: 800 }
/** The width of a small phone. */
const NARROW = { width: 360, height: 740 }
/** What the browser shows in the place of a page that refuses the frame. */
const REFUSED_FRAME =
  BROWSER === 'firefox' ? /^about:neterror\?e=cspBlocked&/ : /^chrome-error:\/\/chromewebdata\/$/
/** Firefox's automation cannot choose one; it shows the page light. */
const COLOR_SCHEMES = BROWSER === 'firefox' ? (['light'] as const) : (['light', 'dark'] as const)

const PAGES = await listPages()
let world: HostileWorld
let browser: ConsoleBrowser

beforeAll(async () => {
  world = await startHostileWorld()
  browser = await openBrowser(world.twin.url)
})
afterAll(async () => {
  await browser?.close()
  await world?.stop()
})

type Persona = {
  readonly who: string
  readonly audience: ListedPage['audience']
  /** Undefined: nobody signs in. */
  readonly toKey: ((world: HostileWorld) => string) | undefined
  /** Statuses of requests that the gateway refuses to this person. */
  readonly refused: readonly number[]
}

const PERSONAS: readonly Persona[] = [
  { who: 'owner', audience: 'administrators', toKey: ({ twin }) => twin.adminKey, refused: [] },
  { who: 'viewer', audience: 'administrators', toKey: (of) => of.viewerKey, refused: [403] },
  { who: 'user', audience: 'users', toKey: ({ userKey }) => userKey, refused: [] },
  // A code that is not known, a catalogue that is not public.
  { who: 'nobody', audience: 'everybody', toKey: undefined, refused: [403, 404] },
]

const VISITED = PERSONAS.map(
  (persona) =>
    [persona.who, persona, PAGES.filter((page) => page.audience === persona.audience)] as const,
).filter(([, , pages]) => pages.length > 0)

describe.each(VISITED)('with the pages of a %s', (_who, { refused, toKey }, pages) => {
  let visit: ConsolePage
  /** The same without the policy, which would refuse the script of axe. */
  let checked: ConsolePage

  const openAs = async (options: Parameters<ConsoleBrowser['open']>[1]) => {
    const opened = await browser.open('', options)
    if (toKey !== undefined) await opened.signIn(toKey(world))
    return opened
  }

  beforeAll(async () => {
    visit = await openAs({})
    checked = await openAs({ bypassCSP: true })
    await checked.page.evaluate(AXE)
  })
  afterAll(async () => {
    await visit?.close()
    await checked?.close()
  })

  describe.each(pages.map((page) => [page.path, page] as const))('the page #/%s', (_path, page) => {
    test('has no error, asks no other origin, stores nothing, and shows text of strangers as text', async () => {
      await visit.goTo(toHash(page), page.title)
      await visit.page.setViewportSize(WIDE)
      expect(await visit.findFaults(refused)).toEqual([])
      expect(await findLiveText(visit.page)).toEqual([])
    })

    test('fits a screen of 360 px', async () => {
      await visit.goTo(toHash(page), page.title)
      await visit.page.setViewportSize(NARROW)
      expect(await findOverflow(visit.page)).toEqual([])
      await visit.page.setViewportSize(WIDE)
    })

    test.each(COLOR_SCHEMES)(
      'has no serious fault for assistive technology, %s',
      async (colorScheme) => {
        await checked.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await checked.goTo(toHash(page), page.title)
        expect(await findBarriers(checked.page)).toEqual([])
      },
    )
  })
})

test('the page asks for a key, and fits and reads well before somebody has signed in', async () => {
  const { close, page } = await browser.open('', { bypassCSP: true, viewport: NARROW })
  await page.getByLabel('Key', { exact: true }).waitFor()
  await page.evaluate(AXE)
  expect(await findOverflow(page)).toEqual([])
  expect(await findBarriers(page)).toEqual([])
  await close()
})

test('the hostile texts are on the pages, so that the rules above judge something', async () => {
  const { close, goTo, page, signIn } = await browser.open()
  await signIn(world.twin.adminKey)
  await goTo('#/users', 'Users')
  expect(await page.getByRole('main').textContent()).toContain(MARKUP)
  await goTo(`#/skills/official/${world.samples['skillId']}`, 'Skill')
  expect(await page.getByRole('main').textContent()).toContain('javascript:hit=1')
  await close()
})

test('the page runs no text as code', async () => {
  const { close, page } = await browser.open()
  const policy = page.waitForResponse(`${world.twin.url}/v1/console/`)
  await page.reload()
  expect((await policy).headers()['content-security-policy']).toContain("default-src 'none'")
  const thrown = await page.getByRole('button', { name: 'Sign in' }).evaluate((button) => {
    const script = button.ownerDocument.createElement('script')
    const tries = [
      () => {
        button.innerHTML = '<b>x</b>'
      },
      () => button.setAttribute('onclick', 'hit = 1'),
      () => {
        script.text = 'hit = 1'
      },
    ]
    return tries.map((run) => {
      try {
        run()
        return 'nothing'
      } catch (cause) {
        return cause instanceof Error ? cause.name : ''
      }
    })
  })
  expect(thrown).toEqual(['TypeError', 'TypeError', 'TypeError'])
  await close()
})

test('another site cannot show the console in a frame', async () => {
  const { close, page } = await browser.open()
  await page.route('http://other.example/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<iframe src="${world.twin.url}/v1/console/"></iframe>`,
    }),
  )
  await page.goto('http://other.example/')
  const frame = page.frames()[1]
  expect(await frame?.getByLabel('Key', { exact: true }).count()).toBe(0)
  await expect.poll(() => frame?.url()).toMatch(REFUSED_FRAME)
  await close()
})

/** Fills the segments that vary. Throws an Error for one without a sample. */
function toHash({ path }: ListedPage): string {
  const filled = path.replace(/\{(\w+)\}/g, (_segment, name: string) => {
    const sample = world.samples[name]
    if (sample === undefined) {
      throw new Error(`The segment {${name}} of ${path} has no sample in hostile-world.ts.`)
    }
    return encodeURIComponent(sample)
  })
  return `#/${filled}`
}

const TURNS_AROUND = /[\u202A-\u202E\u2066-\u2069]/

/** Returns what became more than text: elements, links, scripts that ran, hidden characters. */
async function findLiveText(page: Page): Promise<readonly string[]> {
  const links = await page.locator('a[href]').evaluateAll((all) => all.map(({ href }) => href))
  const isKnown = (href: string) =>
    /^(?:https:|vscode:|cursor:)/.test(href) || href.startsWith(`${world.twin.url}/`)
  const rules: readonly (readonly [fault: string, isBroken: boolean])[] = [
    ['a script of a stranger ran', await page.evaluate(() => 'hit' in globalThis)],
    ['a text became an element', (await page.locator('main img, main script').count()) > 0],
    ['a link leads out', !links.every(isKnown)],
    [
      'a character turns the text around',
      TURNS_AROUND.test((await page.locator('body').textContent()) ?? ''),
    ],
  ]
  return rules.filter(([, isBroken]) => isBroken).map(([fault]) => fault)
}

/** Returns the elements that are wider than the screen, if the page scrolls sideways. */
async function findOverflow(page: Page): Promise<readonly string[]> {
  const [shown = 0, needed = 0] = await page
    .locator('html')
    .evaluate(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth])
  if (needed <= shown) return []
  return page
    .locator('body *')
    .evaluateAll(
      (elements, width) =>
        elements
          .filter((element) => element.getBoundingClientRect().right > width + 1)
          .map(({ className, tagName }) => `${tagName} ${className}`),
      shown,
    )
}

type AxeResult = {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string | null
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

/** Returns what axe calls serious or critical. */
async function findBarriers(page: Page): Promise<readonly string[]> {
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run(),
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ failureSummary, html }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    )
}
