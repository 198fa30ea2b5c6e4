/**
 * Pages that would keep a converter in this thread busy for ever: each was seen to take over 20 s,
 * or to end the process. Each must come to an end here, and the next page must work.
 */
import { spawnSync } from 'node:child_process'
import { afterEach, describe, expect, test } from 'vitest'
import {
  CONVERT_CPU_MS_MAX,
  HTML_DEPTH_MAX,
  MARKDOWN_CHARS_MAX,
} from '../../../adapters/hooks/conversion-limits.ts'
import { convertHtml } from '../../../adapters/hooks/convert-html.ts'

const NEVER = new AbortController().signal
/** For conversions that must end by themselves, on a busy machine too. */
const LONG_MS = 60_000

async function convert(html: string, msMax = LONG_MS, cpuMsMax = 0) {
  const converted = await convertHtml(html, { signal: NEVER, msMax, cpuMsMax })
  return converted.kind === 'markdown' ? converted.markdown : converted
}

function filled(part: string, chars: number): string {
  return part.repeat(Math.floor(chars / part.length))
}

afterEach(async () => {
  expect(await convert('<p>The next page.')).toBe('The next page.')
})

describe('a page that is nested too deep', () => {
  test(`a page of ${HTML_DEPTH_MAX} levels is converted`, async () => {
    expect(await convert(`${'<div>'.repeat(512)}deep${'</div>'.repeat(512)}`)).toBe('deep')
  })

  test.each([
    ['one level more', `${'<div>'.repeat(513)}deep${'</div>'.repeat(513)}`],
    ['100,000 levels', '<div>'.repeat(100_000)],
    ['100,000 levels that end', '<b>'.repeat(100_000) + '</b>'.repeat(100_000)],
    ['end tags that end something else', '<b><div></b>'.repeat(10_000)],
  ])('a page of %s is refused before it is parsed', async (_what, html) => {
    expect(await convert(html)).toEqual({ kind: 'too_deep' })
  })

  test.each([
    ['elements without an end tag', '<p>x<br><img src="/a"><li>y<td>z'.repeat(600)],
    ['a program', `<script>${'if (a<b) '.repeat(600)}</script>x`],
    ['a comment', `<!-- ${'<div>'.repeat(600)} -->x`],
    ['drawings', `<svg>${'<path d="M0 0"/>'.repeat(600)}</svg>x`],
  ])('%s are not counted as depth', async (_what, html) => {
    expect(await convert(html)).toEqual(expect.any(String))
  })
})

describe('a page that takes too long', () => {
  test.each([
    ['a long list', `<ol>${filled('<li>x', 300_000)}`],
    ['spaces in a <pre>', `<pre>${' '.repeat(500_000)}x</pre>`],
    ['a long <code> in a <pre>', `<pre>foo <code> ${'a'.repeat(500_000)}</code></pre>`],
    ['an element with 90,000 attributes', `<a ${attributes(90_000)}>x</a>`],
  ])('a page with %s is given up when its time is over', async (_what, html) => {
    expect(await convert(html, 200)).toEqual({ kind: 'too_slow' })
  })

  test('a page that had little of a processor when its time was over goes on', async () => {
    expect(CONVERT_CPU_MS_MAX).toBe(1_500)
    const page = filled('<li><a href="/wiki/Some_page">Some page</a> (2026)</li>', 100_000)
    expect(await convert(page, 1, LONG_MS)).toEqual(expect.any(String))
    expect(await convert(page, 1)).toEqual({ kind: 'too_slow' })
  })

  test('a page that had its processor time is given up, and not before its time is over', async () => {
    const slow = `<pre>${' '.repeat(500_000)}x</pre>`
    const startedAt = performance.now()
    expect(await convert(slow, 300, 1)).toEqual({ kind: 'too_slow' })
    expect(performance.now() - startedAt).toBeGreaterThan(290)
    const before = process.cpuUsage()
    expect(await convert(slow, 1, 400)).toEqual({ kind: 'too_slow' })
    const { system, user } = process.cpuUsage(before)
    expect(system + user).toBeGreaterThan(390_000)
  })

  test('a page that waits behind a slow one has all its time from its turn on', async () => {
    const slow = `<pre>${' '.repeat(500_000)}x</pre>`
    const pages = [convert(slow, 200), convert(slow, 200), convert('<p>a'), convert('<p>b')]
    const tooSlow = { kind: 'too_slow' }
    expect(await Promise.all(pages)).toEqual([tooSlow, tooSlow, 'a', 'b'])
  })
})

test('a page that takes too much memory is given up, and the process survives', async () => {
  expect(await convert(filled('<p>x', 512_000))).toEqual({ kind: 'too_much_memory' })
})

test('the memory of a conversion is limited in a process that was started with a limit of its own', () => {
  const module = new URL('../../../adapters/hooks/convert-html.ts', import.meta.url)
  const script = `
    const { convertHtml } = await import(${JSON.stringify(module.href)})
    const limits = { signal: new AbortController().signal, msMax: ${LONG_MS} }
    console.log((await convertHtml('<p>x'.repeat(128_000), limits)).kind)
    process.exit()`
  const flags = ['--max-semi-space-size=16', '--max-old-space-size=768', '--input-type=module']
  const run = spawnSync(process.execPath, [...flags, '-e', script], { encoding: 'utf8' })
  expect([run.stdout, run.stderr]).toEqual(['too_much_memory\n', ''])
})

test('a page of 512 kB with a tag every 14 characters is converted', async () => {
  const markdown = await convert(
    filled('<li><a href="/wiki/Some_page">Some page</a> (2026)</li>', 512_000),
  )
  expect(markdown).toHaveLength(372_359)
})

test('Markdown that grows past its limit is given up', async () => {
  expect(MARKDOWN_CHARS_MAX).toBe(1_024_000)
  expect(await convert('*'.repeat(512_000))).toHaveLength(1_024_000)
  expect(await convert('*'.repeat(512_001))).toEqual({ kind: 'too_long' })
})

test('a page that makes the converter throw is given up', async () => {
  expect(await convert('<frameset><frame src="/a"></frameset>')).toEqual({ kind: 'broken' })
})

describe('a call that ends', () => {
  const slow = `<pre>${' '.repeat(500_000)}x</pre>`

  test('cuts its conversion', async () => {
    const call = new AbortController()
    const converting = convertHtml(slow, { signal: call.signal })
    call.abort('over')
    expect(await converting).toEqual({ kind: 'cut' })
  })

  test('while it waits leaves at once, and running ones make room for the next', async () => {
    const [running, waiting] = [new AbortController(), new AbortController()]
    const busy = [1, 2].map(() => convertHtml(slow, { signal: running.signal, msMax: LONG_MS }))
    const behind = convertHtml('<p>x', { signal: waiting.signal })
    waiting.abort('over')
    expect(await behind).toEqual({ kind: 'cut' })
    running.abort('over')
    expect(await Promise.all(busy)).toEqual([{ kind: 'cut' }, { kind: 'cut' }])
  })

  test('before its conversion began converts nothing', async () => {
    expect(await convertHtml(slow, { signal: AbortSignal.abort('over') })).toEqual({ kind: 'cut' })
  })
})

function attributes(count: number): string {
  return Array.from({ length: count }, (_, index) => `a${index.toString(36)}`).join(' ')
}
