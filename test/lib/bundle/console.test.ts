/** The console as it is built: its size, and what its page and its script may hold. */
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { isConsolePath } from '../../../lambdas/admin/console.ts'
import { buildConsole } from '../../../lib/bundle/console.ts'

/** What a phone loads over a slow network before it shows a page. */
const SCRIPT_GZIP_BYTES_MAX = 30_000
const STYLE_BYTES_MAX = 12_000
/** Names of markup, which nothing is asked for under. */
const NAMESPACES = /^http:\/\/www\.w3\.org\/(?:2000\/svg|1998\/Math\/MathML|1999\/xhtml)$/

/** In examples of fields: a reserved host, which nothing is asked for. */
const EXAMPLE = /^https:\/\/api\.example\.com\b/

const files = await buildConsole()
const names = Object.keys(files)
const textOf = (extension: string) => {
  const name = names.find((one) => one.endsWith(extension)) ?? ''
  return files[name] ?? ''
}

test('a build is a page, scripts and a style sheet, each named by its content', () => {
  const [page, ...others] = names
  expect(page).toBe('index.html')
  for (const name of others) expect(name).toMatch(/^[a-z-]+-[0-9A-Z]{8}\.(?:js|css)$/)
  expect(names.every((name) => isConsolePath(`/v1/console/${name}`))).toBe(true)
  const named = [...(files['index.html'] ?? '').matchAll(/"((?:app|style)-[^"]+)"/g)]
  expect(named.map(([, name = '']) => names.includes(name))).toEqual([true, true])
})

test('the same sources give the same files', async () => {
  expect(await buildConsole()).toEqual(files)
})

/** The scripts that a script imports when it loads, with itself. */
function listLoaded(name: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  const imports = (files[name] ?? '').matchAll(/(?:from|import)"\.\/([^"]+)"/g)
  for (const [, one = ''] of imports) listLoaded(one, seen)
  return seen
}

test(`no page loads more than ${SCRIPT_GZIP_BYTES_MAX} bytes of scripts, compressed, with the frame`, () => {
  const scripts = names.filter((name) => name.endsWith('.js'))
  const sizeOf = (name: string) => gzipSync(files[name] ?? '', { level: 9 }).length
  const frame = listLoaded(scripts.find((name) => name.startsWith('app-')) ?? '')
  expect(frame.size).toBeGreaterThan(1)
  for (const script of scripts) {
    const loaded = [...listLoaded(script, new Set(frame))]
    const bytes = loaded.reduce((sum, name) => sum + sizeOf(name), 0)
    expect([script, bytes <= SCRIPT_GZIP_BYTES_MAX ? 'fits' : bytes]).toEqual([script, 'fits'])
  }
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
    expect(urls.filter((url) => !EXAMPLE.test(url) && !NAMESPACES.test(url))).toEqual([])
    expect(text).not.toMatch(/(?:src|href)="\/\/|url\(\s*['"]?(?:https?:)?\/\//)
  }
})
