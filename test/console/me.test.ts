/** The pages of users: what a person does with a key of their own, without an administrator. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminPost, createUser, pushJson, pushSkill } from '../e2e/admin.ts'
import { stringOf } from '../e2e/fields.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { type ConsoleBrowser, type ConsolePage, loseAnswers, openBrowser } from './browser.ts'

let twin: Twin
let browser: ConsoleBrowser

const PARAMETERS = {
  type: 'object',
  properties: {
    text: { type: 'string', title: 'Text', description: 'What to say.' },
    times: { type: 'integer' },
    loud: { type: 'boolean' },
  },
  required: ['text'],
}

beforeAll(async () => {
  twin = await startTwin(['--memory'])
  await pushSkill(twin, {
    id: 'sg_me_echo',
    price: 1.5,
    parameters: PARAMETERS,
    config: {
      endpoint: `${twin.url}/sample/echo`,
      method: 'POST',
      body: { text: '{{args.text}}', times: '{{args.times}}', loud: '{{args.loud}}' },
    },
  })
  await pushSkill(twin, {
    id: 'sg_me_broken',
    price: 2,
    config: { endpoint: `${twin.url}/sample/fail?status=500` },
  })
  await pushSkill(twin, {
    id: 'sg_me_secret',
    price: 0,
    config: {
      endpoint: `${twin.url}/sample/echo`,
      method: 'POST',
      headers: { 'X-Key': '{{secrets.ME_KEY}}' },
    },
  })
  browser = await openBrowser(twin.url)
})
afterAll(async () => {
  await browser?.close()
  await twin?.stop()
})

let users = 0

/** A page on which a new user with 10 credits is signed in. */
async function openAsUser(hash = ''): Promise<ConsolePage & { readonly key: string }> {
  users += 1
  const { key } = await createUser(twin, { username: `me-${users}`, credits: 10 })
  const opened = await browser.open(hash)
  await opened.signIn(key)
  return { ...opened, key }
}

async function expectNoFaults(
  { close, findFaults }: ConsolePage,
  expected: readonly number[] = [],
) {
  expect(await findFaults(expected)).toEqual([])
  await close()
}

test('a user sees the balance first, and no page of administrators', async () => {
  const opened = await openAsUser()
  const { goTo, page } = opened
  await page.getByRole('heading', { name: 'Balance' }).waitFor()
  expect(await page.getByRole('listitem').filter({ hasText: 'Credits' }).textContent()).toBe(
    'Credits10',
  )
  const names = await page.getByRole('navigation').getByRole('link').allTextContents()
  expect(names).toEqual([
    'Balance',
    'Tools',
    'Calls',
    'Usage',
    'Ledger',
    'Keys',
    'Secrets',
    'Logins',
    'Connect',
    'Catalogue',
  ])
  await page.evaluate(`location.hash = '#/users'`)
  await page.getByText('There is no such page.').waitFor()
  await goTo('')
  await expectNoFaults(opened)
})

test('a tool is tried with a form of its schema, and its cost is in balance, calls and ledger', async () => {
  const opened = await openAsUser('#/me/tools?search=echo')
  const { page } = opened
  await page.getByRole('link', { name: 'sg_me_echo' }).click()
  await page.getByRole('button', { name: 'Call it for 1.5 credits' }).click()
  await page.getByRole('alert').getByText('Text: is required.').waitFor()
  await page.getByLabel('Text').fill('Hello <img src=x onerror=alert(1)>')
  await page.getByLabel('times (optional)').fill('2')
  await page.getByLabel('loud (optional)').selectOption('yes')
  await page.getByRole('button', { name: 'Call it for 1.5 credits' }).click()
  const result = page.getByRole('status', { name: 'Result' })
  await result.getByText('1.5 credits').waitFor()
  const answer = await result.getByLabel('Answer of the tool').textContent()
  expect(answer).toContain('Hello <img src=x onerror=alert(1)>')
  expect(await page.locator('main img').count()).toBe(0)
  await result.getByRole('link').click()
  await page.getByRole('heading', { name: 'Call', exact: true }).waitFor()
  await page.getByText('sg_me_echo').waitFor()
  for (const name of ['Calls', 'Ledger']) {
    await page.getByRole('navigation').getByRole('link', { name }).click()
    await page.getByRole('heading', { name }).waitFor()
    const row = page.getByRole('row').filter({ hasText: 'sg_me_echo' })
    await row.getByText('1.5').waitFor()
  }
  await page.getByRole('navigation').getByRole('link', { name: 'Balance' }).click()
  await page
    .getByRole('listitem')
    .filter({ hasText: /^Credits8\.5$/ })
    .waitFor()
  await expectNoFaults(opened)
})

test('a call that fails says why, and that it cost nothing', async () => {
  const opened = await openAsUser('#/me/tools/sg_me_broken')
  const { page } = opened
  await page.getByRole('button', { name: 'Call it for 2 credits' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByText('A call that fails costs nothing').count()).toBe(2)
  await page.getByRole('navigation').getByRole('link', { name: 'Calls' }).click()
  const row = page.getByRole('row').filter({ hasText: 'sg_me_broken' })
  expect(await row.textContent()).toContain('failed, free: upstream failed')
  await row.getByRole('link').click()
  await page.getByText('The price was given back.').waitFor()
  await expectNoFaults(opened, [502])
})

test('a call whose answer was lost is paid once, however often it is sent', async () => {
  const opened = await openAsUser('#/me/tools/sg_me_echo')
  const { page } = opened
  const press = async (text: string) => {
    await page.getByLabel('Text').fill(text)
    await page.getByRole('button', { name: 'Call it for 1.5 credits' }).click()
  }
  const showsBalance = async (credits: number) => {
    const result = page.getByRole('status', { name: 'Result' })
    await result.getByText(`${credits}`, { exact: true }).waitFor()
  }
  const answers = await loseAnswers(page, '/me/calls')
  await press('once')
  await page.getByRole('alert').getByText('The gateway does not answer.').waitFor()
  await answers.restore()
  await press('once')
  await showsBalance(8.5)
  // The answer came: another press is another call, as are other words.
  await press('once')
  await showsBalance(7)
  await press('twice')
  await showsBalance(5.5)
  expect(await opened.findFaults()).toEqual([])
  await opened.close()
})

test('a call that failed is made again by another press, with a key of its own', async () => {
  const opened = await openAsUser('#/me/tools/sg_me_broken')
  const { page } = opened
  const keys: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') keys.push(request.headers()['idempotency-key'])
  })
  for (const presses of [1, 2]) {
    await page.getByRole('button', { name: 'Call it for 2 credits' }).click()
    await expect.poll(() => keys.length).toBe(presses)
    await page.getByRole('alert').waitFor()
  }
  expect(new Set(keys).size).toBe(2)
  expect(keys).not.toContain(undefined)
  await expectNoFaults(opened, [502])
})

test('the days of the calls are whole days of the reader', async () => {
  const { key } = await createUser(twin, { username: 'me-zone', credits: 1 })
  const hash = '#/me/calls?since=2026-09-26&until=2026-09-27'
  const opened = await browser.open(hash, { timezoneId: 'Pacific/Auckland' })
  const { page, signIn } = opened
  const sent = page.waitForRequest((request) => request.url().includes('/me/calls?'))
  await signIn(key)
  const { searchParams } = new URL((await sent).url())
  // The clocks go forward on the 27th: its day has 23 hours.
  expect(Number(searchParams.get('since'))).toBe(Date.parse('2026-09-25T12:00:00Z'))
  expect(Number(searchParams.get('until'))).toBe(Date.parse('2026-09-27T11:00:00Z'))
  await page.getByText('No call is here.').waitFor()
  await expectNoFaults(opened)
})

test('a key is made for some tools, shown once, changed, and revoked by its name', async () => {
  const opened = await openAsUser('#/me/keys')
  const { page } = opened
  await page.getByText('in use here').waitFor()
  await page.getByRole('button', { name: 'Issue a key' }).click()
  const form = page.getByRole('dialog', { name: 'Issue a key' })
  await form.getByLabel('Tools').fill('sg_me_*')
  await form.getByLabel('Budget of a month, in credits').fill('5')
  await form.getByRole('button', { name: 'Issue a key' }).click()
  await form.getByText('This key is shown only now.').waitFor()
  const key = (await form.locator('code').textContent()) ?? ''
  expect(key).toMatch(/^sgk_/)
  await form.getByRole('button', { name: 'Close' }).click()
  const row = page.getByRole('row').filter({ hasText: 'sg_me_*' })
  expect(await row.textContent()).toContain('0 of 5 spent until')
  expect(await page.content()).not.toContain(key)
  await row.getByRole('button', { name: 'Change' }).click()
  const change = page.getByRole('dialog', { name: 'Change' })
  await change.getByLabel('Calls a day (UTC)').fill('9')
  await change.getByRole('button', { name: 'Change' }).click()
  await row.getByText('0 of 9 calls today').waitFor()
  await row.getByRole('button', { name: 'Revoke' }).click()
  const dialog = page.getByRole('dialog', { name: 'Revoke' })
  expect(await dialog.getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill(key.slice(0, 8))
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await row.waitFor({ state: 'detached' })
  await expectNoFaults(opened)
})

test('a secret is set for the host that is shown, and its value is shown nowhere', async () => {
  const opened = await openAsUser('#/me/secrets')
  const { page } = opened
  const row = page.getByRole('row').filter({ hasText: 'sg_me_secret' }).first()
  expect(await row.textContent()).toContain('missing')
  await row.getByRole('button', { name: 'Set' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set ME_KEY' })
  expect(await dialog.textContent()).toContain(`${twin.url} and nowhere else`)
  await dialog.getByLabel('Value').fill('hush-hush-hush')
  await dialog.getByRole('button', { name: 'Set', exact: true }).click()
  await row.getByRole('button', { name: 'Replace' }).waitFor()
  expect(await page.content()).not.toContain('hush-hush-hush')
  await page.getByRole('button', { name: 'Delete' }).click()
  const removal = page.getByRole('dialog', { name: 'Delete' })
  await removal.getByRole('textbox').fill('ME_KEY')
  await removal.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('You have set no secret.').waitFor()
  await expectNoFaults(opened)
})

test('pages without anything yet say what will be there', async () => {
  const opened = await openAsUser('#/me/logins')
  const { page } = opened
  await page.getByText('No client is logged in.').waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Usage' }).click()
  await page.getByText('You made no call in this month.').waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Connect' }).click()
  await page.getByLabel('Client').selectOption('Cursor')
  await page.getByText('/mcp').first().waitFor()
  await expectNoFaults(opened)
})

test('a key with limits sees the balance and calls tools, and may not manage the account', async () => {
  const { uid } = await createUser(twin, { username: 'me-limited', credits: 1 })
  const issued = await adminPost(twin, `users/${uid}/keys`, { monthlyBudget: 5 })
  const opened = await browser.open('#/me')
  const { page, signIn } = opened
  await signIn(stringOf(issued.json(), 'key'))
  await page.getByText('spent 0 of its 5 credits of the month').waitFor()
  for (const name of ['Keys', 'Logins', 'Usage', 'Secrets']) {
    await page.getByRole('navigation').getByRole('link', { name }).click()
    await page.getByRole('heading', { name }).waitFor()
    await page.getByText('This needs a key without limits.').waitFor()
  }
  await expectNoFaults(opened)
})

test('texts of strangers are shown as they are, and run nothing', async () => {
  const owner = await createUser(twin, { username: 'me-hostile', credits: 1 })
  const name = '<img src=x onerror=alert(1)>evil'
  const description = '[x](javascript:alert(1)) <script>alert(2)</script>'
  const properties = { '<b>bold</b>': { type: 'string', description } }
  await pushJson(
    twin,
    {
      id: 'sg_me_hostile',
      meta: { name, description, parameters: { type: 'object', properties } },
      config: { endpoint: `${twin.url}/sample/joke` },
      credits_per_call: 0,
    },
    owner.uid,
  )
  const opened = await browser.open('#/me/tools?search=bold evil')
  const { page, signIn } = opened
  await signIn(owner.key)
  await page.getByRole('link', { name: /evil/ }).click()
  await page.getByText('<script>alert(2)</script>').first().waitFor()
  await page.getByLabel('<b>bold</b> (optional)').waitFor()
  expect(await page.locator('main :is(img, b, script)').count()).toBe(0)
  await expectNoFaults(opened)
})
