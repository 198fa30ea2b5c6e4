/** `skillgate login` at a real authorization server: by browser, by device, renewed and ended. */
import { spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findNextPause } from '../../cli/sign-in/device-flow.ts'
import { type SignInTwin, startSignInTwin } from './sign-in-twin.ts'

const ADA = { account: 'ada' }
const EVE = { account: 'eve' }

let world: SignInTwin

beforeAll(async () => {
  world = await startSignInTwin()
})
beforeEach(async () => {
  world.oidc.changes.clear()
  if (existsSync(configPath())) await world.run('logout --profile default')
})
afterAll(() => world.stop())

function configPath(): string {
  return join(world.home, 'config', 'skillgate', 'config.json')
}

function login(person = ADA): Promise<{ code: number; out: string; err: string }> {
  return world.run(`login ${world.twin.origin} --store file`, { person })
}

/** How often the issuer was asked at `path` while `work` ran. */
async function countRequests(path: string, work: () => Promise<unknown>): Promise<number> {
  const before = world.oidc.requests.length
  await work()
  return world.oidc.requests.slice(before).filter((one) => one === `POST ${path}`).length
}

describe('a sign-in by the browser', () => {
  test('shows who signed in, and keeps the tokens in a file that only the person can read', async () => {
    const { code, err, out } = await login()
    expect([err.includes('WRONG'), code]).toEqual([false, 0])
    expect(out).toContain('signed in  ada@example.com, operator\n')
    expect(err).toContain(`Your browser signs you in at ${world.oidc.issuer}.\n`)
    expect(statSync(configPath()).mode & 0o777).toBe(0o600)
    const kept = world.readLogin()
    expect(kept?.issuer).toBe(world.oidc.issuer)
    expect(kept?.refreshToken).toMatch(/^[\w-]{43}$/)
    expect(out + err).not.toContain(kept?.accessToken)
    expect(out + err).not.toContain(kept?.refreshToken)
  })

  test('opens the routes of the role, and the trail names the person', async () => {
    await login()
    expect((await world.run('users create bob')).code).toBe(0)
    const audit = await world.run('audit --limit 1 --json')
    expect(JSON.parse(audit.out)).toMatchObject([
      { operation: 'createUser', who: { name: 'ada@example.com', role: 'operator' } },
    ])
    const refused = await world.run('admin-keys create grace --role viewer')
    expect(refused.code).toBe(4)
    expect(refused.err).toContain('ada@example.com has the role operator')
  })

  test('is what whoami and doctor describe', async () => {
    await login()
    const who = await world.run('whoami --json')
    expect(JSON.parse(who.out)).toMatchObject({
      name: 'ada@example.com',
      role: 'operator',
      issuer: world.oidc.issuer,
      identityId: expect.stringMatching(/^i:/),
    })
    const { out } = await world.run('doctor')
    expect(out).toMatch(/ok {6}sign-in +accepted: ada@example\.com, operator \(profile default\)/)
    expect(out).toContain(`people sign in at ${world.oidc.issuer}`)
  })

  test('that the person denies ends with a remedy, and keeps nothing', async () => {
    const { code, err } = await world.run(`login ${world.twin.origin} --store file`, {
      person: { account: 'ada', denies: true },
    })
    expect(code).toBe(4)
    expect(err).toContain(
      'The sign-in was denied.\nRun skillgate login again and allow it, or ask who manages your account.\n',
    )
    expect(world.readLogin()).toBeUndefined()
  })

  test('of a person without a role says which claim gives one, keeps nothing and is ended', async () => {
    let outcome = { code: 0, err: '' }
    const revoked = await countRequests('/token/revocation', async () => {
      outcome = await login(EVE)
    })
    expect([outcome.code, revoked]).toEqual([4, 1])
    expect(outcome.err).toContain('You have no role here. The claim groups of a token')
    expect(world.readLogin()).toBeUndefined()
  })

  test('leaves a named key where an option gives one', async () => {
    const { code, out } = await world.run(
      `login ${world.twin.origin} --store file --from-env ADMIN_KEY`,
      { env: { ADMIN_KEY: world.twin.credentials.adminKey } },
    )
    expect(code).toBe(0)
    expect(out).not.toContain('signed in')
    expect(world.readLogin()).toBeUndefined()
    expect((await world.run('doctor')).out).toMatch(
      /ok {6}admin key +accepted: break-glass:admin-key/,
    )
  })

  test('without a URL signs in to the profile in use again', async () => {
    await login()
    const before = world.readLogin()
    expect((await world.run('login --store file', { person: ADA })).code).toBe(0)
    expect(world.readLogin()?.accessToken).not.toBe(before?.accessToken)
  })
})

describe('a sign-in on another device', () => {
  const NOW = (answer: object) => ({ ...answer, interval: 0.1 })

  /** Enters the code on the page as soon as both are printed. */
  function signInWith(person: { account: string; denies?: true }, line = '--device') {
    let shown = ''
    let isEntered = false
    return world.run(`login ${world.twin.origin} --store file ${line}`.trim(), {
      env: { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' },
      onErr: (part) => {
        shown += part
        const userCode = /Enter the code (\S+) there/.exec(shown)?.[1]
        if (userCode === undefined || isEntered) return
        isEntered = true
        const page = /^ {2}(http\S+)$/m.exec(shown)?.[1] ?? ''
        void world.oidc.browse(page, { ...person, userCode })
      },
    })
  }

  test.each([
    ['with --device', '--device'],
    ['over SSH, where no browser opens', ''],
  ])('%s prints a page and a code, and goes on when the code was entered', async (_when, line) => {
    world.oidc.changes.set('/device/auth', NOW)
    const { code, err, out } = await signInWith(ADA, line)
    expect(code).toBe(0)
    expect(out).toContain('signed in  ada@example.com, operator\n')
    expect(err).toContain(`Open this page in any browser:\n\n  ${world.oidc.issuer}/device\n`)
    expect((await world.run('whoami')).code).toBe(0)
  })

  test('that is denied there ends with a remedy', async () => {
    world.oidc.changes.set('/device/auth', NOW)
    const { code, err } = await signInWith({ account: 'ada', denies: true })
    expect([code, err.split('\n').at(-3)]).toEqual([4, 'The sign-in was denied.'])
  })

  test('whose code expires ends with a remedy', async () => {
    world.oidc.changes.set('/device/auth', NOW)
    world.oidc.changes.set('/token', () => ({ error: 'expired_token' }))
    const { code, err } = await world.run(`login ${world.twin.origin} --device`)
    expect(code).toBe(4)
    expect(err).toContain('The code has expired.\nRun skillgate login again, and enter')
  })

  test('shows no page that is not https', async () => {
    world.oidc.changes.set('/device/auth', (answer) => ({
      ...answer,
      verification_uri: 'javascript:alert(1)',
    }))
    const { code, err } = await world.run(`login ${world.twin.origin} --device`)
    expect(code).toBe(1)
    expect(err).toContain('The page for the code is not a plain https URL.')
    expect(err).not.toContain('javascript')
  })

  test('asks as often as the issuer says, and less often each time that it is told to', () => {
    expect(findNextPause(5, 'authorization_pending')).toBe(5)
    expect(findNextPause(5, 'slow_down')).toBe(10)
    expect(findNextPause(58, 'slow_down')).toBe(60)
    expect(findNextPause(5, 'access_denied')).toBeUndefined()
    expect(findNextPause(5, undefined)).toBeUndefined()
  })
})

describe('a sign-in whose access token expires', () => {
  test('is renewed by the next command, and kept', async () => {
    await login()
    const before = world.readLogin()
    world.changeLogin({ expiresAtMs: Date.now() + 29_000 })
    expect((await world.run('whoami')).code).toBe(0)
    const after = world.readLogin()
    expect(after?.accessToken).not.toBe(before?.accessToken)
    expect(after?.refreshToken).not.toBe(before?.refreshToken)
    expect(await countRequests('/token', () => world.run('whoami'))).toBe(0)
  })

  test('is renewed once by two processes at once, so that the issuer sees no token twice', async () => {
    await login()
    world.changeLogin({ expiresAtMs: 0 })
    const outcomes: (readonly [number | null, string])[] = []
    const renewed = await countRequests('/token', async () => {
      const runs = Array.from({ length: 2 }, () => runProcess(['whoami', '--json']))
      outcomes.push(...(await Promise.all(runs)))
    })
    expect(outcomes.map(([code]) => code)).toEqual([0, 0])
    expect(renewed).toBe(1)
    expect((await world.run('whoami')).code).toBe(0)
  })

  test('and was ended at the issuer says that one must sign in again', async () => {
    await login()
    world.changeLogin({ expiresAtMs: 0, refreshToken: 'A'.repeat(43) })
    const { code, err } = await world.run('whoami')
    expect(code).toBe(4)
    expect(err).toContain('refuses: invalid_grant')
    expect(err).toContain('Run skillgate login again.')
    const { out } = await world.run('doctor')
    expect(out).toMatch(/WRONG {3}sign-in +http\S+ refuses: invalid_grant/)
  })

  test('and cannot be renewed says so', async () => {
    await login()
    world.changeLogin({ expiresAtMs: 0, refreshToken: undefined as never })
    const { code, err } = await world.run('whoami')
    expect([code, err]).toEqual([
      4,
      'The sign-in has expired.\nSign in again with skillgate login.\n',
    ])
  })

  test('sends no token to an address that somebody wrote into the profile', async () => {
    await login()
    world.changeLogin({ expiresAtMs: 0, tokenUrl: 'http://token.example/' })
    const { code, err } = await world.run('whoami')
    expect(code).toBe(1)
    expect(err).toContain('An address in the profile is not a plain https URL.')
  })
})

describe('logout', () => {
  test('ends the sign-in at the issuer and forgets it', async () => {
    await login()
    const { refreshToken = '' } = world.readLogin() ?? {}
    const revoked = await countRequests('/token/revocation', () => world.run('logout'))
    expect(revoked).toBe(1)
    expect(world.readLogin()).toBeUndefined()
    const response = await fetch(`${world.oidc.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'skillgate-cli',
        refresh_token: refreshToken,
      }),
    })
    expect(await response.json()).toMatchObject({ error: 'invalid_grant' })
  })

  test('forgets it also if the issuer cannot be told, and says so', async () => {
    await login()
    world.changeLogin({ revocationUrl: 'http://127.0.0.1:1/' })
    const { code, err } = await world.run('logout')
    expect(code).toBe(0)
    expect(err).toContain('could not be told; end the sign-in there, too.')
    expect(world.readLogin()).toBeUndefined()
  })
})

describe('a token of the same issuer', () => {
  test('for administrators opens nothing at /mcp', async () => {
    await login()
    const response = await fetch(`${world.twin.origin}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.readLogin()?.accessToken}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    })
    expect(response.status).toBe(401)
  })
})

async function runProcess(args: readonly string[]): Promise<readonly [number | null, string]> {
  const child = spawn(process.execPath, ['cli/main.ts', ...args], {
    env: { HOME: world.home, XDG_CONFIG_HOME: join(world.home, 'config'), PATH: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const out = text(child.stdout)
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return [code, await out]
}
