/** docs/settings.md and docs/clients.md, and the commands of pages: options are those of the twin, configurations are JSON. */
import { describe, expect, test } from 'vitest'
import { readOptions } from '../../local/settings/options.ts'
import { settingsPage } from '../../scripts/settings-page.ts'
import { blocksOf, PAGES, readText } from './markdown.ts'

test('docs/settings.md is the page that npm run settings:page writes', () => {
  expect(readText('docs/settings.md')).toBe(settingsPage())
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
