/** The pages of administrators, as a person uses them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser, syncSkill } from '../e2e/admin.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { type ConsoleBrowser, openBrowser } from './browser.ts'

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

test('an administrator signs in with a key, finds a user and grants credits', async () => {
  const { uid } = await createUser(twin, { username: 'grace', credits: 3 })
  const { close, findFaults, page, signIn } = await browser.open('#/users?search=gra')
  await signIn(twin.adminKey)
  await page.getByRole('link', { name: 'grace' }).click()
  await page.getByRole('button', { name: 'Grant credits' }).click()
  expect(page.url()).toContain(`#/users/${uid}`)
  const dialog = page.getByRole('dialog', { name: 'Grant credits' })
  await dialog.getByLabel('Credits', { exact: true }).fill('4.5')
  await dialog.getByRole('button', { name: 'Grant credits' }).click()
  await page.getByText('7.5').first().waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})

test('a key that is not known is refused in the words of the gateway, and stays nowhere', async () => {
  const { close, findFaults, page } = await browser.open()
  await page.getByLabel('Key', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('X-Admin-Key')
  expect(await findFaults([401])).toEqual([])
  await close()
})

test('Ctrl-K finds a page, a user and a skill by a few letters', async () => {
  const { uid } = await createUser(twin, { username: 'palette-user', credits: 1 })
  await syncSkill(twin, { id: 'palette_echo', at: 'echo' })
  const { close, findFaults, page, signIn } = await browser.open()
  await signIn(twin.adminKey)
  const find = async (letters: string) => {
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'Go to' })
    await dialog.getByLabel('Page, user or skill').fill(letters)
    return dialog
  }
  await (await find('trai')).getByRole('button', { name: 'Trail' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Trail' }).waitFor()
  await (await find('palette-u')).getByRole('button', { name: `palette-user user ${uid}` }).click()
  await page.getByRole('heading', { level: 1, name: 'User' }).waitFor()
  const skill = (await find('palette_e')).getByRole('button', { name: 'sg_palette_echo' })
  expect(await skill.textContent()).toBe('sg_palette_echo official skill')
  await skill.click()
  await page.getByRole('heading', { level: 1, name: 'Skill', exact: true }).waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})
