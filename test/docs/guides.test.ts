/** docs/settings.md, docs/clients.md and tables of docs/service.md: options, configurations and tools are the real ones. */
import { describe, expect, test } from 'vitest'
import { readOptions } from '../../local/settings/options.ts'
import { formatSettingsPage } from '../../scripts/settings-page.ts'
import { BUILT_IN, TASK_TOOLS } from '../core/flow/built-in.ts'
import { blocksOf, codeOf, PAGES, readText, rowsOf, sectionOf } from './markdown.ts'

test('docs/settings.md is the page that npm run settings:page writes', () => {
  expect(readText('docs/settings.md')).toBe(formatSettingsPage())
})

test('docs/service.md has a row for each built-in tool', () => {
  const rows = rowsOf(sectionOf(readText('docs/service.md'), '## Built-in tools'))
  expect(rows.map(([tool = '']) => codeOf(tool)).toSorted()).toEqual(
    [...BUILT_IN, ...TASK_TOOLS, 'sg_issue_key'].toSorted(),
  )
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
