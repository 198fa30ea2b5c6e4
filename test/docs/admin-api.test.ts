/** docs/admin-api.md is the page that its script writes, has every route, and lines that work when they are pasted. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROUTES } from '../../lambdas/admin/routes.ts'
import { formatAdminPage, wrapMarkdown } from '../../scripts/admin-page.ts'
import { blocksOf, readText, sectionOf } from './markdown.ts'
import { type PageTwin, runAsPasted, startPageTwin } from './pasted.ts'

const PAGE = readText('docs/admin-api.md')
const documented = [...PAGE.matchAll(/^### ([A-Z]+ \S+)$/gm)].map(([, route = '']) => route)

let twin: PageTwin

beforeAll(async () => {
  twin = await startPageTwin(['--login'])
  await pasted('### POST users')
})
afterAll(() => twin.stop())

test('the page is the one that npm run admin:page writes', () => {
  expect(PAGE).toBe(formatAdminPage())
})

test('a template that lacks a route, or has one twice, is refused by its name', () => {
  const template = readText('scripts/admin/page.md')
  expect(() => formatAdminPage(template.replace('### whoami\n', ''))).toThrow('has no ### whoami')
  expect(() => formatAdminPage(`${template}\n### whoami\n`)).toThrow('has ### whoami twice')
})

test('a text is wrapped at 100 characters, and a mark of Markdown never begins a line', () => {
  const words = 'word '.repeat(19)
  expect(wrapMarkdown(`${words}five - [a link](b.md) \`a b\``)).toBe(
    `${words}five -\n[a link](b.md) \`a b\``,
  )
  expect(wrapMarkdown(`- ${words}six words`)).toBe(`- ${words}six\n  words`)
})

test('each route has a heading, and each heading a route', () => {
  const real = ROUTES.map(({ method, path }) => `${method} ${path.slice(1)}`)
  expect([...documented].sort()).toEqual([...real].sort())
})

test.each([
  ['### POST sync_skill', { toolName: 'sg_joke', created: true }],
  ['### GET skills', { skills: expect.any(Array) }],
  ['### GET skills/{source}/{skillId}', { skillId: 'sg_joke', version: 1 }],
  ['### POST skills/{source}/{skillId}/dry-run', { price: 0.5, problems: [] }],
  ['### POST skills:dry-run', { skillId: 'sg_try', price: 1 }],
  ['### POST sync_cache', { tools: expect.any(Number) }],
  ['### POST refresh-tools', { changedAtMs: expect.any(Number) }],
  ['### GET users/{uid}', { uid: 'ada', credits: 25 }],
  ['### PATCH users/{uid}', { uid: 'ada', tier: 'pro' }],
  ['### POST users/{uid}/credits', { granted: true }],
  ['### GET users/{uid}/ledger', { entries: [] }],
  ['### POST users/{uid}/keys', { key: expect.stringMatching(/^sgk_/) }],
  ['### GET users/{uid}/keys', { keys: [expect.anything()] }],
  ['### DELETE users/{uid}/keys/{keyId}', {}],
  ['### PUT users/{uid}/secrets/{name}', { name: 'API_KEY', skillId: 'sg_weather' }],
  ['### GET users/{uid}/secrets', { secrets: [expect.anything()] }],
  ['### DELETE users/{uid}/secrets/{name}', {}],
  [
    '### PUT secrets/{name}',
    { name: 'API_KEY', skillId: 'sg_weather', setBy: 'break-glass:admin-key' },
  ],
  ['### GET secrets', { secrets: [expect.anything()] }],
  ['### DELETE secrets/{name}', {}],
  ['### DELETE skills/{source}/{skillId}', {}],
  ['### POST keys', { key: expect.stringMatching(/^sga_/), name: 'grace', role: 'operator' }],
  ['### GET keys', { keys: [{ name: 'grace', createdBy: 'break-glass:admin-key' }] }],
  ['### DELETE keys/{keyId}', {}],
  ['### GET whoami', { name: 'break-glass:admin-key', role: 'owner' }],
  ['### GET audit', { changes: expect.arrayContaining([expect.anything()]) }],
  ['### GET audit/verify', { isWhole: true, faults: [] }],
  ['### POST migrate', { moved: 0, skipped: [] }],
])('the example of %s works and is answered as shown', async (heading, answer) => {
  expect(await pasted(heading)).toMatchObject(answer)
})

test('the refusal that it shows is the real one', async () => {
  const heading = '## What every route has in common'
  const shown = blocksOf(sectionOf(PAGE, heading)).find(({ language }) => language === 'json')
  expect(await pasted(heading)).toEqual(JSON.parse(shown?.text ?? ''))
})

/** The answer of the section's first command, run after the block that sets the variables; or {}. */
async function pasted(heading: string): Promise<unknown> {
  const isCommand = ({ text }: { readonly text: string }) => text.includes('curl')
  const [setUp] = blocksOf(PAGE).filter(({ language }) => language === 'sh')
  const [command] = blocksOf(sectionOf(PAGE, heading)).filter(isCommand)
  const stdout = await runAsPasted(twin, `${setUp?.text}${command?.text}`)
  return stdout === '' ? {} : JSON.parse(stdout)
}
