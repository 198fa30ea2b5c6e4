/** The pages of authorization servers: each entry that they show is a valid setting, and no field is left out. */
import { describe, expect, test } from 'vitest'
import { findIssuerErrors } from '../../core/issuers/issuer-setting.ts'
import { blocksOf, filesOf, linksOf, readText, rowsOf, sectionOf } from './markdown.ts'

const OVERVIEW = readText('docs/issuers/README.md')
const SERVERS = filesOf('docs/issuers/*.md').filter((page) => !/README|clients/.test(page))

test('the table of fields has every field of the type, and no other', () => {
  const [, body = ''] =
    /export type Issuer = \{\n([\s\S]*?)\n\}/.exec(readText('core/issuers/issuer.ts')) ?? []
  const fields = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name)
  expect(fields).toContain('issuer')
  const shown = rowsOf(sectionOf(OVERVIEW, '## Fields of an issuer')).map(([name]) => name)
  expect(shown).toEqual(fields.map((name) => `\`${name}\``))
})

test('the overview links to the page of every server', () => {
  const linked = linksOf(OVERVIEW).map(({ path }) => `docs/issuers/${path}`)
  expect(linked).toEqual(expect.arrayContaining([...SERVERS]))
  expect(SERVERS).toHaveLength(5)
})

describe.each(SERVERS)('%s', (page) => {
  const entries = blocksOf(readText(page)).filter(({ language }) => language === 'json')

  test('shows entries that a stage and the twin accept', () => {
    expect(entries.length).toBeGreaterThan(0)
    for (const { text } of entries)
      expect(findIssuerErrors('issuers', JSON.parse(text))).toEqual([])
  })

  test('has 40 to 90 lines and says what the server cannot do', () => {
    const lines = readText(page).trimEnd().split('\n')
    expect(lines.length).toBeGreaterThanOrEqual(40)
    expect(lines.length).toBeLessThanOrEqual(90)
    expect(lines.some((line) => /^## What \S+ cannot do$/.test(line))).toBe(true)
  })
})
