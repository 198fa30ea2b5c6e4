/**
 * The command line against a twin: every example of help and docs/cli.md in the order of the page,
 * refusals with their exit codes, tables at two widths, and processes as a person starts them.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { VERSION } from '../../adapters/config/version.ts'
import { writeConfig } from '../../adapters/profiles/config-file.ts'
import { COMMANDS } from '../../cli/commands/commands.ts'
import { toPrograms } from '../../cli/terminal/process-shell.ts'
import { findRoute } from '../../lambdas/admin/find-route.ts'
import { ROUTES } from '../../lambdas/admin/routes.ts'
import {
  CREDENTIALS,
  type LambdaStandIn,
  startLambdaStandIn,
} from '../adapters/upstream/lambda-stand-in.ts'
import { runLine, type ShellOptions } from '../cli/test-shell.ts'
import { startToolServer, type ToolServer, toolOf } from '../core/flow/upstreams/tool-server.ts'
import { makeClient } from '../local/login-client.ts'
import { startFreshTwin } from './fresh-twin.ts'
import type { Twin } from './twin.ts'
import { wordsOf } from './twin-shell.ts'
import { untilTrue } from './wait.ts'

/** Stands for the MCP server of the examples. */
let tools: ToolServer
let twin: Twin & { readonly folder: string }
let upstream: Server
let upstreamHost = ''
let functions: LambdaStandIn
/** Nobody listens there. */
let closedPort = 0
let home = ''
let config = ''
let env: { [name: string]: string } = {}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-cli-'))
  config = join(home, 'skillgate/config.json')
  upstream = createServer(askFirst).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  upstreamHost = `127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  closedPort = (gone.address() as AddressInfo).port
  gone.close()
  tools = await startToolServer([toolOf('read_file'), toolOf('write_file')])
  functions = await startLambdaStandIn()
  const events = `http://${upstreamHost}/events`
  const outbound = `127.0.0.1:8787,${upstreamHost},${new URL(tools.url).host}`
  twin = await startFreshTwin(
    ['--login', '--outbound-allow', outbound, '--events', events],
    toAwsEnvironment(functions),
  )
})
afterAll(async () => {
  await functions.close()
  upstream.closeAllConnections()
  upstream.close()
  await twin.stop()
  tools.close()
  rmSync(home, { recursive: true, force: true })
})
beforeEach(() => {
  writeProfiles()
  env = {
    XDG_CONFIG_HOME: home,
    ADMIN_KEY: twin.adminKey,
    API_KEY: 'the key of the upstream',
    // Where init writes: stages of the clone stay as they are.
    SKILLGATE_CONFIG: join(home, 'skillgate.config.json'),
  }
})

function writeProfiles(): void {
  const urls = { adminUrl: twin.admin, mcpUrl: twin.mcp }
  const credential = { store: 'file', adminKey: twin.adminKey, key: twin.key } as const
  const profile = { ...urls, credential }
  // As the twin writes it, with --json too.
  const path = join(twin.folder, 'credentials.json')
  const local = { ...urls, credential: { store: 'twin', path }, writtenBy: 'twin' } as const
  writeConfig(config, {
    current: 'local',
    profiles: { local, twin: profile, old: profile },
  })
}

function toAwsEnvironment({ endpoint }: LambdaStandIn): NodeJS.ProcessEnv {
  return {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_SESSION_TOKEN: CREDENTIALS.sessionToken,
    AWS_ENDPOINT_URL_LAMBDA: endpoint.href,
  }
}

/** The list of the account's functions that carry the tag of the examples. */
const TAGGED_FUNCTIONS = JSON.stringify({
  ResourceTagMappingList: [
    {
      ResourceARN: 'arn:aws:lambda:eu-west-1:111122223333:function:orders',
      Tags: [
        { Key: 'team', Value: 'shop' },
        { Key: 'skillgate:description', Value: 'Shows orders.' },
      ],
    },
  ],
})

/** A city is needed: the first round asks for it, the second one has it. */
function askFirst(
  request: Parameters<Parameters<typeof createServer>[1] & object>[0],
  response: import('node:http').ServerResponse,
): void {
  let text = ''
  request.on('data', (chunk) => {
    text += chunk
  })
  request.on('end', () => {
    const { city } = JSON.parse(text || '{}')
    const question = {
      method: 'elicitation/create',
      params: {
        message: 'Which city?',
        requestedSchema: {
          type: 'object',
          properties: { city: { type: 'string' }, days: { type: 'integer' } },
          required: ['city'],
        },
      },
    }
    const asks = { resultType: 'input_required', inputRequests: { where: question } }
    const says = { content: [{ type: 'text', text: `Sunny: ${JSON.stringify(city)}` }] }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(city?.where === undefined ? asks : says))
  })
}

function run(line: string, options: ShellOptions = {}) {
  return runLine(exampleWords(line), { home, ...options, env: { ...env, ...options.env } })
}

/** Words of an example: quotes, and variables of the test. */
function exampleWords(line: string): readonly string[] {
  return wordsOf(line.replace(/^skillgate /, '')).map((word) =>
    word
      .replaceAll(/\$(\w+)/g, (_, name) => env[name] ?? `no ${name}`)
      .replaceAll('http://127.0.0.1:8787', twin.url)
      .replaceAll('https://mcp.example.com/mcp', tools.url),
  )
}

/** A call is in the list once it has been settled, behind its answer. */
async function lastCallId(): Promise<string> {
  let calls: { callId: string }[] = []
  await untilTrue(async () => {
    calls = JSON.parse((await run('calls ls --user demo --json')).out)
    return calls.length > 0
  })
  return calls[0]?.callId ?? 'none'
}

/** Of the event that `events test` sends. */
async function deliveredEventId(): Promise<string> {
  let events: { eventId: string }[] = []
  await untilTrue(async () => {
    events = JSON.parse((await run('events ls --state delivered --json')).out)
    return events.length > 0
  })
  return events[0]?.eventId ?? 'none'
}

/** Of a client that logs in with a key of the user. */
async function newLoginId(username: string): Promise<string> {
  const { key } = JSON.parse((await run(`keys issue ${username} --json`)).out)
  await (await makeClient(twin.url)).logIn(key)
  const logins: { loginId: string }[] = JSON.parse((await run(`logins ls ${username} --json`)).out)
  return logins[0]?.loginId ?? 'none'
}

/** The ids that an example names and only a gateway knows. */
async function setVariablesOf(line: string): Promise<void> {
  const issued = line.includes('$KEY_PREFIX')
    ? JSON.parse((await run('keys ls ada --json')).out)
    : []
  env['KEY_PREFIX'] = issued[0]?.keyPrefix ?? ''
  if (line.includes('$CALL_ID')) env['CALL_ID'] = await lastCallId()
  if (line.includes('$LOGIN_ID')) env['LOGIN_ID'] = await newLoginId('ada')
  if (line.includes('import lambda')) functions.tagAnswers = [{ body: TAGGED_FUNCTIONS }]
  if (line.includes('$EVENT_ID')) env['EVENT_ID'] = await deliveredEventId()
}

const EXAMPLES = COMMANDS.flatMap(({ examples }) => examples)

test('every example of help and docs/cli.md does what its page says', async () => {
  const wrong: string[] = []
  await run('users create old-user')
  let tested = 0
  const asked = vi.spyOn(globalThis, 'fetch')
  for (const { line, stdin, untested } of EXAMPLES) {
    if (untested !== undefined) continue
    tested += 1
    writeProfiles()
    await setVariablesOf(line)
    asked.mockClear()
    const { code, err } = await run(line, stdin === undefined ? {} : { stdin })
    if (code !== 0) wrong.push(`${line}: ${code} ${err}`)
    if (!line.startsWith('skillgate api ')) noteOperations(asked.mock.calls)
  }
  asked.mockRestore()
  expect(wrong).toEqual([])
  expect(tested).toBeGreaterThan(25)
})

/** Operations of the admin API that the examples above sent, those of `skillgate api` left out. */
const reached = new Set<string>()

function noteOperations(calls: readonly Parameters<typeof fetch>[]): void {
  for (const [url, init] of calls) {
    const { origin, pathname } = new URL(String(url))
    const found = origin === twin.url ? findRoute(init?.method ?? 'GET', pathname) : undefined
    if (found?.ok === true) reached.add(found.value.route.operationId)
  }
}

/** Operations that a command sends, but no example that can run here. */
const BY_COMMAND: { readonly [operationId: string]: string } = {
  applyGuides: 'skills apply',
  approveUpstreamTools: 'upstreams approve',
  dryRunSentSkill: 'skills test',
  planFunctions: 'import lambda plan',
  planGuides: 'skills plan',
}

/** Operations that only `skillgate api` or curl sends. */
const BY_API_ALONE = {
  listTasks: 'a page of the console; the command for support is calls ls',
  migrate: 'skillgate migrate does the same steps on the table itself',
  refreshTools: 'takes the internal secret, which no profile keeps; skills rebuild notifies agents',
  showHealth: 'a page of the console; the command is doctor',
  showOverview: 'a page of the console; the command is usage',
}

test('every operation of the admin API has a command, but those with a reason', () => {
  const missing = ROUTES.map(({ operationId }) => operationId).filter((id) => !reached.has(id))
  expect(missing.sort()).toEqual([...Object.keys(BY_COMMAND), ...Object.keys(BY_API_ALONE)].sort())
  const names = COMMANDS.map(({ name }) => name)
  for (const name of Object.values(BY_COMMAND)) expect(names).toContain(name)
})

describe('login', () => {
  test('keeps nothing when the gateway refuses the key, and exits with 4', async () => {
    const before = readFileSync(config, 'utf8')
    const { code, err } = await run(`login ${twin.url} --name wrong`, {
      stdin: 'no key of this gateway',
    })
    expect([code, err.split('(')[0]]).toEqual([4, 'The gateway refuses the credential '])
    expect(readFileSync(config, 'utf8')).toBe(before)
  })

  test('asks for the key without showing it, and keeps it in a file for its owner alone', async () => {
    const options = { answers: [twin.adminKey], columns: 80 }
    const { code, err, out } = await run(`login ${twin.url} --name typed`, options)
    expect([code, err.includes(twin.adminKey), out.includes(twin.adminKey)]).toEqual([
      0,
      false,
      false,
    ])
    expect(err).toContain('Admin key: \nNo keyring here: the keys are in ')
    expect(statSync(config).mode & 0o777).toBe(0o600)
    expect(JSON.parse((await run('whoami --json')).out)).toMatchObject({
      profile: 'typed',
      name: 'break-glass:admin-key',
    })
  })

  test('keeps keys in the keyring where there is one, and logout takes them out of it', async () => {
    // Stands for libsecret's program, which needs a desktop: same arguments, secret on stdin.
    const tool = join(home, 'bin/secret-tool')
    mkdirSync(join(home, 'bin'), { recursive: true })
    const kept = join(home, 'kept')
    writeFileSync(
      tool,
      `#!/bin/sh\ncase "$1" in store) cat > "${kept}";; lookup) cat "${kept}";; clear) rm "${kept}";; esac\n`,
      { mode: 0o755 },
    )
    const programs = toPrograms({ PATH: `${join(home, 'bin')}:${process.env['PATH']}` })
    const options = { stdin: twin.adminKey, programs }
    expect((await run(`login ${twin.url} --name ring --json`, options)).out).toContain(
      '"store":"keyring"',
    )
    // In the profiles twin and old, as before.
    expect(readFileSync(config, 'utf8').split(twin.adminKey)).toHaveLength(3)
    expect(await run('whoami', { programs })).toMatchObject({ code: 0 })
    expect(await run('logout', { programs })).toMatchObject({ code: 0 })
    expect(existsSync(kept)).toBe(false)
  })

  test('sends no key by http to another machine', async () => {
    const { code, err } = await run('login http://gateway.example.com', { stdin: 'a key' })
    expect([code, err]).toEqual([2, expect.stringContaining('keys are sent by https')])
  })
})

describe('the gateway of a command', () => {
  test('is that of the option, then of the environment, then of the project, then the current one', async () => {
    const project = join(home, 'project')
    mkdirSync(project, { recursive: true })
    writeFileSync(join(project, '.skillgaterc.json'), '{"profile":"old"}')
    const chosen = async (line: string, options: ShellOptions) =>
      JSON.parse((await run(line, options)).out).profile
    const variables = { SKILLGATE_URL: twin.url, SKILLGATE_ADMIN_KEY: twin.adminKey }
    expect(await chosen('whoami --json --profile twin', { cwd: project, env: variables })).toBe(
      'twin',
    )
    expect(await chosen('whoami --json', { cwd: project, env: variables })).toBe('SKILLGATE_URL')
    expect(await chosen('whoami --json', { cwd: project })).toBe('old')
    expect(await chosen('whoami --json', {})).toBe('local')
  })

  test('is missing in a new home: exit code 4 with what to do', async () => {
    const { code, err } = await run('users show ada', {
      env: { XDG_CONFIG_HOME: join(home, 'new') },
    })
    expect([code, err]).toEqual([
      4,
      'There is no profile yet.\nStart a twin with skillgate dev, or sign in with skillgate login URL.\n',
    ])
  })

  test('that does not answer is named in one line, and exits with 1', async () => {
    const { code, err } = await run('users show ada', {
      env: { SKILLGATE_URL: `http://127.0.0.1:${closedPort}`, SKILLGATE_ADMIN_KEY: 'x' },
    })
    expect([code, err.split('\n')[0]]).toEqual([
      1,
      `Nothing answers at http://127.0.0.1:${closedPort}: connection refused (ECONNREFUSED).`,
    ])
  })
})

describe('a deletion', () => {
  test('asks on a terminal, and without one needs --yes', async () => {
    await run('users create bob')
    const keyId = JSON.parse((await run('keys issue bob --json')).out).keyId
    const line = `keys revoke bob ${keyId.slice(0, 6)}`
    expect(await run(line)).toMatchObject({ code: 2, err: expect.stringContaining('Add --yes') })
    expect(await run(line, { answers: ['n'] })).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing was changed.'),
    })
    expect(JSON.parse((await run('keys ls bob --json')).out)).toHaveLength(1)
    expect(await run(line, { answers: ['y'] })).toMatchObject({ code: 0 })
    expect(await run('keys ls bob --json')).toMatchObject({ code: 0, out: '[]\n' })
  })
})

describe('a push', () => {
  test('reports each skill, goes on after a refused one, and repeated changes nothing', async () => {
    const folder = join(home, 'skills')
    mkdirSync(join(folder, 'more'), { recursive: true })
    const skill = (id: string) =>
      JSON.stringify({
        id,
        meta: { name: id, description: 'Of a test.', parameters: { type: 'object' } },
        config: { endpoint: 'https://api.example.com/x', method: 'GET' },
        credits_per_call: 1,
      })
    writeFileSync(join(folder, 'a.json'), skill('sg_pushed_a'))
    writeFileSync(join(folder, 'b.json'), '{"id":"sg_broken"}')
    writeFileSync(join(folder, 'more/c.json'), skill('sg_pushed_c'))
    writeFileSync(join(folder, 'more/README.md'), 'no skill')
    const { code, out } = await run(`skills push ${folder} --source official --json`)
    expect([code, JSON.parse(out)]).toEqual([
      1,
      [
        expect.objectContaining({
          file: join(folder, 'a.json'),
          outcome: 'created',
          tool: 'sg_pushed_a',
        }),
        expect.objectContaining({
          file: join(folder, 'b.json'),
          outcome: 'refused',
          code: 'invalid_skill',
        }),
        expect.objectContaining({
          file: join(folder, 'more/c.json'),
          outcome: 'created',
          tool: 'sg_pushed_c',
        }),
      ],
    ])
    const again = await run(`skills push ${folder} --source official --json`)
    expect(JSON.parse(again.out).map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'stored',
      'refused',
      'stored',
    ])
    const shown = JSON.parse((await run('skills show sg_pushed_a --json')).out)
    expect(shown.version).toBe(1)
    expect((await run('tools')).out).toContain('\nsg_pushed_c(')
  })
})

describe('call', () => {
  test('makes of each value the type of the schema, and refuses a value that does not fit', async () => {
    const { out } = await run('call sg_slow seconds=0.1 --json')
    expect(JSON.parse(out).structuredContent).toEqual({ waitedSec: 0.1 })
    expect(await run('call sg_slow seconds=soon')).toMatchObject({
      code: 2,
      err: 'seconds: soon is not a number.\nIts arguments: sg_slow(seconds?: number)\n',
    })
    const text = await run('call sg_echo text=007')
    expect(JSON.parse(text.out).body).toEqual({ text: '007' })
  })

  test('exits with 1 for a result that is an error, and with 4 for a refused key', async () => {
    expect(await run('call sg_weather')).toMatchObject({
      code: 1,
      out: expect.stringContaining('/city: is missing'),
    })
    const refused = await run('call sg_weather city=Oslo', {
      env: { SKILLGATE_KEY: `sgk_${'x'.repeat(43)}` },
    })
    expect([refused.code, refused.err.split('(')[0]]).toEqual([4, 'The gateway refuses the key '])
  })

  test('asks on the terminal what the upstream wants to know, and sends the answer', async () => {
    const skill = {
      id: 'sg_asks',
      meta: { name: 'Asks', description: 'Asks for a city.' },
      config: {
        endpoint: `http://${upstreamHost}/`,
        method: 'POST',
        response: { as: 'mcp' },
        body: { city: '{{input.responses}}' },
      },
      credits_per_call: 0,
    }
    const pushed = await run('skills push - --source official --json', {
      stdin: JSON.stringify(skill),
    })
    expect(pushed.code, pushed.out).toBe(0)
    const { code, err, out } = await run('call sg_asks', { answers: ['Oslo', 'many', '3'] })
    expect([code, out]).toEqual([
      0,
      'Sunny: {"where":{"action":"accept","content":{"city":"Oslo","days":3}}}\n',
    ])
    expect(err).toContain('Which city?\n  city: string (empty declines) Oslo\n')
    expect(err).toContain('  many is not integer.\n')
    expect((await run('call sg_asks', { answers: [''] })).out).toContain('"action":"decline"')
    expect(await run('call sg_asks')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Which city?'),
    })
  })

  test('shows progress on a terminal only, and takes it away before the result', async () => {
    const onTerminal = await run('call sg_slow seconds=2', { columns: 80 })
    expect(onTerminal.err).toContain('\r\u001b[Ksg_slow has run for 1 s')
    expect(onTerminal.err.endsWith('\r\u001b[K')).toBe(true)
    expect((await run('call sg_slow seconds=2')).err).toBe('')
  })
})

describe('tables', () => {
  test.each([80, 120])(
    'are no wider than a terminal of %s columns, and whole in a pipe',
    async (columns) => {
      for (const line of [
        'skills ls',
        'profile ls',
        'credits ledger demo',
        'keys ls demo',
        'tools',
        'calls ls --since 1h',
        'usage --by skill',
        'users ls',
        'skills versions sg_weather',
        'groups ls',
        'secrets shared ls',
        'admin-keys ls',
      ]) {
        const lines = (await run(`${line} --no-color`, { columns })).out.split('\n')
        const prose = line === 'tools' ? lines.filter((one) => one.startsWith('  ')) : lines
        expect(prose.filter((one) => [...one].length > columns)).toEqual([])
      }
      expect((await run('keys ls demo')).out).not.toContain('…')
    },
  )
})

describe('completion', () => {
  const completed = async (...words: string[]) =>
    (await runLine(['__complete', '--', ...words], { env })).out.trim().split('\n')

  test('knows commands, options, values of options, and what the gateway has', async () => {
    expect(await completed('ke')).toEqual(['keys'])
    expect(await completed('keys', '')).toEqual(['issue', 'set', 'ls', 'revoke'])
    expect(await completed('skills', 'ls', '--sou')).toEqual(['--source'])
    expect(await completed('skills', 'ls', '--source', 'm')).toEqual(['market'])
    expect(await completed('profile', 'use', '')).toEqual(['local', 'twin', 'old'])
    expect(await completed('skills', 'show', 'sg_w')).toEqual(['sg_weather'])
    expect(await completed('call', 'sg_sl')).toEqual(['sg_slow'])
    expect(await completed('--profile', '')).toEqual([''])
  })

  test('prints nothing where the gateway does not answer', async () => {
    env = { ...env, SKILLGATE_URL: `http://127.0.0.1:${closedPort}`, SKILLGATE_ADMIN_KEY: 'x' }
    expect(await completed('skills', 'show', 'sg')).toEqual([''])
  })

  test('in bash offers the words that the command answers', async () => {
    const script = `skillgate() { ${process.execPath} cli/main.ts "$@"; }
      source <(skillgate completion bash)
      COMP_WORDS=(skillgate skills show sg_wea); COMP_CWORD=3; _skillgate_complete; echo "\${COMPREPLY[*]}"`
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      env: { ...process.env, ...env },
    })
    expect(stdout).toBe('sg_weather\n')
  })
})

describe('a process', () => {
  test('writes data to stdout and talk to stderr, exits with the code, and --version loads nothing', async () => {
    const started = (...args: string[]) =>
      promisify(execFile)(process.execPath, ['cli/skillgate.mjs', ...args], {
        env: { ...process.env, ...env },
      })
    expect((await started('--version')).stdout).toBe(`${VERSION}\n`)
    expect(JSON.parse((await started('users', 'show', 'demo', '--json')).stdout)).toMatchObject({
      uid: 'demo',
    })
    await expect(started('users', 'show', 'nobody')).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('there is no user "nobody"'),
    })
  })

  test('needs no setup beside a twin that npm start runs, whose profile follows it', async () => {
    const fresh = join(home, 'fresh')
    const data = join(home, 'data')
    const started = async () => {
      const child = spawn(process.execPath, ['local/main.ts', '--port', '0', '--data', data], {
        env: { ...process.env, XDG_CONFIG_HOME: fresh },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      await untilTrue(() => existsSync(join(fresh, 'skillgate/config.json')))
      return async () => {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
    }
    const stop = await started()
    try {
      const shown = await run('users show demo --json', { env: { XDG_CONFIG_HOME: fresh } })
      expect(JSON.parse(shown.out)).toMatchObject({ uid: 'demo' })
    } finally {
      await stop()
    }
    // A profile without the keys themselves: they stay in the data folder.
    expect(readFileSync(join(fresh, 'skillgate/config.json'), 'utf8')).not.toContain('sgk_')
  })

  test('that is interrupted exits with 130', async () => {
    const child = spawn(
      process.execPath,
      ['cli/main.ts', 'call', 'sg_slow', 'seconds=10', '--verbose'],
      {
        env: { ...process.env, ...env },
        stdio: 'pipe',
      },
    )
    let err = ''
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    // The list of tools has been answered, so the call is under way.
    await untilTrue(() => err.includes('200'))
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
  })
})
