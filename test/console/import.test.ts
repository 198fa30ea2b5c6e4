/** Imports as a person makes them: the plan is looked at and changed, then becomes skills. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  CREDENTIALS,
  type LambdaStandIn,
  startLambdaStandIn,
} from '../adapters/upstream/lambda-stand-in.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { type ConsoleBrowser, type ConsolePage, openBrowser } from './browser.ts'

const arnOf = (name: string) => `arn:aws:lambda:eu-west-1:111122223333:function:${name}`

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://pets.example' }],
  paths: {
    '/pets': {
      get: { operationId: 'listPets', summary: 'Lists pets <img src=x onerror=alert(1)>.' },
      post: { operationId: 'addPet', summary: 'Adds a pet.' },
      put: { operationId: 'setPets', deprecated: true, summary: 'Sets pets.' },
    },
    '/pets/{id}': {
      get: {
        operationId: 'showPet',
        summary: 'Shows a pet.',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      },
    },
  },
}

let standIn: LambdaStandIn
let twin: Twin
let browser: ConsoleBrowser

beforeAll(async () => {
  standIn = await startLambdaStandIn()
  const env = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_SESSION_TOKEN: CREDENTIALS.sessionToken,
    AWS_ENDPOINT_URL_LAMBDA: standIn.endpoint.href,
  }
  twin = await startTwin(['--memory'], { env })
  browser = await openBrowser(twin.url)
})
afterAll(async () => {
  await browser?.close()
  await twin?.stop()
  await standIn?.close()
})

async function openAt(hash: string): Promise<ConsolePage> {
  const opened = await browser.open(hash)
  await opened.signIn(twin.adminKey)
  return opened
}

async function showSkill(id: string): Promise<unknown> {
  const headers = { 'x-admin-key': twin.adminKey }
  const answer = await fetch(`${twin.admin}/skills/official/${id}`, { headers })
  return answer.json()
}

test('an OpenAPI document is planned, changed in the table, imported, and changed by a later one', async () => {
  const { close, findFaults, page } = await openAt('#/import')
  await page.getByLabel(/^Drop a file/).setInputFiles({
    name: 'pets.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(DOCUMENT)),
  })
  await expect.poll(() => page.getByLabel('Document').inputValue()).toContain('listPets')
  await page.getByLabel('Prefix').fill('pets')
  await page.getByRole('button', { name: 'Make the plan' }).click()
  await page.getByText('3 of 4 operations are tools').waitFor()
  expect(await page.locator('main img').count()).toBe(0)
  await page.getByText('Not imported: 1').waitFor()
  expect(await page.getByRole('row', { name: /GET \/pets / }).textContent()).toContain(
    'pets.example',
  )

  await page.getByLabel('Take POST /pets').uncheck()
  await page.getByLabel('Name of GET /pets', { exact: true }).fill('list')
  await page.getByLabel('Description of GET /pets', { exact: true }).fill('Lists all pets.')
  await page.getByLabel('Credits of GET /pets', { exact: true }).fill('2.5')
  await page.getByText('Something was changed since.').waitFor()
  await page.getByRole('button', { name: 'Make the plan' }).click()
  await page.getByText('2 of 4 operations are tools').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('Imported.').waitFor()
  expect(await showSkill('sg_pets_list')).toMatchObject({
    skill: { meta: { description: 'Lists all pets.' }, credits_per_call: 2.5 },
  })
  expect(await showSkill('sg_pets_addPet')).toMatchObject({ status: 404 })

  const text = await page.getByLabel('Document').inputValue()
  await page.getByLabel('Document').fill(text.replace('Shows a pet.', 'Shows one pet.'))
  await page.getByRole('button', { name: 'Make the plan' }).click()
  const changed = page.getByRole('table', { name: 'sg_pets_showPet' })
  await changed.locator('ins', { hasText: 'one' }).first().waitFor()
  expect(await findFaults()).toEqual([])
  await close()
})

test('a document that cannot be read is refused in the words of the gateway', async () => {
  const { close, findFaults, page } = await openAt('#/import')
  await page.getByLabel('Document').fill('{"openapi": ')
  await page.getByLabel('Prefix').fill('none')
  await page.getByRole('button', { name: 'Make the plan' }).click()
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('document')
  expect(await findFaults([400, 422])).toEqual([])
  await close()
})

test('a document past the limit is not sent', async () => {
  const { close, findFaults, page } = await openAt('#/import')
  await page.getByText('at most 4 MB').waitFor()
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  await page.getByLabel(/^Drop a file/).setInputFiles({
    name: 'large.json',
    mimeType: 'application/json',
    buffer: Buffer.alloc(4_000_000, 'x'),
  })
  await page.getByLabel('Prefix').fill('large')
  await page.getByRole('button', { name: 'Make the plan' }).click()
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('longer than 4 MB')
  expect(sent).toEqual([])
  expect(await findFaults()).toEqual([])
  await close()
})

test('Lambda functions with a tag become skills, but for those that are left out', async () => {
  const list = ['orders', 'bills'].map((name) => ({
    ResourceARN: arnOf(name),
    Tags: [
      { Key: 'team', Value: 'shop' },
      { Key: 'skillgate:description', Value: `Shows ${name}.` },
      { Key: 'skillgate:event', Value: 'id:string' },
    ],
  }))
  const bad = { ResourceARN: arnOf('bad'), Tags: [{ Key: 'skillgate:event', Value: 'id:text' }] }
  standIn.tagAnswers = [{ body: JSON.stringify({ ResourceTagMappingList: [...list, bad] }) }]
  const { close, findFaults, page } = await openAt('#/import?from=lambda')
  await page.getByLabel('Tag').fill('team=shop')
  await page.getByRole('button', { name: 'Find functions' }).click()
  await page.getByText('3 functions carry the tag; 2 become skills.').waitFor()
  await page.getByText('Its tag skillgate:event has id:text').waitFor()
  await page.getByLabel('Take sg_bills').uncheck()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('Imported: 1 new').waitFor()
  expect(await showSkill('sg_orders')).toMatchObject({ skillId: 'sg_orders' })
  expect(await showSkill('sg_bills')).toMatchObject({ status: 404 })
  expect(await findFaults()).toEqual([])
  await close()
})
