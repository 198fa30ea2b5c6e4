/** `invites create`, `logins ls` and `logins end` against a twin that people can log in to. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeClient, tokensOf } from '../local/login-client.ts'
import { openBrowser } from '../local/login-person.ts'
import { type LoginTwin, startLoginTwin } from '../local/login-twin.ts'
import { runLine } from './test-shell.ts'

let twin: LoginTwin

beforeAll(async () => {
  twin = await startLoginTwin()
  await twin.admin('POST', 'users', { uid: 'ada', username: 'Ada' })
})
afterAll(() => twin.stop())

function run(line: string, columns?: number) {
  const env = { SKILLGATE_URL: twin.origin, SKILLGATE_ADMIN_KEY: twin.credentials.adminKey }
  return runLine(line.split(' '), { env, ...(columns === undefined ? {} : { columns }) })
}

test('an invitation is printed with its link alone in a line, and what to do with it, in 80 columns', async () => {
  const { code, err, out } = await run('invites create ada --tools sg_time* --calls-per-day 3', 80)
  expect(code).toBe(0)
  expect(out.split('\n')[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/invite\/sgi_[A-Za-z0-9_-]{43}$/)
  expect(out).toMatch(/\ninvite id {4}n:[A-Za-z0-9_-]{43}\nvalid until {2}in 7 days/)
  expect(err).toContain('Send the link to ada alone. It logs in one client, once.\n')
  const [, remedy = ''] = /To take it back: skillgate (.+)\n/.exec(err) ?? []
  expect(`${out}${err}`.split('\n').filter((line) => line.length > 80)).toEqual([])
  expect((await run('keys ls ada', 120)).out).toMatch(/invite pending .* sg_time\* /)
  expect(await run(`${remedy} --yes`)).toMatchObject({ code: 0 })
  expect(await run('keys ls ada --json')).toMatchObject({ out: '[]\n' })
})

test('a login by invitation is listed with its client, and ends', async () => {
  const { link } = JSON.parse((await run('invites create ada --json')).out)
  twin.advance(1_000)
  const client = await makeClient(twin.origin)
  const browser = openBrowser(twin.origin)
  await browser.open(link)
  const consent = await browser.send(await browser.open(client.authorizeUrl()), { use: 'invite' })
  const { location = '' } = await browser.send(consent, { decision: 'allow' })
  const code = new URL(location).searchParams.get('code') ?? ''
  const tokens = tokensOf(await client.exchange(code))
  expect((await run('keys ls ada', 120)).out).toContain('invite used')
  const [login] = JSON.parse((await run('logins ls ada --json')).out)
  expect(login).toMatchObject({ clientName: 'Test', redirectHost: '127.0.0.1:4711' })
  const table = (await run('logins ls ada', 160)).out
  expect(table).toMatch(/^LOGIN ID .*CALLS ITSELF .*RETURNED TO/)
  expect(table).toContain(login.loginId)
  expect(await run(`logins end ada ${login.loginId} --yes`)).toMatchObject({
    code: 0,
    err: 'Ended. Its client can call nothing after 30 seconds.\n',
  })
  expect(await run('logins ls ada --json')).toMatchObject({ out: '[]\n' })
  expect((await client.refresh(tokens.refresh_token)).status).toBe(400)
  expect(await run(`logins end ada ${'x'.repeat(22)} --yes`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no login xxxxxxxx'),
  })
})
