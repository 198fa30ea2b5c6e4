import { describe, expect, test, vi } from 'vitest'
import { HTML_BYTES_MAX } from '../../../adapters/hooks/conversion-limits.ts'
import { makeHtmlToMarkdownHook } from '../../../adapters/hooks/html-to-markdown.ts'
import { LATE_CONVERTERS } from '../../../adapters/hooks/registry.ts'
import type { UpstreamResponse } from '../../../core/call/upstream.ts'
import { describeHook } from '../../contracts/hook-contract.ts'
import { contextOf, type HookCase, responseOf } from '../../contracts/hook-rounds.ts'

const CASE: HookCase = {
  make: () => makeHtmlToMarkdownHook({ convertHtml: LATE_CONVERTERS.html }),
  options: {},
  badOptions: [['an option', { links: false }, '/links']],
  secrets: {},
  response: page('<h1>Orders</h1>'),
}

const HOOK = makeHtmlToMarkdownHook({ convertHtml: LATE_CONVERTERS.html })

describeHook('html_to_markdown', CASE)

function page(html: string, more: Partial<UpstreamResponse> = {}): UpstreamResponse {
  return responseOf(html, { mediaType: 'text/html', ...more })
}

async function markdownOf(response: UpstreamResponse, secrets: HookCase['secrets'] = {}) {
  const after = await HOOK.after?.(response, contextOf({ ...CASE, secrets }))
  if (after?.ok !== true || after.value === 'again') return after
  return new TextDecoder().decode(after.value.body)
}

describe('a page', () => {
  test('becomes Markdown, in type, charset and text', async () => {
    const html = `<!doctype html><html><head><title>Shop</title></head><body>
      <h1>Orders &amp; more</h1><p>Hello <b>Ada</b>,<br>see <a href="/o/1">order 1</a>.</p>
      <ul><li>one<li>two</ul><blockquote>quoted</blockquote>
      <pre><code class="language-js">let a = 1</code></pre></body></html>`
    const response = page(html)
    expect(await HOOK.after?.(response, contextOf(CASE))).toEqual({
      ok: true,
      value: {
        ...response,
        mediaType: 'text/markdown',
        charset: 'utf-8',
        body: new TextEncoder().encode(
          '# Orders & more\n\nHello **Ada**,  \nsee [order 1](/o/1).\n\n-   one\n-   two\n\n' +
            '> quoted\n\n```js\nlet a = 1\n```',
        ),
      },
    })
  })

  test.each([
    ['script', '<script>alert(1)</script>'],
    ['style', '<style>p { color: red }</style>'],
    ['title', '<title>Shop</title>'],
    ['noscript', '<noscript>Turn it on</noscript>'],
    ['template', '<template>{{x}}</template>'],
    ['iframe', '<iframe src="/ad">ad</iframe>'],
    ['svg', '<svg><text>drawn</text></svg>'],
    ['video', '<video src="/v">old browser</video>'],
    ['a comment', '<!-- note -->'],
    ['an image that is data', '<img src="data:image/png;base64,AAAA">'],
  ])('comes without %s', async (_what, html) => {
    expect(await markdownOf(page(`<p>before</p>${html}<p>after</p>`))).toBe('before\n\nafter')
  })

  test('keeps the alternative text of an image that is data', async () => {
    const html = '<p>See <img alt="the map" src=" DATA:image/png;base64,AAAA">.</p>'
    expect(await markdownOf(page(html))).toBe('See the map.')
  })

  test.each(['javascript:alert(1)', ' JavaScript:alert(1)', 'data:text/html,x', 'vbscript:x'])(
    'keeps the text of a link that is code: %s',
    async (href) => {
      expect(await markdownOf(page(`<a href="${href}">more</a>`))).toBe('more')
    },
  )

  test('in XHTML is converted too', async () => {
    const response = page('<p>x</p>', { mediaType: 'application/xhtml+xml' })
    expect(await markdownOf(response)).toBe('x')
  })

  test('is decoded in its charset', async () => {
    const body = new Uint8Array([0x3c, 0x70, 0x3e, 0xc5])
    expect(await markdownOf(page('', { body, charset: 'iso-8859-1' }))).toBe('Å')
  })

  test('that repeats a secret is masked before escapes could hide it', async () => {
    const markdown = await markdownOf(page('<p>key_of_ada</p>'), { KEY: 'key_of_ada' })
    expect(markdown).toBe('\\[secret KEY\\]')
  })
})

describe('a page that cannot be converted', () => {
  test(`a page of ${HTML_BYTES_MAX} bytes can be converted, and one of more cannot`, async () => {
    const html = (bytes: number) => page(`<p>${'x'.repeat(bytes - 3)}`)
    expect(await markdownOf(html(512_000))).toHaveLength(511_997)
    expect(await markdownOf(html(512_001))).toEqual({
      ok: false,
      error: {
        detail:
          "The upstream's page is larger than 512000 bytes of HTML. Ask the upstream for less.",
        upstreamFault: 'unreadable',
      },
    })
  })

  test.each([
    [
      'nested too deep',
      page('<div>'.repeat(513)),
      "The upstream's page is nested over 512 elements deep. Ask the upstream for another page.",
    ],
    [
      'in a charset that nobody knows',
      page('<p>x', { charset: 'klingon' }),
      "The upstream's page cannot be read: its answer is in the unknown charset klingon.",
    ],
    [
      'made of frames',
      page('<frameset><frame src="/a"></frameset>'),
      "The upstream's page could not be converted to Markdown.",
    ],
    [
      'blown up',
      page(`${'<ul><li>'.repeat(16)}${`${'*'.repeat(235)}<br>`.repeat(2_000)}`),
      "The upstream's page becomes over 1024000 characters of Markdown. Ask the upstream for less.",
    ],
  ])('fails with its reason: %s', async (_what, response, detail) => {
    // Beside other work the time limit would come first.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const converted = await markdownOf(response).finally(() => vi.useRealTimers())
    expect(converted).toEqual({
      ok: false,
      error: { detail, upstreamFault: 'unreadable' },
    })
  })
})
