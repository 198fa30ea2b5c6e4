import { describe, expect, test } from 'vitest'
import {
  makePageHeaders,
  writeConsentPage,
  writeInvitePage,
  writeKeyPage,
  writeNotice,
} from '../../../core/login/pages.ts'

const HOSTILE = `"><script>alert('x')</script>&`
const ASKED = {
  client: { name: 'Test' },
  redirectUri: 'https://app.example/cb',
  gatewayHost: 'mcp.example',
  hidden: { request: 'a=b' },
  takesKeys: true,
}
const CONSENT = {
  ...ASKED,
  username: 'ada',
  keyPrefix: 'sgk_ab12',
  credits: 12.5,
  limits: [],
  tools: [
    { name: 'sg_a', credits: 0 },
    { name: 'sg_b', credits: 1 },
    { name: 'sg_c', credits: 0.25 },
  ],
}

describe('a page', () => {
  test('a name, a host and a request are shown as text', () => {
    const pages = [
      writeKeyPage({
        ...ASKED,
        client: { name: HOSTILE, documentHost: HOSTILE },
        gatewayHost: HOSTILE,
        hidden: { request: HOSTILE },
        wrongKey: HOSTILE,
        invited: HOSTILE,
      }),
      writeConsentPage({
        ...CONSENT,
        client: { name: HOSTILE },
        username: HOSTILE,
        keyPrefix: HOSTILE,
        limits: [HOSTILE],
        tools: [{ name: HOSTILE, credits: 0 }],
      }),
      writeInvitePage({ username: HOSTILE, mcpUrl: HOSTILE, lastDay: HOSTILE }),
      writeNotice(HOSTILE, [HOSTILE]),
    ]
    for (const page of pages) {
      expect(page).not.toContain('<script')
      expect(page).toContain('&#34;&#62;&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;&#38;')
    }
  })

  test('for a key names client, host and gateway, and lets a password manager fill it', () => {
    const page = writeKeyPage({ ...ASKED, client: { name: 'Test', documentHost: 'vouch.example' } })
    expect(page).toContain('<b>Test</b>')
    expect(page).toContain('<p class="host">app.example</p>')
    expect(page).toContain('<b>vouch.example</b>')
    expect(page).toContain('autocomplete="current-password"')
    expect(page).toContain('readonly value="mcp.example"')
    expect(page).not.toContain('program on this computer')
  })

  test('for an invited person offers to continue, and a key beside that', () => {
    const page = writeKeyPage({ ...ASKED, invited: 'ada' })
    expect(page).toContain('<p>You were invited as <b>ada</b>.</p>')
    expect(page).toContain('<button type="submit" name="use" value="invite" autofocus>')
    expect(page).toContain('name="key" type="password"')
    expect(page.match(/autofocus/g)).toHaveLength(1)
  })

  test('that nobody can recognise asks for an invitation and warns of entering a key', () => {
    const page = writeKeyPage({ ...ASKED, takesKeys: false })
    expect(page).toContain('The link of your invitation')
    expect(page).toContain('Enter no API key here')
    expect(page).not.toContain('current-password')
  })

  test('of an invitation has the address and the commands of two clients', () => {
    const mcpUrl = 'https://mcp.example/mcp'
    const page = writeInvitePage({ username: 'ada', mcpUrl, lastDay: '2026-12-04' })
    expect(page).toContain('You are invited to Skillgate as ada')
    expect(page).toContain('claude mcp add --transport http skillgate https://mcp.example/mcp')
    expect(page).toContain('codex mcp add skillgate --url https://mcp.example/mcp')
    // `codex mcp add` logs in by itself; a second login would need a second invitation.
    expect(page).not.toContain('codex mcp login')
    expect(page).toContain('until 2026-12-04 (UTC)')
  })

  test('for consent by an invitation names no key', () => {
    const page = writeConsentPage({ ...CONSENT, keyPrefix: undefined })
    expect(page).toContain('<b>ada</b>, by invitation, and have 12.5 credits')
    expect(page).toContain('The login ends when an administrator ends it')
  })

  test('warns of a program on this computer, whatever it calls itself', () => {
    const page = writeKeyPage({ ...ASKED, redirectUri: 'http://localhost:1/cb' })
    expect(page).toContain('Go on only if you have just started it.')
  })

  test('for consent lists user, key, credits, limits and tools with prices', () => {
    const page = writeConsentPage({ ...CONSENT, limits: ['Your monthly budget is 5 credits.'] })
    expect(page).toContain('<b>ada</b>, with the key sgk_ab12…, and have 12.5 credits')
    expect(page).toContain('<p>Your monthly budget is 5 credits.</p>')
    expect(page).toContain(
      '<li>sg_a: free</li><li>sg_b: 1 credit</li><li>sg_c: 0.25 credits</li></ul>',
    )
  })

  test('lists 50 tools, and counts those past them', () => {
    const tools = Array.from({ length: 51 }, (_, index) => ({ name: `t${index}`, credits: 0 }))
    const fit = writeConsentPage({ ...CONSENT, tools: tools.slice(1) })
    expect(fit.match(/<li>/g)).toHaveLength(50)
    const more = writeConsentPage({ ...CONSENT, tools })
    expect(more).toContain('<li>and 1 more</li>')
    expect(more).not.toContain('t50')
  })

  test('has no script and cannot be framed, and its policy names no form-action', () => {
    expect(makePageHeaders('abc=')).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'sha256-abc='; base-uri 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
    })
  })
})
