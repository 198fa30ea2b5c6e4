/** The checks can fail: for each one there is a client, or a gateway, that fails it alone. */
import { describe, expect, test } from 'vitest'
import type { Row } from '../clients/checks.ts'
import { CALLBACK, type LoginAgent, type Person } from './agent.ts'
import { checkLogin } from './checks.ts'
import { ECHO, type LoginGateway } from './gateway.ts'

/** A gateway whose tokens and key end as told, with a client that is asked for them. */
function makeStage() {
  const state = { tokenIsGood: false, keyIsGood: true, clientIsKnown: true }
  const gateway: LoginGateway = {
    open: async () => ({
      mcp: 'http://127.0.0.1:1/mcp',
      logIn: async () => new URL(CALLBACK),
      expire: () => {
        state.tokenIsGood = false
      },
      revoke: async () => {
        state.keyIsGood = false
      },
      close: async () => {},
    }),
    stop: async () => {},
  }
  /** Refreshes by itself while key and client are good, and asks the person otherwise. */
  const makeAgent = async (person: Person): Promise<LoginAgent> => {
    const logIn = async () => {
      await person(new URL('http://127.0.0.1:1/authorize'))
      Object.assign(state, { tokenIsGood: true, clientIsKnown: true })
    }
    await logIn()
    return {
      toolNames: async () => [ECHO],
      call: async (_name, args) => {
        if (!state.tokenIsGood && state.keyIsGood && state.clientIsKnown) state.tokenIsGood = true
        if (!state.tokenIsGood) await logIn()
        return { text: JSON.stringify(args), isError: false }
      },
      loseClient: () => {
        state.clientIsKnown = false
      },
      close: async () => {},
    }
  }
  return { gateway, state, makeAgent }
}

type Change = (agent: LoginAgent, person: Person, state: { tokenIsGood: boolean }) => LoginAgent

async function check(change: Change = (agent) => agent): Promise<Row> {
  const { gateway, makeAgent, state } = makeStage()
  const connect = async ({ person }: { person: Person }) =>
    change(await makeAgent(person), person, state)
  return checkLogin({ name: 'a client', stepUp: 'refused', connect }, 'a gateway', gateway)
}

/** The first check that failed, and why. */
function findFault({ outcomes }: Row): readonly [string, string] | undefined {
  for (const [name, outcome] of outcomes) {
    if (outcome.kind === 'failed') return [name, outcome.why]
  }
  return undefined
}

describe('a client', () => {
  test('that does everything passes each check', async () => {
    const { name, outcomes } = await check()
    expect(name).toBe('a client · a gateway')
    const kinds = [...outcomes].map(([check, { kind }]) => `${check}: ${kind}`)
    expect(kinds).toEqual([
      'login: passed',
      'list: passed',
      'call: passed',
      'refresh: passed',
      'lost client: passed',
      'step up: none',
      'audience: none',
      'revoked: passed',
    ])
  })

  test('that needs two pages to log in fails the login', async () => {
    const { gateway, makeAgent } = makeStage()
    const connect = async ({ person }: { person: Person }) => {
      await person(new URL('http://127.0.0.1:1/authorize'))
      return makeAgent(person)
    }
    const row = await checkLogin(
      { name: 'a client', stepUp: 'refused', connect },
      'a gateway',
      gateway,
    )
    expect(findFault(row)).toEqual(['login', 'opened 2 pages'])
  })

  test('that cannot connect fails each check with the reason', async () => {
    const connect = () => Promise.reject(new Error('no metadata'))
    const row = await checkLogin(
      { name: 'a client', stepUp: 'refused', connect },
      'a gateway',
      makeStage().gateway,
    )
    expect([...row.outcomes.values()]).toEqual(
      Array(8).fill({ kind: 'failed', why: 'no metadata' }),
    )
  })

  test('that lists other tools fails the list', async () => {
    const row = await check((agent) => ({ ...agent, toolNames: async () => ['other'] }))
    expect(findFault(row)).toEqual(['list', 'no sg_echo among 1 tools'])
  })

  test('that gets an empty answer fails the call', async () => {
    const call = async () => ({ text: '', isError: false })
    expect(findFault(await check((agent) => ({ ...agent, call })))).toEqual(['call', 'answered '])
  })

  test('that sends the person to a page at the end of a token fails the refresh', async () => {
    const row = await check((agent, person, state) => ({
      ...agent,
      call: async (name, args) => {
        if (!state.tokenIsGood) await person(new URL('http://127.0.0.1:1/authorize'))
        return agent.call(name, args)
      },
    }))
    expect(findFault(row)).toEqual(['refresh', 'the person had to log in again'])
  })

  test('whose lost client id still gets tokens fails the check of lost clients', async () => {
    const row = await check((agent) => ({ ...agent, loseClient: () => {} }))
    expect(findFault(row)).toEqual(['lost client', 'opened 0 pages'])
  })

  test('that is still answered after the end of its key fails the check of revoked ones', async () => {
    let calls = 0
    const row = await check((agent) => ({
      ...agent,
      call: async (name, args) => {
        calls += 1
        if (calls <= 3) return agent.call(name, args)
        return { text: 'still here', isError: false }
      },
    }))
    expect(findFault(row)).toEqual(['revoked', 'was answered still here'])
  })
})
