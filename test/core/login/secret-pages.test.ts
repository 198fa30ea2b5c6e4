/** The page of missing secrets as HTML. */
import { expect, test } from 'vitest'
import { writeSecretsPage } from '../../../core/login/secret-pages.ts'

const PAGE = {
  link: { names: ['API_KEY'], toolName: 'sg_weather', username: 'ada' },
  origins: ['https://api.example', 'http://127.0.0.1:8080'],
  gatewayHost: 'mcp.example',
  action: '/secrets/abc',
  hidden: { tab: 'a' },
}
const EVIL = `"><script>alert('&')</script>`

test('the page shows a host without its scheme only if that is https', () => {
  const html = writeSecretsPage(PAGE)
  expect(html).toContain('<p class="host">api.example</p>')
  expect(html).toContain('<p class="host">http://127.0.0.1:8080</p>')
})

test('the page escapes everything that others wrote', () => {
  const html = writeSecretsPage({
    link: { names: [EVIL], toolName: EVIL, username: EVIL },
    origins: [EVIL],
    gatewayHost: EVIL,
    action: EVIL,
    hidden: { tab: EVIL },
    wrong: EVIL,
  })
  expect(html).not.toContain('<script')
})
