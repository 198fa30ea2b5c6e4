/** The check of a missing scope passes a client that does what is known of it, and nothing else. */
import { describe, expect, test } from 'vitest'
import { CALLBACK, type LoginAgent, type LoginClient, type StepUp } from './agent.ts'
import { watchPages } from './browser.ts'
import { ECHO } from './gateway.ts'
import { checkStepUp } from './step-up.ts'

const REASON =
  'Authorization: your access token has no scope tools:call. Log in again and allow it.'

/** What the client does with its call; `logIn` brings the person a page. */
type Call = (
  args: object,
  logIn: () => Promise<unknown>,
) => Promise<{ readonly text: string; readonly isError: boolean }>

const logsIn: Call = async (args, logIn) => {
  await logIn()
  return { text: JSON.stringify(args), isError: false }
}
const isTold: Call = () => Promise.reject(new Error(`403 ${REASON}`))
const isRefused: Call = () => Promise.reject(new Error('Server returned an error response'))
const isToldByTool: Call = async () => ({ text: REASON, isError: true })

function check(call: Call, known: StepUp, isChallengeSeen = true) {
  const client: LoginClient = {
    name: 'a client',
    stepUp: known,
    connect: async ({ person }) => {
      const page = new URL('http://127.0.0.1:1/authorize')
      await person(page)
      const agent: LoginAgent = {
        toolNames: async () => [ECHO],
        call: (_name, args) => call(args, () => person(page)),
        close: async () => {},
      }
      return agent
    },
  }
  const issuer = {
    isChallengeSeen,
    refusals: () => 0,
    issueForElsewhere: () => {},
    allowReading: () => {},
    allowAll: () => {},
  }
  const browser = watchPages(async () => new URL(CALLBACK))
  return checkStepUp(client, { browser, issuer, mcp: 'http://127.0.0.1:1/mcp' })
}

describe('a client that can read the challenge', () => {
  const kinds = [
    ['logs in', logsIn],
    ['told', isTold],
    ['refused', isRefused],
  ] as const

  test.each(kinds)('passes if it is known to be: %s', async (kind, call) => {
    expect(await check(call, kind)).toEqual({ kind: 'passed', note: kind })
  })

  test('fails if it is refused and is known to log in', async () => {
    await expect(check(isRefused, 'logs in')).rejects.toThrow(
      'refused and not logs in: Server returned an error response',
    )
  })

  test('fails if it logs in and is known to be refused', async () => {
    await expect(check(logsIn, 'refused')).rejects.toThrow('logs in and not refused')
  })

  test('fails if its call succeeds without a login for it', async () => {
    const call: Call = async (args) => ({ text: JSON.stringify(args), isError: false })
    await expect(check(call, 'logs in')).rejects.toThrow('called after 0 logins for it')
  })

  test('fails if it brings the person a page and is refused all the same', async () => {
    const call: Call = async (args, logIn) => {
      await logIn()
      return isRefused(args, logIn)
    }
    await expect(check(call, 'refused')).rejects.toThrow('opened 1 pages, and failed')
  })
})

describe('a client behind a host that renames the challenge', () => {
  test('passes if the tool tells it the reason, whatever it does with a challenge', async () => {
    const expected = { kind: 'passed', note: 'told by the tool' }
    expect(await check(isToldByTool, 'logs in', false)).toEqual(expected)
  })

  test('fails if its request is refused', async () => {
    await expect(check(isTold, 'told', false)).rejects.toThrow('told and not told by the tool')
  })
})
