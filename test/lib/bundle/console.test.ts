/** The console as it is built: its size, and what its page and its script may hold. */
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { isConsolePath } from '../../../lambdas/admin/console.ts'
import { buildConsole } from '../../../lib/bundle/console.ts'

/** What a phone loads over a slow network before it shows anything. */
const SCRIPT_GZIP_BYTES_MAX = 30_000
const STYLE_BYTES_MAX = 12_000
/** Names of markup, which nothing is asked for under. */
const NAMESPACES = /^http:\/\/www\.w3\.org\/(?:2000\/svg|1998\/Math\/MathML|1999\/xhtml)$/

const files = await buildConsole()
const names = Object.keys(files)
const textOf = (extension: string) => {
  const name = names.find((one) => one.endsWith(extension)) ?? ''
  return files[name] ?? ''
}

test('a build is a page, a script and a style sheet, with the hash of each in its name', () => {
  expect(names).toEqual([
    'index.html',
    expect.stringMatching(/^app-[0-9a-f]{12}\.js$/),
    expect.stringMatching(/^style-[0-9a-f]{12}\.css$/),
  ])
  for (const name of names.slice(1)) expect(files['index.html']).toContain(`"${name}"`)
  expect(names.every((name) => isConsolePath(`/v1/console/${name}`))).toBe(true)
})

test('the same sources give the same files', async () => {
  expect(await buildConsole()).toEqual(files)
})

test(`the script has ${SCRIPT_GZIP_BYTES_MAX} bytes at most, compressed`, () => {
  expect(gzipSync(textOf('.js'), { level: 9 }).length).toBeLessThanOrEqual(SCRIPT_GZIP_BYTES_MAX)
})

test(`the style sheet has ${STYLE_BYTES_MAX} bytes at most`, () => {
  expect(Buffer.byteLength(textOf('.css'))).toBeLessThanOrEqual(STYLE_BYTES_MAX)
})

test('the page has no code and no style of its own, which its policy refuses', () => {
  const page = files['index.html'] ?? ''
  const scripts = [...page.matchAll(/<script\b[^>]*>([^<]*)</g)]
  expect(scripts.map(([, code]) => code)).toEqual([''])
  expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=/i)
})

test('no file names another origin', () => {
  for (const text of Object.values(files)) {
    // The icon is a data: URL.
    const urls = text.match(/\b(?:https?|wss?):\/\/[^\s'"`)<\\]+/g) ?? []
    expect(urls.filter((url) => !NAMESPACES.test(url))).toEqual([])
    expect(text).not.toMatch(/(?:src|href)="\/\/|url\(\s*['"]?(?:https?:)?\/\//)
  }
})
