/** docs/clients.md, twin.md, users.md, execute.md and skills.md show what the twin takes and answers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPTION_ROWS } from '../../local/settings/option-table.ts'
import { readOptions } from '../../local/settings/options.ts'
import { blocksOf, codeOf, PAGES, readText, rowsOf, sectionOf } from './markdown.ts'
import { type PageTwin, pasted, startPageTwin } from './pasted.ts'

describe('docs/twin.md', () => {
  test('lists the options of the twin in the words of --help', () => {
    const section = sectionOf(readText('docs/twin.md'), '## Options')
    const listed = rowsOf(section).map(([option = '', env = '', help]) => ({
      option: codeOf(option),
      env: codeOf(env),
      help,
    }))
    const real = OPTION_ROWS.map(({ env, flag, help, value }) => ({
      option: `--${flag}${value === undefined ? '' : ` ${value}`}`,
      env,
      help,
    }))
    expect(listed).toEqual(real)
  })
})

test('every page starts the twin with options that it takes', () => {
  const commands = PAGES.flatMap((page) =>
    blocksOf(readText(page)).flatMap(({ text }) => [...text.matchAll(/^npm start -- (.+)$/gm)]),
  ).map(([, options = '']) => options.split(' '))
  expect(commands.length).toBeGreaterThan(1)
  for (const options of commands) {
    expect(readOptions(options, {})).toMatchObject({ ok: true })
  }
})

describe('docs/clients.md', () => {
  const page = readText('docs/clients.md')

  test('has configurations that are JSON with the endpoint and a key', () => {
    const configurations = blocksOf(page).filter(({ language }) => language === 'json')
    expect(configurations).toHaveLength(3)
    for (const { text } of configurations) {
      const compact = JSON.stringify(JSON.parse(text))
      expect(compact).toContain('"http://127.0.0.1:8787/mcp"')
      expect(compact).toContain('Bearer sgk_…')
    }
  })
})

describe('the pasted commands', () => {
  let twin: PageTwin

  beforeAll(async () => {
    twin = await startPageTwin()
  })
  afterAll(() => twin.stop())

  test('of docs/clients.md give each client the endpoint and the key of the twin', async () => {
    const commands = await pasted(twin, readText('docs/clients.md'))
    const given = expect.arrayContaining([`${twin.url}/mcp`, `Authorization: Bearer ${twin.key}`])
    expect(commands).toEqual([given, given])
  })

  test('of docs/users.md make a user with a key, credits and a private skill', async () => {
    expect(await pasted(twin, readText('docs/users.md'))).toEqual([
      expect.objectContaining({ uid: 'ada', credits: 25 }),
      expect.objectContaining({ key: expect.stringMatching(/^sgk_/) }),
      expect.objectContaining({ granted: true }),
      expect.objectContaining({ uid: 'ada', credits: 35 }),
      expect.objectContaining({ toolName: 'ada_sg_greet', created: true, listed: true }),
      expect.objectContaining({ entries: expect.any(Array) }),
    ])
  })

  test('of docs/execute.md run a skill twice, the second time under an Idempotency-Key', async () => {
    const answer = expect.objectContaining({ skillId: 'sg_weather', isError: false })
    expect(await pasted(twin, readText('docs/execute.md'))).toEqual([answer, answer])
  })

  test('of docs/skills.md add a skill in JSON and one in Markdown', async () => {
    expect(await pasted(twin, readText('docs/skills.md'))).toEqual([
      expect.objectContaining({ toolName: 'sg_joke', listed: true }),
      expect.objectContaining({ created: true, listed: true }),
    ])
  })
})
