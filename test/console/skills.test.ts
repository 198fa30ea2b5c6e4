/** The pages of skills: found, tried, edited, compared, rolled back, stopped and deleted. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushJson } from '../e2e/admin.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { type ConsoleBrowser, type ConsolePage, openBrowser } from './browser.ts'

const HOSTILE = '<img src=x onerror=alert(1)><a href="javascript:alert(1)">'

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

async function openAt(hash: string): Promise<ConsolePage> {
  const opened = await browser.open(hash)
  await opened.signIn(twin.adminKey)
  return opened
}

function pushSkill(id: string, more: object = {}): Promise<string> {
  return pushJson(twin, {
    id,
    meta: {
      name: id,
      description: `Tells the city of ${id}.`,
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
    config: { endpoint: `${twin.url}/sample/weather`, method: 'GET' },
    credits_per_call: 1,
    ...more,
  })
}

test('a skill is found by its words, its state and its group, all of which stand in the address', async () => {
  await pushSkill('sg_found_a', { groups: ['finance'] })
  await pushSkill('sg_found_b', { state: 'disabled' })
  const { close, findFaults, page } = await openAt('#/skills')
  await page.getByLabel('Words').fill('city found')
  await expect
    .poll(() => page.getByRole('link', { name: /^sg_/ }).allTextContents())
    .toEqual(['sg_found_a'])
  expect(page.url()).toContain('search=city+found')
  await page.getByLabel('Words').fill('found')
  await page.getByLabel('State').selectOption('disabled')
  await expect
    .poll(() => page.getByRole('link', { name: /^sg_/ }).allTextContents())
    .toEqual(['sg_found_b'])
  await page.getByLabel('State').selectOption('')
  await page.getByLabel('Group').fill('finance')
  await expect
    .poll(() => page.getByRole('link', { name: /^sg_/ }).allTextContents())
    .toEqual(['sg_found_a'])
  await page.getByLabel('Words').fill('no such thing')
  await page.getByText('No skill is here.').waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})

test('texts that authors write are shown inert', async () => {
  const meta = {
    name: HOSTILE,
    description: HOSTILE,
    parameters: { type: 'object', properties: {} },
  }
  await pushSkill('sg_hostile', { meta })
  const { close, findFaults, goTo, page } = await openAt('#/skills?search=hostile')
  await page.getByText('<img src=x').first().waitFor()
  for (const name of ['', '/try', '/versions', '/edit']) {
    await goTo(`#/skills/official/sg_hostile${name}`)
    expect(await page.locator('main img, main a[href^=javascript]').count()).toBe(0)
  }
  expect(await findFaults()).toEqual([])
  await close()
})

test('a dry run shows the request, and a test call the answer, free of charge', async () => {
  await pushSkill('sg_tried')
  const { close, findFaults, page } = await openAt('#/skills/official/sg_tried/try')
  await page.getByLabel('Arguments').fill('{"city": "Oslo"}')
  await page.getByRole('button', { name: 'Show the request' }).click()
  await page.getByText('A call would run.').waitFor()
  expect(await page.getByRole('region', { name: 'Request' }).textContent()).toContain('city=Oslo')
  await page.getByRole('button', { name: 'Really call, free of charge' }).click()
  const answer = page.getByRole('region', { name: 'Answer' })
  await answer.getByText('temperatureC').waitFor()
  await page.getByLabel('Arguments').fill('{"city": 5}')
  await page.getByRole('button', { name: 'Show the request' }).click()
  await page.getByText('do not fit the parameters of sg_tried').waitFor()
  await page.getByRole('button', { name: 'Line 1' }).waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})

test('an editor shows each fault at its line, then what a save changes, and saves', async () => {
  await pushSkill('sg_edited')
  const { close, findFaults, page } = await openAt('#/skills/official/sg_edited/edit')
  const text = page.getByLabel('Definition')
  const good = await text.inputValue()
  await text.fill(good.replace('"method": "GET"', '"method": "GETT"'))
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  const fault = page.getByRole('button', { name: /^Line \d+$/ })
  await fault.first().click()
  const marked = await text.evaluate((area) => {
    // Tests are checked without the types of browsers.
    const { selectionEnd, selectionStart, value } = area as unknown as {
      selectionEnd: number
      selectionStart: number
      value: string
    }
    return value.slice(selectionStart, selectionEnd)
  })
  expect(marked).toContain('"method": "GETT"')

  await text.fill(good.replace('"id"', 'id'))
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('button', { name: 'Line 2' }).waitFor()
  await page.getByText('a name in double quotes is missing').first().waitFor()

  await text.fill(good.replace('Tells the city', 'Names the city'))
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  const row = page.getByRole('row', { name: /meta\/description/ })
  expect(await row.locator('del').textContent()).toBe('Tell')
  expect(await row.locator('ins').textContent()).toBe('Name')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Names the city of sg_edited.').first().waitFor()
  expect(await findFaults([422])).toEqual([])
  await close()
})

test('a save over a version that somebody else made is refused', async () => {
  await pushSkill('sg_raced')
  const { close, findFaults, page } = await openAt('#/skills/official/sg_raced/edit')
  const text = page.getByLabel('Definition')
  await text.fill((await text.inputValue()).replace('Tells', 'Says'))
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('row', { name: /meta\/description/ }).waitFor()
  const other = await fetch(`${twin.admin}/skills/official/sg_raced`, {
    method: 'PATCH',
    headers: { 'x-admin-key': twin.adminKey, 'content-type': 'application/json' },
    body: '{"credits": 7}',
  })
  expect(other.status).toBe(200)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('sg_raced has version 2 by now.').waitFor()
  expect(await findFaults([409])).toEqual([])
  await close()
})

test('a skill is written from nothing', async () => {
  const { close, findFaults, page } = await openAt('#/skills')
  await page.getByRole('link', { name: 'Write a skill' }).click()
  const text = page.getByLabel('Definition')
  await text.fill((await text.inputValue()).replace('sg_example', 'sg_written'))
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('table', { name: 'What a save changes' }).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('link', { name: 'Try it' }).waitFor()
  expect(page.url()).toContain('#/skills/official/sg_written')
  expect(await findFaults()).toEqual([])
  await close()
})

test('a skill is stopped, served again, priced, rolled back, and deleted once its name is typed', async () => {
  await pushSkill('sg_changed')
  const { close, findFaults, goTo, page } = await openAt('#/skills/official/sg_changed')
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Serve it again' }).click()
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  await page.getByText('Change state, price or groups').click()
  const price = page.getByLabel('Credits per call')
  await price.press('ControlOrMeta+a')
  await price.pressSequentially('2.5')
  await page.getByLabel('Groups').fill('finance, travel')
  await page.getByRole('button', { name: 'Save the change' }).click()
  await page.getByText('finance, travel').waitFor()

  await goTo('#/skills/official/sg_changed/edit')
  const text = page.getByLabel('Definition')
  await text.fill((await text.inputValue()).replace('Tells', 'Says'))
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('link', { name: 'Versions' }).click()
  await page
    .getByRole('row', { name: /^5 / })
    .getByRole('link', { name: 'What it changed' })
    .click()
  await page.getByRole('row', { name: /meta\/description/ }).waitFor()
  expect(page.url()).toContain('from=4&to=5')
  await page.getByRole('button', { name: 'Bring 1 back' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Bring 1 back' }).click()
  await page.getByText('Tells the city of sg_changed.').first().waitFor()
  await page.getByText('2.5', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Delete' }).click()
  const sure = page.getByRole('dialog')
  expect(await sure.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await sure.getByLabel('Type sg_changed to go on').fill('sg_changed')
  await sure.getByRole('button', { name: 'Delete' }).click()
  await page.getByLabel('Words').fill('sg_changed')
  await page.getByText('No skill is here.').waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})
