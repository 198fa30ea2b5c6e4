/**
 * Claude Code and Codex log in to a gateway without a key: `skillgate connect --login` writes the entry,
 * the product's own command opens the page, and a person allows it. No model takes part.
 */
import { join } from 'node:path'
import type { Person } from '../oauth/agent.ts'
import { ECHO, type LoginGateway, type LoginWorld } from '../oauth/gateway.ts'
import { type Check, check } from './check.ts'
import { type Home, REPO, withHome } from './home.ts'
import { type Program, type Running, runProgram } from './run-program.ts'

/** A narrower terminal breaks the URL of the page. */
const COLUMNS = 2_000

type LoginProduct = {
  readonly id: string
  /** Its command that logs in, with a person at the browser. */
  login(person: Person): Program
  readonly saysLoggedIn: RegExp
  /** Connects to the gateway, and tells how that went. */
  readonly status: Program
  /** Its line about the gateway. */
  readonly statusLine: RegExp
  isConnected(line: string): boolean
  asksForLogin(line: string): boolean
  /** The gateway refused it: it must log in again, or may not use the gateway. */
  isRefused(line: string): boolean
}

export const LOGIN_PRODUCTS: readonly LoginProduct[] = [
  {
    id: 'claude-code',
    login: (person) => ({
      // It shows the page in a terminal only.
      words: ['script', '-qfc', `stty cols ${COLUMNS} rows 50; ${CLAUDE_LOGIN}`, '/dev/null'],
      env: { TERM: 'xterm-256color', SHELL: '/bin/sh' },
      hear: bringPage(person, async (callback) => void (await fetch(callback))),
    }),
    saysLoggedIn: /Authenticated with "skillgate"/,
    status: { words: ['claude', 'mcp', 'list'] },
    statusLine: /^skillgate: .*$/m,
    isConnected: (line) => line.includes('Connected'),
    asksForLogin: (line) => line.includes('Needs authentication'),
    isRefused: (line) => line.includes('Needs authentication'),
  },
  {
    id: 'codex',
    login: (person) => ({
      words: ['codex', 'mcp', 'login', 'skillgate', '--no-browser'],
      hear: bringPage(person, async (callback, { type }) => type(callback.href)),
    }),
    saysLoggedIn: /Successfully logged in to MCP server 'skillgate'/,
    status: {
      words: ['codex', 'app-server'],
      lines: [
        '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"test","version":"1.0.0"}}}',
        '{"method":"initialized"}',
        '{"id":2,"method":"mcpServerStatus/list","params":{}}',
      ],
      hear: (output, { end }) => {
        if (/^\{"id":2,.*\}$/m.test(output)) end()
      },
    },
    statusLine: /^\{"id":2,.*$/m,
    isConnected: (line) => line.includes(`"${ECHO}"`) && line.includes('"authStatus":"oAuth"'),
    asksForLogin: (line) => line.includes('"tools":{}') && line.includes('"notLoggedIn"'),
    isRefused: (line) => line.includes('"tools":{}') && /Auth required|HTTP 403/.test(line),
  },
]

const CLAUDE_LOGIN = 'exec claude mcp login skillgate --no-browser'

/** Brings the page that a product prints to the person, once, and the callback to the product. */
function bringPage(
  person: Person,
  goBack: (callback: URL, running: Running) => Promise<void>,
): (output: string, running: Running) => void {
  let isBrought = false
  return (output, running) => {
    const [page] = /https?:\/\/\S+\?\S*response_type=code\S*(?=\s)/.exec(output) ?? []
    if (page === undefined || isBrought) return
    isBrought = true
    // Without a callback the product would wait; what it says then fails its check.
    person(new URL(page))
      .then((callback) => goBack(callback, running))
      .catch(() => running.end())
  }
}

/** Returns the checks of one product at a gateway, which gets a person of its own. */
export async function checkProductLogin(
  product: LoginProduct,
  programs: string,
  { gateway, name }: { readonly gateway: LoginGateway; readonly name: string },
): Promise<readonly Check[]> {
  const world = await gateway.open()
  try {
    return await withHome(programs, (home) => checkIn(home, product, world, name))
  } finally {
    await world.close()
  }
}

async function checkIn(
  home: Home,
  product: LoginProduct,
  world: LoginWorld,
  where: string,
): Promise<readonly Check[]> {
  const connected = await runProgram(home, {
    words: [process.execPath, join(REPO, 'cli/main.ts'), 'connect', product.id, '--login'],
    env: { SKILLGATE_URL: new URL(world.mcp).origin },
  })
  const readStatus = async () => {
    const output = await runProgram(home, product.status)
    return product.statusLine.exec(output)?.[0] ?? output
  }
  const before = await readStatus()
  const login = await runProgram(home, product.login(world.logIn))
  const after = await readStatus()
  await world.revoke()
  world.expire()
  const revoked = await readStatus()
  return [
    check(`is connected without a key (${where})`, connected, connected.includes(world.mcp)),
    check(`asks for a login (${where})`, before, product.asksForLogin(before)),
    check(`logs in (${where})`, login, product.saysLoggedIn.test(login)),
    check(`connects after the login (${where})`, after, product.isConnected(after)),
    check(
      `is refused once the person may not use it (${where})`,
      revoked,
      product.isRefused(revoked),
    ),
  ]
}
