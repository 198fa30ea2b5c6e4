import { describe, expect, test } from 'vitest'
import { openWelcome } from '../../../local/http/welcome.ts'

const SHEET = {
  origin: 'http://127.0.0.1:8787',
  mcpUrl: 'http://127.0.0.1:8787/mcp',
  username: 'demo',
  key: 'sgk_k',
  adminKey: 'admin',
}

function open() {
  const clock = { nowMs: 1_000_000 }
  const welcome = openWelcome(SHEET, () => clock.nowMs)
  const code = welcome.fragment.replace('#/welcome/', '')
  const redeem = (body: object | string, method = 'POST') =>
    welcome.answer(method, typeof body === 'string' ? body : JSON.stringify(body))
  return { clock, code, redeem }
}

describe('the code of the first-run sheet', () => {
  test('has 96 bits, so that it cannot be guessed', () => {
    expect(open().code).toMatch(/^[\w-]{16}$/)
    expect(open().code).not.toBe(open().code)
  })

  test('gives the keys once', () => {
    const { code, redeem } = open()
    const { body, status } = redeem({ code })
    expect([status, JSON.parse(body)]).toEqual([200, SHEET])
    expect(redeem({ code })).toMatchObject({ status: 403 })
  })

  test('is good for 10 minutes, and no longer', () => {
    const first = open()
    first.clock.nowMs += 599_999
    expect(first.redeem({ code: first.code }).status).toBe(200)
    const late = open()
    late.clock.nowMs += 600_000
    const refused = late.redeem({ code: late.code })
    expect(refused.status).toBe(403)
    expect(refused.body).toContain('start the twin again for a new link')
  })

  test.each([
    ['another code', { code: 'AAAAAAAAAAAAAAAA' }],
    ['a shorter one', { code: 'A' }],
    ['none', {}],
    ['a number', { code: 1 }],
    ['no object', '[]'],
    ['no JSON', '{'],
    ['nothing', ''],
  ])('is not replaced by %s, which leaves the sheet open', (_what, body) => {
    const { code, redeem } = open()
    const refused = redeem(body)
    expect(refused.status).toBe(403)
    expect(refused.body).not.toContain('sgk_k')
    expect(redeem({ code }).status).toBe(200)
  })

  test('is taken by POST alone', () => {
    const { code, redeem } = open()
    expect(redeem({ code }, 'GET')).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    expect(redeem({ code }).status).toBe(200)
  })
})
