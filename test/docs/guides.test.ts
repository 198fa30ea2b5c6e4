/** docs/twin.md and docs/clients.md: options are those of the twin, configurations are JSON. */
import { describe, expect, test } from 'vitest'
import { OPTION_ROWS } from '../../local/settings/option-table.ts'
import { readOptions } from '../../local/settings/options.ts'
import { blocksOf, codeOf, PAGES, readText, rowsOf, sectionOf } from './markdown.ts'

describe('docs/twin.md', () => {
  test('docs/twin.md lists the options of the twin in the words of --help', () => {
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

  test('docs/clients.md has configurations that are JSON with the endpoint and a key', () => {
    const configurations = blocksOf(page).filter(({ language }) => language === 'json')
    expect(configurations).toHaveLength(3)
    for (const { text } of configurations) {
      const compact = JSON.stringify(JSON.parse(text))
      expect(compact).toContain('"http://127.0.0.1:8787/mcp"')
      expect(compact).toContain('Bearer sgk_…')
    }
  })
})
