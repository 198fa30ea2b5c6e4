/** The page of sums: its filters in the address, its table and its file. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, postJson } from '../e2e/http.ts'
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

test('sums of two words are a chart, a table and a file that the page itself makes', async () => {
  const call = { skill: 'sg_weather', arguments: { city: 'Oslo' } }
  expect((await postJson(twin.execute, call, bearer(twin.key))).status).toBe(200)
  const { close, findFaults, goTo, page, signIn } = await browser.open('#/usage?by=user')
  await signIn(twin.adminKey)
  await expect
    .poll(async () => {
      await goTo('#/')
      await goTo('#/usage?by=user')
      return page.getByRole('figure').count()
    })
    .toBe(2)
  await page.getByLabel('And by', { exact: true }).selectOption('skill')
  expect(page.url()).toContain('by=user&also=skill')
  const row = page.getByRole('row', { name: new RegExp(`^${twin.uid} sg_weather`) })
  await row.waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const file = await saved
  expect(file.suggestedFilename()).toBe('usage-user-skill.csv')
  const [head, line] = readFileSync(await file.path(), 'utf8').split('\r\n')
  expect(head).toBe(
    'uid,skillId,source,calls,settled,refunded,charged,givenBack,durationMs,reasons',
  )
  expect(line).toMatch(new RegExp(`^${twin.uid},sg_weather,official,1,1,0,0.5,`))
  expect(await findFaults()).toEqual([])
  await close()
})
