/** `skillgate connect` against a twin: each client's file in a home of the test, and what is refused. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CLIENTS } from '../../cli/clients/clients.ts'
import { parseConfig } from '../../cli/clients/edit-config.ts'
import { toPrograms } from '../../cli/terminal/process-shell.ts'
import { runLine, type ShellOptions } from '../cli/test-shell.ts'
import { startTwin, type Twin } from './twin.ts'
import { variablesOf } from './twin-shell.ts'

let twin: Twin
let home = ''
let cwd = ''

beforeAll(async () => {
  twin = await startTwin(['--memory', '--calls-per-minute', '600'])
})
afterAll(() => twin.stop())
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-connect-'))
  cwd = join(home, 'project')
  mkdirSync(cwd)
  return () => rmSync(home, { recursive: true, force: true })
})

/** No client's program is found, but those of the test. */
function run(line: string, options: ShellOptions = {}) {
  const env = { ...variablesOf(twin), ...options.env }
  const programs = options.programs ?? toPrograms({ PATH: join(home, 'bin') })
  return runLine(line.split(' '), { home, cwd, programs, ...options, env })
}

type Listed = { readonly client: string; readonly works?: string; readonly key?: string }

async function listChecked(
  ask: (line: string) => Promise<{ readonly out: string }>,
): Promise<readonly Listed[]> {
  return JSON.parse((await ask('connect --list --check --json')).out)
}

async function fileOf(client: string, scope: string): Promise<string> {
  const rows = JSON.parse((await run('connect --list --json')).out)
  return rows.find(
    (row: { client: string; scope: string }) => row.client === client && row.scope === scope,
  ).file
}

const PLACES = CLIENTS.flatMap((client) =>
  client.places.map((place) => [client.id, place.scope] as const),
)

test('the command knows fourteen clients', () => {
  expect(CLIENTS).toHaveLength(14)
})

test.each(PLACES)(
  'the client %s, scope %s, is connected, stays as it is the second time, and is disconnected',
  async (id, scope) => {
    const line = `connect ${id} --scope ${scope}`
    const client = CLIENTS.find((one) => one.id === id)
    const file = await fileOf(id, scope)
    expect(file.startsWith(home)).toBe(true)
    // Clients that know no variables take the key itself, and have no project file here.
    const first = await run(line)
    expect(first.code, first.err).toBe(0)
    expect(first.err).toMatch(/\d+ tools with the key of the profile: .*sg_/)
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(twin.mcp)
    expect(text.includes(twin.key)).toBe(client?.hasVariables === false)
    expect(first.err).not.toContain(twin.key)
    expect(parseConfig(client?.format ?? 'json', text).ok).toBe(true)
    const again = await run(line)
    expect(again.err).toContain(`${file} has it already.`)
    expect(readFileSync(file, 'utf8')).toBe(text)
    const listed = JSON.parse((await run('connect --list --json')).out)
    const key =
      id === 'vscode'
        ? 'asked by the client'
        : client?.hasVariables === true
          ? 'variable set'
          : 'in the file'
    expect(listed.filter(({ state }: { state: string }) => state === 'connected')).toEqual([
      { client: id, scope, state: 'connected', key, url: twin.mcp, file },
    ])
    const [checked] = (await listChecked(run)).filter(({ works }) => works !== undefined)
    expect(checked?.works).toMatch(
      id === 'vscode' ? /^not tried: only the client has the key$/ : /^yes: \d+ tools$/,
    )
    expect(await run(`${line} --remove`)).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).not.toContain(twin.mcp)
  },
)

describe('the entries of the clients that were tried with their own commands', () => {
  test('Claude Code has the entry by scope in one file, with a variable', async () => {
    await run('connect claude-code --scope local')
    expect(JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'))).toEqual({
      projects: {
        [cwd]: {
          mcpServers: {
            skillgate: {
              type: 'http',
              url: twin.mcp,
              headers: { Authorization: 'Bearer $'.concat('{SKILLGATE_KEY}') },
            },
          },
        },
      },
    })
  })

  test('Codex names the variable', async () => {
    await run('connect codex')
    expect(parseToml(readFileSync(join(home, '.codex/config.toml'), 'utf8'))).toEqual({
      mcp_servers: { skillgate: { url: twin.mcp, bearer_token_env_var: 'SKILLGATE_KEY' } },
    })
  })

  test('VS Code asks for the key, and inputs of others stay', async () => {
    const file = join(cwd, '.vscode/mcp.json')
    mkdirSync(dirname(file))
    writeFileSync(file, '{"inputs":[{"id":"mine"}]}')
    await run('connect vscode --scope project')
    const { inputs, servers } = JSON.parse(readFileSync(file, 'utf8'))
    expect(inputs.map(({ id }: { id: string }) => id)).toEqual(['mine', 'skillgate-key'])
    expect(servers.skillgate.headers.Authorization).toBe('Bearer $'.concat('{input:skillgate-key}'))
  })
})

describe('a file', () => {
  test('that is invalid is refused and not touched', async () => {
    const file = join(home, '.cursor/mcp.json')
    mkdirSync(dirname(file))
    writeFileSync(file, '{"mcpServers": {')
    const { code, err } = await run('connect cursor')
    expect([code, err]).toEqual([1, `${file} is not valid JSON: line 1.\nNothing was changed.\n`])
    expect(readFileSync(file, 'utf8')).toBe('{"mcpServers": {')
  })

  test('keeps its mode, the link that leads to it, and its earlier text beside it', async () => {
    const real = join(home, 'dotfiles.json')
    const link = join(home, '.cursor/mcp.json')
    mkdirSync(dirname(link))
    writeFileSync(real, '{"mcpServers":{}}')
    chmodSync(real, 0o640)
    symlinkSync(real, link)
    const { err } = await run('connect cursor')
    expect(err).toContain(`The file as it was: ${real}.skillgate-backup`)
    expect(readFileSync(`${real}.skillgate-backup`, 'utf8')).toBe('{"mcpServers":{}}')
    expect(statSync(real).mode & 0o777).toBe(0o640)
    expect(readFileSync(link, 'utf8')).toContain(twin.mcp)
  })

  test('with --print is printed and not written', async () => {
    const { code, err, out } = await run('connect gemini-cli --print')
    expect([code, err]).toEqual([0, ''])
    expect(JSON.parse(out).mcpServers.skillgate.url).toBe(twin.mcp)
    expect(JSON.parse((await run('connect --list --json')).out)).not.toContainEqual(
      expect.objectContaining({ state: 'connected' }),
    )
  })

  test('of a project never holds a key', async () => {
    const { code, err } = await run('connect cursor --scope project --key-in-file')
    expect([code, err]).toEqual([2, expect.stringContaining('never holds a key')])
    expect((await run('connect cursor --key-in-file')).code).toBe(0)
    expect(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')).toContain(twin.key)
  })
})

describe("the client's own command", () => {
  /** Stands for the client's program, which is not installed here: writes down its words. */
  function program(name: string, script: string): void {
    mkdirSync(join(home, 'bin'), { recursive: true })
    writeFileSync(join(home, 'bin', name), `#!/bin/sh\necho "$@" >> ${home}/words\n${script}\n`, {
      mode: 0o755,
    })
  }
  const words = () => readFileSync(join(home, 'words'), 'utf8')

  test('changes the file where it is installed, without the key among its arguments', async () => {
    const entry = JSON.stringify({ mcpServers: { skillgate: { url: twin.mcp } } })
    program('claude', `printf '%s' '${entry}' > ${home}/.claude.json`)
    const { code, err } = await run('connect claude-code')
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('Done by claude mcp add --transport http --scope user skillgate'),
    ])
    expect(words()).toBe(
      `mcp add --transport http --scope user skillgate ${twin.mcp} --header Authorization: Bearer $`.concat(
        '{SKILLGATE_KEY}\n',
      ),
    )
  })

  test('that fails, or writes something else, leaves the file to us', async () => {
    program('claude', 'exit 1')
    expect((await run('connect claude-code')).code).toBe(0)
    expect(readFileSync(join(home, '.claude.json'), 'utf8')).toContain(twin.mcp)
    program('gemini', 'exit 0')
    expect((await run('connect gemini-cli')).err).not.toContain('Done by')
    expect(readFileSync(join(home, '.gemini/settings.json'), 'utf8')).toContain(twin.mcp)
  })

  test('is not used with --edit-file, nor where the key goes into the file', async () => {
    program('claude', 'exit 0')
    await run('connect claude-code --edit-file')
    await run('connect claude-code --scope local --key-in-file')
    expect(() => words()).toThrow('ENOENT')
  })
})

test('an unknown client, or a scope that it has not, is refused with those that are known', async () => {
  expect(await run('connect curser')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean cursor?'),
  })
  expect(await run('connect windsurf --scope project')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Its scopes: user.'),
  })
})

test('a key that the gateway refuses is reported at once', async () => {
  const { code, err } = await run('connect cursor', {
    env: { SKILLGATE_KEY: `sgk_${'x'.repeat(43)}` },
  })
  expect([code, err]).toEqual([4, expect.stringContaining('The gateway refuses the key')])
})
