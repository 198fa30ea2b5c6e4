/** Pages of calls: filters in the address, days of the reader's zone, and a call as a timeline. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminPost, createUser, syncSkill } from '../e2e/admin.ts'
import { stringOf } from '../e2e/fields.ts'
import { bearer, postJson } from '../e2e/http.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { type ConsoleBrowser, openBrowser } from './browser.ts'

/** Its days begin 13 hours before those of UTC, or 14. */
const ZONE = 'Pacific/Auckland'

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

test('the days of the filter are whole days of the reader, sent as moments', async () => {
  const { uid } = await createUser(twin, { username: 'peggy', credits: 1 })
  const hash = `#/calls?user=${uid}&since=2026-09-26&until=2026-09-27`
  const { close, findFaults, page, signIn } = await browser.open(hash, { timezoneId: ZONE })
  const sent = page.waitForRequest((request) => request.url().includes('/admin/calls?'))
  await signIn(twin.adminKey)
  const { searchParams } = new URL((await sent).url())
  // The clocks go forward on the 27th: its day has 23 hours.
  expect(Number(searchParams.get('since'))).toBe(Date.parse('2026-09-25T12:00:00Z'))
  expect(Number(searchParams.get('until'))).toBe(Date.parse('2026-09-27T11:00:00Z'))
  expect(await page.getByLabel('To the day, included').inputValue()).toBe('2026-09-27')
  await page.getByText('No call is here.').waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})

test('a failed call is found by its outcome, and shows why, its phases and what the upstream said', async () => {
  const { key, uid } = await createUser(twin, { username: 'quinn', credits: 10 })
  await syncSkill(twin, { id: 'sg_broken', at: 'fail?status=503', price: 3 })
  await postJson(twin.execute, { skill: 'sg_broken', arguments: {} }, bearer(key))
  await postJson(twin.execute, { skill: 'sg_echo', arguments: { text: 'x' } }, bearer(key))
  const { close, findFaults, page, signIn } = await browser.open('#/calls')
  await signIn(twin.adminKey)
  await page.getByLabel('User id').fill(uid)
  await page.getByLabel('Outcome').selectOption('upstream_failed')
  await page.getByRole('row').filter({ hasText: 'sg_broken' }).getByRole('link').first().waitFor()
  expect(page.url()).toContain(`user=${uid}&outcome=upstream_failed`)
  // The rows of before stay until those of the filters have come.
  await page.getByRole('row').filter({ hasText: 'sg_echo' }).waitFor({ state: 'detached' })
  await page.getByRole('row').filter({ hasText: 'sg_broken' }).getByRole('link').first().click()
  await page.getByText('It answered 503.').waitFor()
  const steps = await page.getByRole('listitem').allTextContents()
  expect(steps[0]).toContain('the request came')
  expect(steps).toContainEqual(expect.stringMatching(/^price put on hold \d+ ms$/))
  expect(steps).toContainEqual(expect.stringMatching(/^waited for the upstream \d+ ms$/))
  expect(steps.at(-1)).toContain('refunded: 0 of 3 credits charged')
  await page.getByRole('region', { name: 'Start of the answer' }).waitFor()
  await page.getByRole('link', { name: 'sg_broken' }).click()
  expect(page.url()).toContain('#/skills/official/sg_broken')
  expect(await findFaults()).toEqual([])
  await close()
})

test('a viewer sees what a charged call cost, and no button that gives it back', async () => {
  const { key, uid } = await createUser(twin, { username: 'rita', credits: 10 })
  await syncSkill(twin, { id: 'sg_paid', at: 'weather?city=Oslo', price: 2 })
  const made = await postJson(twin.execute, { skill: 'sg_paid', arguments: {} }, bearer(key))
  expect(made.status).toBe(200)
  const viewer = await adminPost(twin, 'keys', { name: 'the-viewer', role: 'viewer' })
  const { close, findFaults, page, signIn } = await browser.open(`#/calls?user=${uid}`)
  await signIn(stringOf(viewer.json(), 'key'))
  await page.getByRole('row').filter({ hasText: 'sg_paid' }).getByRole('link').first().click()
  await page.getByText('The call succeeded and was charged.').waitFor()
  const buttons = await page.locator('main').getByRole('button').allTextContents()
  expect(buttons).toEqual(['Copy as command line'])
  expect(await findFaults()).toEqual([])
  await close()
})
