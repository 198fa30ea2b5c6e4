/**
 * People sign in to the console in Chromium: at a real `oidc-provider` as administrators and as
 * users, and by the gateway's own login. What a hostile page or issuer may try is tried here too.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../local/start-twin.ts'
import { CONSOLE_CLIENT, type OidcServer, startOidcServer } from '../issuers/oidc-provider.ts'
import { type ConsoleBrowser, type ConsolePage, openBrowser } from './browser.ts'

const ADMIN_AUDIENCE = 'https://skillgate.example/v1/admin'
const MCP_URL = 'https://skillgate.example/mcp'
const AS_ADMINISTRATOR = /^Sign in with 127\.0\.0\.1:\d+ as administrator$/
const AS_USER = /^Sign in with 127\.0\.0\.1:\d+$/

let oidc: OidcServer
let twin: Twin
let browser: ConsoleBrowser

beforeAll(async () => {
  oidc = await startOidcServer({
    resource: ADMIN_AUDIENCE,
    agentResource: MCP_URL,
    claims: {
      ada: { groups: ['ops'], email: 'ada@example.com', email_verified: true },
      eve: { groups: ['guests'] },
    },
  })
  const issuer = {
    issuer: oidc.issuer,
    audiences: [MCP_URL],
    provision: 'auto' as const,
    admin: {
      audiences: [ADMIN_AUDIENCE],
      clientId: CONSOLE_CLIENT,
      scopes: ['openid', 'offline_access', 'admin'],
      roleOf: { claim: 'groups', values: { ops: 'operator' as const } },
    },
    console: { clientId: CONSOLE_CLIENT },
  }
  const options = {
    ...DEFAULT_OPTIONS,
    port: 0,
    memory: true,
    dynamodbEndpoint: undefined,
    publicOrigin: 'https://skillgate.example',
    issuers: [issuer],
    outboundAllow: [new URL(oidc.issuer).host],
  }
  twin = await startTwin(options, { call: () => {}, note: () => {} })
  browser = await openBrowser(twin.origin)
})
afterAll(async () => {
  await browser?.close()
  await twin?.stop()
  await oidc?.stop()
})

/** Opens the console as a person whom the issuer knows already. */
async function openAs(account: string, hash = ''): Promise<ConsolePage> {
  const opened = await browser.open(hash)
  await opened.page.context().addCookies([{ name: 'account', value: account, url: oidc.issuer }])
  return opened
}

/** Faults without those that a sign-in makes by its nature: the issuer is another origin. */
async function findOwnFaults({ findFaults }: ConsolePage, expected: readonly number[] = []) {
  const faults = await findFaults(expected)
  return faults.filter((fault) => !fault.startsWith(`request: ${oidc.issuer}/`))
}

async function click(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('button', { name }).click()
}

describe('an administrator', () => {
  test('signs in at the issuer, comes back to the page that was asked for, and no code or token is left', async () => {
    const opened = await openAs('ada', '#/users?search=x')
    const { page } = opened
    await page.getByRole('button', { name: AS_ADMINISTRATOR }).waitFor()
    expect(await page.getByLabel('Key', { exact: true }).count()).toBe(0)
    await click(page, AS_ADMINISTRATOR)
    await page.getByText('ada@example.com, operator').waitFor()
    expect(page.url()).toBe(`${twin.origin}/v1/console/#/users?search=x`)
    // Cookies know no ports: those of the issuer are seen at the gateway, too.
    await page.context().clearCookies()
    expect(await findOwnFaults(opened)).toEqual([])
    await opened.close()
  })

  test('is recorded in the trail by the name that the issuer gives', async () => {
    const opened = await openAs('ada', '#/users')
    const { page } = opened
    await click(page, AS_ADMINISTRATOR)
    await page.getByRole('button', { name: 'Add a user' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('made-in-the-console')
    await dialog.getByRole('button', { name: 'Add a user' }).click()
    await page.getByRole('button', { name: 'Grant credits' }).waitFor()
    const trail = await fetch(`${twin.origin}/v1/admin/audit`, {
      headers: { 'X-Admin-Key': twin.credentials.adminKey },
    })
    expect(await trail.text()).toContain('ada@example.com')
    await opened.close()
  })

  test('who signs out ends the tokens at the issuer, and a reload asks again', async () => {
    const opened = await openAs('ada')
    const { page } = opened
    await click(page, AS_ADMINISTRATOR)
    const revocations = () => oidc.requests.filter((one) => one.includes('/revocation')).length
    const before = revocations()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: AS_ADMINISTRATOR }).waitFor()
    await expect.poll(revocations).toBe(before + 1)
    await opened.close()
  })

  test('without a role reads what is missing, and stays outside', async () => {
    const opened = await openAs('eve')
    const { page } = opened
    await click(page, AS_ADMINISTRATOR)
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toContain('You have no role here')
    await page.context().clearCookies()
    expect(await findOwnFaults(opened, [403])).toEqual([])
    await opened.close()
  })
})

test('a person of the issuer opens the console before any client, and is a user from then on', async () => {
  const opened = await openAs('grace')
  const { page } = opened
  await click(page, AS_USER)
  await page.getByText('Ask your administrator for credits.').waitFor()
  const listed = await fetch(`${twin.origin}/v1/admin/users?username=i-`, {
    headers: { 'X-Admin-Key': twin.credentials.adminKey },
  })
  expect(JSON.parse(await listed.text()).users).toMatchObject([{ state: 'active', tier: 'free' }])
  await page.context().clearCookies()
  expect(await findOwnFaults(opened)).toEqual([])
  await opened.close()
})

describe('an answer', () => {
  test('that this tab has not asked for is refused, and its text is not shown', async () => {
    const { close, findFaults, page } = await browser.open()
    const foreign = '?code=stolen&state=other&error_description=Call+555'
    await page.goto(`${twin.origin}/v1/console/${foreign}`)
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toContain('does not belong to a sign-in of this tab')
    expect(page.url()).toBe(`${twin.origin}/v1/console/`)
    expect(await page.getByText('555').count()).toBe(0)
    expect(await findFaults()).toEqual([])
    await close()
  })

  test.each([
    ['another state', (url: URL) => url.searchParams.set('state', 'x'), 'of this tab'],
    [
      'another issuer',
      (url: URL) => url.searchParams.set('iss', 'https://evil.example'),
      'another issuer',
    ],
    [
      'no issuer, though its metadata promise one',
      (url: URL) => url.searchParams.delete('iss'),
      'another issuer',
    ],
    [
      'a code of somebody else',
      (url: URL) => url.searchParams.set('code', 'c'.repeat(43)),
      'was not accepted',
    ],
    [
      'a hostile refusal',
      (url: URL) => {
        url.searchParams.delete('code')
        url.searchParams.set('error', 'x')
        url.searchParams.set('error_description', '<img src=x onerror=alert(1)>\u202e')
      },
      '<img src=x onerror=alert(1)>',
    ],
  ])('with %s signs nobody in', async (_what, change, words) => {
    const opened = await browser.open()
    const { page } = opened
    await page.route(`${oidc.issuer}/**`, async (route) => {
      // The person signs in beside the browser, which gets a changed answer.
      const answer = await oidc.browse(route.request().url(), { account: 'ada' })
      const url = new URL(answer.url)
      change(url)
      await route.fulfill({ status: 302, headers: { location: url.href } })
    })
    await click(page, AS_ADMINISTRATOR)
    await expect.poll(() => page.getByRole('alert').textContent()).toContain(words)
    expect(page.url()).toBe(`${twin.origin}/v1/console/`)
    expect(await page.locator('img').count()).toBe(0)
    expect(await findOwnFaults(opened, [401])).toEqual([])
    await opened.close()
  })

  test('that is opened again, as by the back button, signs nobody in a second time', async () => {
    const opened = await openAs('ada')
    const { page } = opened
    let answer = ''
    page.on('request', (request) => {
      if (request.url().includes('code=')) answer = request.url()
    })
    await click(page, AS_ADMINISTRATOR)
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.goto(answer)
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toContain('does not belong to a sign-in of this tab')
    await opened.close()
  })
})

test('two tabs sign in at once, each with its own state', async () => {
  const opened = await openAs('ada')
  const second = await opened.page.context().newPage()
  await second.goto(`${twin.origin}/v1/console/`)
  // Both have begun when the first is at the issuer, whose session is one for both tabs: of two
  // that are made at once it may lose one.
  const { promise: isFirstIn, resolve: letSecondOn } = Promise.withResolvers<void>()
  await second.route(`${oidc.issuer}/auth?*`, async (route) => {
    await isFirstIn
    await route.continue()
  })
  const asked = second.waitForRequest(`${oidc.issuer}/auth?*`)
  // A click ends with the navigation that it starts.
  const clicked = click(second, AS_ADMINISTRATOR)
  await asked
  await click(opened.page, AS_ADMINISTRATOR)
  await opened.page.getByRole('button', { name: 'Sign out' }).waitFor()
  letSecondOn()
  await clicked
  await second.getByRole('button', { name: 'Sign out' }).waitFor()
  await opened.close()
})

describe('the login of the gateway', () => {
  let own: Twin
  let ownBrowser: ConsoleBrowser

  beforeAll(async () => {
    const options = { ...DEFAULT_OPTIONS, port: 0, memory: true, dynamodbEndpoint: undefined }
    own = await startTwin({ ...options, login: true }, { call: () => {}, note: () => {} })
    ownBrowser = await openBrowser(own.origin)
  })
  afterAll(async () => {
    await ownBrowser?.close()
    await own?.stop()
  })

  test('lets a user with a key in, who may manage the account, until the person signs out', async () => {
    // A page that loads nothing: this test is about the sign-in alone.
    const { close, page } = await ownBrowser.open('#/no-such-page')
    const authorization = page.waitForRequest((request) => request.url().endsWith('/v1/me'))
    await page.getByRole('button', { name: 'Sign in with your API key or invitation' }).click()
    await page.getByLabel('Your API key or invitation').fill(own.credentials.key)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('make, change and revoke API keys').waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    expect(page.url()).toBe(`${own.origin}/v1/console/#/no-such-page`)
    const headers = {
      Authorization: (await (await authorization).allHeaders())['authorization'] ?? '',
    }
    const me = async () => await fetch(`${own.origin}/v1/me`, { headers })
    expect(await (await me()).json()).toMatchObject({ mayManage: true })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: /invitation/ }).waitFor()
    const logins = async () => {
      const answer = await fetch(`${own.origin}/v1/admin/users/${own.uid}/logins`, {
        headers: { 'X-Admin-Key': own.credentials.adminKey },
      })
      return (await answer.json()) as unknown
    }
    await expect.poll(logins).toMatchObject({ logins: [] })
    await close()
  })
})
