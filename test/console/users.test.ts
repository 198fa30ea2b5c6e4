/** Pages of users: find one, see why a call failed, pay it back, and change what a user may do. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminPost, balanceOf, createUser, setSecret, syncSkill } from '../e2e/admin.ts'
import { numberOf, stringOf } from '../e2e/fields.ts'
import { bearer, postJson, send } from '../e2e/http.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import {
  allowClipboard,
  type ConsoleBrowser,
  type ConsolePage,
  loseAnswers,
  openBrowser,
} from './browser.ts'

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

async function open(hash: string, key = twin.adminKey): Promise<ConsolePage> {
  const opened = await browser.open(hash)
  await opened.signIn(key)
  return opened
}

async function createAdministrator(role: string): Promise<string> {
  return stringOf((await adminPost(twin, 'keys', { name: `the-${role}`, role })).json(), 'key')
}

/** What another administrator does meanwhile. */
async function patchGroups(uid: string, addGroups: readonly string[]): Promise<void> {
  await send(`${twin.admin}/users/${uid}`, {
    method: 'PATCH',
    headers: bearer(twin.internalApiSecret),
    body: JSON.stringify({ addGroups }),
  })
}

test('support finds a user, sees why a call failed, and gives a charge back once, in three clicks', async () => {
  const { key, uid } = await createUser(twin, { username: 'heidi', credits: 10 })
  await syncSkill(twin, { id: 'sg_paid', at: 'weather?city=Oslo', price: 2 })
  await syncSkill(twin, { id: 'sg_broken', at: 'fail?status=503', price: 3 })
  for (const skill of ['sg_paid', 'sg_broken']) {
    await postJson(twin.execute, { skill, arguments: {} }, bearer(key))
  }
  const { close, findFaults, page } = await open('#/users?search=hei')
  await page.getByRole('link', { name: 'heidi' }).click()
  const row = page.getByRole('row').filter({ hasText: 'sg_broken' })
  await row.filter({ hasText: 'upstream failed' }).getByRole('link').click()
  await page.getByText('It answered 503. The price was given back.').waitFor()
  expect(await page.getByRole('button', { name: 'Give back' }).count()).toBe(0)
  await page.goBack()
  await page.getByRole('row').filter({ hasText: 'sg_paid' }).getByRole('link').click()
  for (const said of ['2 credits were given back.', 'had been given back before']) {
    await page.getByRole('button', { name: 'Give back 2 credits' }).click()
    const dialog = page.getByRole('dialog', { name: 'Give back 2 credits' })
    await dialog.getByRole('button', { name: 'Give back 2 credits' }).click()
    await page.getByText(said).waitFor()
  }
  expect(await balanceOf(twin, uid)).toEqual({ credits: 10, onHold: 0 })
  expect(await findFaults()).toEqual([])
  await close()
})

test('a grant whose answer was lost counts once, also after its form was closed and filled in again', async () => {
  const { uid } = await createUser(twin, { username: 'ivan', credits: 1 })
  const { close, findFaults, page } = await open(`#/users/${uid}`)
  const grant = async (credits: string) => {
    await page.getByRole('button', { name: 'Grant credits' }).click()
    const dialog = page.getByRole('dialog', { name: 'Grant credits' })
    await dialog.getByLabel('Credits', { exact: true }).fill(credits)
    await dialog.getByLabel('Why').fill('a present')
    await dialog.getByRole('button', { name: 'Grant credits' }).click()
    return dialog
  }
  const answers = await loseAnswers(page, '/credits')
  const lost = await grant('5')
  await lost.getByRole('alert').waitFor()
  await lost.getByRole('button', { name: 'Close' }).click()
  await answers.restore()
  await page.goto(`${page.url().split('#')[0]}#/users/${uid}/credits`)
  const changed = await grant('6')
  await expect
    .poll(() => changed.getByRole('alert').textContent())
    .toContain('An earlier try of this form has counted.')
  expect(await balanceOf(twin, uid)).toEqual({ credits: 6, onHold: 0 })
  await changed.getByRole('button', { name: 'Close' }).click()
  const next = await grant('-2')
  await next.waitFor({ state: 'detached' })
  await page.getByRole('cell', { name: '-2', exact: true }).waitFor()
  await page.locator('.lead', { hasText: '4 credits' }).waitFor()
  expect(await findFaults([409])).toEqual([])
  await close()
})

test('a key is shown once with its limits, works, and is revoked by typing its beginning', async () => {
  const { uid } = await createUser(twin, { username: 'judy', credits: 5 })
  const { close, findFaults, page } = await open(`#/users/${uid}/keys`)
  await page.getByRole('button', { name: 'Issue a key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Issue a key' })
  await dialog.getByLabel('Tools').fill('sg_echo, sg_weather')
  await dialog.getByLabel('Most credits of a call').fill('0.5')
  await dialog.getByRole('button', { name: 'Issue a key' }).click()
  await dialog.getByText('it will not come again').waitFor()
  const key = (await dialog.getByText(/^sgk_/).textContent()) ?? ''
  await dialog.getByRole('button', { name: 'Close' }).click()
  // A dialog that has closed is hidden first, and leaves the page after that.
  await page.getByText(key).waitFor({ state: 'detached' })
  const body = { skill: 'sg_echo', arguments: { text: 'hello' } }
  expect((await postJson(twin.execute, body, bearer(key))).status).toBe(200)
  const row = page.getByRole('row').filter({ hasText: key.slice(0, 8) })
  await row.getByText('sg_echo sg_weather · 0.5 credits a call').waitFor()
  await row.getByRole('button', { name: 'Change' }).click()
  const change = page.getByRole('dialog', { name: 'Change' })
  await change.getByLabel('Tools').fill('')
  await change.getByLabel('Calls a day').fill('7')
  await change.getByRole('button', { name: 'Change' }).click()
  await row.getByText(/every tool · 0\.5 credits a call · \d of 7 calls today/).waitFor()
  await row.getByRole('button', { name: 'Revoke' }).click()
  const revoke = page.getByRole('dialog', { name: 'Revoke' })
  expect(await revoke.getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true)
  await revoke.getByLabel('Type').fill(key.slice(0, 8))
  await revoke.getByRole('button', { name: 'Revoke' }).click()
  await row.waitFor({ state: 'detached' })
  expect(await findFaults()).toEqual([])
  await close()
})

test('groups are added and removed one by one, and a user is disabled with a reason and enabled', async () => {
  const { uid } = await createUser(twin, { username: 'kim', credits: 0, groups: ['travel'] })
  const { close, findFaults, page } = await open(`#/users/${uid}`)
  await page.getByRole('button', { name: 'Add to groups' }).click()
  const add = page.getByRole('dialog', { name: 'Add to groups' })
  await add.getByLabel('Groups').fill('finance')
  await patchGroups(uid, ['sales'])
  await add.getByRole('button', { name: 'Add to groups' }).click()
  await page.getByRole('button', { name: 'finance ✕' }).waitFor()
  await page.getByRole('button', { name: 'sales ✕' }).waitFor()
  await page.getByRole('button', { name: 'travel ✕' }).click()
  const remove = page.getByRole('dialog', { name: 'travel ✕' })
  await remove.getByRole('button', { name: 'travel ✕' }).click()
  await page.getByRole('button', { name: 'travel ✕' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Disable' }).click()
  const disable = page.getByRole('dialog', { name: 'Disable' })
  await disable.getByLabel('Why').fill('the invoice is not paid')
  await disable.getByRole('button', { name: 'Disable' }).click()
  await page.getByText('the invoice is not paid').waitFor()
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByRole('button', { name: 'Disable' }).waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})

test('a name, tier and budget are changed, an emptied budget ends, and deletion asks for the name', async () => {
  const { uid } = await createUser(twin, { username: 'leo', credits: 0 })
  const { close, findFaults, page } = await open(`#/users/${uid}`)
  const change = async (label: string, value: string) => {
    await page.getByRole('button', { name: 'Change' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change' })
    await dialog.getByLabel(label, { exact: true }).fill(value)
    await dialog.getByRole('button', { name: 'Change' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await change('Name', 'leonie')
  await change('Budget of a month', '20')
  await page.getByText('0 of 20 spent').waitFor()
  await change('Budget of a month', '')
  await page.getByText('0 of 20 spent').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete' }).click()
  const remove = page.getByRole('dialog', { name: 'Delete' })
  await remove.getByLabel('Type leonie to go on').fill('leonie')
  await remove.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Users' }).waitFor()
  await page.getByLabel('Name begins with').fill('leonie')
  await page.getByText('No user is here.').waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})

test('a secret of a user is set from a password field and deleted, and its value is nowhere on the page', async () => {
  const { uid } = await createUser(twin, { username: 'mia', credits: 0 })
  const { close, findFaults, page } = await open(`#/users/${uid}/secrets`)
  await page.getByText('No secret is set.').waitFor()
  await page.getByRole('button', { name: 'Set a secret' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set a secret' })
  await dialog.getByLabel('Name').fill('API_KEY')
  await dialog.getByLabel('Value').fill('not to be seen')
  expect(await dialog.getByLabel('Value').getAttribute('type')).toBe('password')
  await dialog.getByLabel('Sent to').fill('https://api.example.com')
  await dialog.getByRole('button', { name: 'Set a secret' }).click()
  const row = page.getByRole('row').filter({ hasText: 'API_KEY' })
  await row.getByText('https://api.example.com').waitFor()
  expect(await page.content()).not.toContain('not to be seen')
  await row.getByRole('button', { name: 'Delete' }).click()
  const remove = page.getByRole('dialog', { name: 'Delete' })
  await remove.getByLabel('Type API_KEY to go on').fill('API_KEY')
  await remove.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No secret is set.').waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})

test('a viewer reads every section of a user and gets no button that changes anything', async () => {
  const { uid } = await createUser(twin, { username: 'nora', credits: 1, groups: ['travel'] })
  await setSecret(twin, uid, { name: 'API_KEY', value: 'not to be seen' })
  const viewer = await open('#/users', await createAdministrator('viewer'))
  const { close, findFaults, goTo, page } = viewer
  for (const section of ['', '/calls', '/credits', '/keys', '/logins', '/secrets']) {
    await goTo(`#/users/${uid}${section}`)
    await page.getByRole('navigation', { name: 'About the user' }).waitFor()
    const buttons = await page.locator('main').getByRole('button').allTextContents()
    expect(buttons, section).toEqual(['Copy as command line'])
  }
  expect(await findFaults()).toEqual([])
  await close()
})

test('names that strangers chose are shown as text, and quoted in the command line', async () => {
  const username = `<img src=x onerror=alert(1)>'\u202e`
  const answer = await adminPost(twin, 'users', { username: username.slice(0, -1) })
  const uid = stringOf(answer.json(), 'uid')
  const { close, findFaults, page } = await open(`#/users/${uid}`)
  await page.getByText('<img src=x onerror=alert(1)>').first().waitFor()
  expect(await page.locator('main img').count()).toBe(0)
  await allowClipboard(page)
  await page.goto(`${page.url().split('#')[0]}#/users?search=a'%20;rm`)
  await page.getByRole('button', { name: 'Copy as command line' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate('navigator.clipboard.readText()')
  expect(copied).toBe(`skillgate users ls --search 'a'\\'' ;rm'`)
  expect(await findFaults()).toEqual([])
  await close()
})

test('the lists of debts and of users who run out have their own filters and addresses', async () => {
  const { uid } = await createUser(twin, { username: 'olga', credits: 1 })
  const body = { grantId: 'debt', amount: -4, reason: 'a chargeback', allowNegative: true }
  const { user } = (await adminPost(twin, `users/${uid}/credits`, body)).json()
  expect(numberOf(user as { readonly [name: string]: unknown }, 'credits')).toBe(-3)
  const { close, findFaults, goTo, page } = await open('#/users?show=in-debt')
  await page.getByRole('row').filter({ hasText: 'olga' }).filter({ hasText: '-3' }).waitFor()
  await goTo('#/users?show=running-out&within=30')
  await page.getByText('No user is here.').waitFor()
  expect(await page.getByLabel('Within days (7)').inputValue()).toBe('30')
  expect(await findFaults()).toEqual([])
  await close()
})
