/**
 * MCP servers from the command line, against a twin and a server of the official SDK: registered,
 * called, changed by the server, held, looked at, approved, refused for good, and deleted.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runLine, type ShellOptions } from '../cli/test-shell.ts'
import { startToolServer, type ToolServer, toolOf } from '../core/flow/upstreams/tool-server.ts'
import { startTwin, type Twin } from './twin.ts'
import { runAtTwin, variablesOf } from './twin-shell.ts'

const READ = {
  description: 'Reads one file of the folder. Give its path. The text is cut at 100 kB.',
}

let server: ToolServer
let twin: Twin
let home = ''

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-upstreams-'))
  server = await startToolServer([
    toolOf('read_file', READ),
    toolOf('write_file'),
    toolOf('delete_file'),
  ])
  twin = await startTwin(['--memory', '--outbound-allow', new URL(server.url).host])
})
afterAll(async () => {
  await twin?.stop()
  server?.close()
  rmSync(home, { recursive: true, force: true })
})

const line = (text: string, options: ShellOptions = {}) => runAtTwin(twin, home, text, options)

/** A fresh upstream under an id of its own, with a prefix of the same name. */
async function register(id: string, more = ''): Promise<void> {
  server.down = undefined
  server.tools = [toolOf('read_file', READ), toolOf('write_file'), toolOf('delete_file')]
  const put = await line(`upstreams put ${id} --url ${server.url} ${more} --yes`)
  expect([put.code, put.err]).toEqual([0, expect.stringContaining('skills were changed.')])
}

test('a tool that its server changes is refused, shown line by line, approved, and called again', async () => {
  await register('files', "--credits 0.5 --exclude 'delete_*'")
  expect((await line('call sg_files_read_file text=a')).out).toBe('read_file: a\n')

  server.tools = [toolOf('read_file', { description: READ.description.replace('Give', 'Send') })]
  const refreshed = await line('upstreams refresh files')
  expect(refreshed.out).toBe('~ sg_files_read_file\n')
  expect(refreshed.err).toContain(
    'Waiting for an approval: 1 changed. See skillgate upstreams show files.',
  )
  const held = await line('call sg_files_read_file text=a')
  expect([held.code, held.out]).toEqual([
    1,
    expect.stringContaining('An administrator has to look at the change and approve it'),
  ])
  const listed = await line('upstreams ls')
  expect(listed.out).toMatch(/^files +ok +1 +1 changed +http/m)

  const approved = await line('upstreams approve files read_file', {
    answers: ['y'],
    columns: 80,
    env: { NO_COLOR: '1' },
  })
  expect(approved.out).toMatch(/^calls {3}refused, free of charge$/m)
  expect(approved.out).toContain(
    [
      'description',
      '  Reads one file of the folder.',
      '- Give its path.',
      '+ Send its path.',
      '  The text is cut at 100 kB.',
      '',
    ].join('\n'),
  )
  expect(approved.err).toContain('Approve read_file of files as shown? [y/N] y')
  expect((await line('call sg_files_read_file text=a')).out).toBe('read_file: a\n')
})

test('an approval that is declined, or of a digest that is no longer offered, frees nothing', async () => {
  await register('careful')
  server.tools = [toolOf('read_file', { description: 'Reads more.' })]
  await line('upstreams refresh careful')

  const declined = await line('upstreams approve careful read_file', { answers: ['n'] })
  const stale = await line('upstreams approve careful read_file --digest of-yesterday --yes')
  const unasked = await line('upstreams approve careful read_file')
  expect([declined.code, stale.code, unasked.code]).toEqual([1, 1, 2])
  expect(stale.err).toMatch(/^read_file has the digest [\w-]{43} by now\.\nLook at it again: /)
  expect((await line('call sg_careful_read_file text=a')).code).toBe(1)

  const shown = JSON.parse((await line('upstreams show careful read_file --json')).out)
  const { digest } = shown.tools[0]
  const exact = await line(`upstreams approve careful read_file --digest ${digest} --yes --json`)
  expect(JSON.parse(exact.out)).toMatchObject({ changed: ['sg_careful_read_file'] })
})

test('approve names what is wrong: no tool, a tool that does not wait, and nothing that waits', async () => {
  await register('quiet')
  expect((await line('upstreams approve quiet --yes')).err).toContain('Name the tools')
  expect((await line('upstreams approve quiet read_file --yes')).err).toContain(
    'read_file does not wait: it is approved.',
  )
  expect((await line('upstreams approve quiet --all --yes')).err).toContain(
    'No tool of quiet waits for an approval.',
  )
})

test('a rejected tool is left out besides what was left out before', async () => {
  await register('less', "--exclude 'delete_*'")
  const rejected = await line('upstreams reject less write_file', { answers: ['y'] })
  expect(rejected.out).toContain('- sg_less_write_file\n')
  const shown = JSON.parse((await line('upstreams show less --json')).out)
  expect(shown.settings.exclude).toEqual(['delete_*', 'write_file'])
})

describe('settings', () => {
  test('options change what is stored, and a file replaces it', async () => {
    await register('shop', '--credits 2 --price read_file=3')
    await line('upstreams put shop --price write_file=4 --yes')
    const changed = JSON.parse((await line('upstreams show shop --json')).out)
    expect(changed.settings).toMatchObject({
      credits: 2,
      prices: { read_file: 3, write_file: 4 },
    })

    const file = { url: server.url, prefix: 'shop', prices: { read_file: 1 } }
    writeFileSync(join(home, 'shop.json'), JSON.stringify(file))
    expect((await line('upstreams put shop --file shop.json --yes')).code).toBe(0)
    const replaced = JSON.parse((await line('upstreams show shop --json')).out)
    expect(replaced.settings).toMatchObject({ credits: 0, prices: { read_file: 1 } })
  })

  test('a plan writes nothing, and a declined question neither', async () => {
    server.tools = [toolOf('read_file')]
    const url = `--url ${server.url}`
    const planned = await line(`upstreams plan draft ${url}`)
    expect(planned.out).toMatch(/^DOES +CREDITS +TOKENS +TOOL\nadded +0 +\d+ +read_file\n$/)
    const declined = await line(`upstreams put draft ${url}`, { answers: ['n'] })
    expect([declined.code, declined.err]).toEqual([
      1,
      expect.stringContaining('Nothing was changed.'),
    ])
    expect((await line('upstreams show draft')).err).toContain('There is no upstream draft.')
  })

  test('names that another upstream has are refused before anybody is asked', async () => {
    await register('owner')
    const taken = await line(`upstreams put second --prefix owner --url ${server.url} --yes`)
    expect([taken.code, taken.err]).toEqual([
      1,
      expect.stringContaining('3 names are taken, so nothing was changed.'),
    ])
    expect(taken.out).toContain(
      'read_file would be sg_owner_read_file, which is the tool read_file of the upstream owner.',
    )
  })

  test('a secret that is not set is named, with the command that sets it', async () => {
    const line2 = `upstreams put locked --url ${server.url} --bearer LOCKED_KEY --yes`
    const missing = await line(line2)
    expect(missing.err).toContain('secret LOCKED_KEY')
    expect(missing.err).toContain(
      `Set it with skillgate secrets shared set LOCKED_KEY --origin ${new URL(server.url).origin}, or name a user`,
    )
  })

  test('a server that refuses to be asked is named, with the command that sets its key', async () => {
    server.down = 401
    const refused = await line(`upstreams plan shut --url ${server.url}`)
    server.down = undefined
    expect(refused.err).toBe(
      [
        'The server answered 401. (502 upstream_failed)',
        `If it needs a key: skillgate secrets shared set NAME --origin ${new URL(server.url).origin}, then add --bearer NAME.`,
        '',
      ].join('\n'),
    )
  })

  test.each([
    ['--price write_file', '--price: write_file is not TOOL=N.'],
    ['--price a=1 --price a=2', 'a is given twice.'],
    ['--credits many', '--credits: many is not a number.'],
    ['--file none.json', 'none.json cannot be read'],
    ['--refresh 2', '/refresh_minutes: must be 0 (by hand alone) or at least 5'],
  ])('%s is refused in words', async (options, words) => {
    const refused = await line(`upstreams put wrong --url ${server.url} ${options} --yes`)
    expect(refused.code).not.toBe(0)
    expect(refused.err).toContain(words)
  })
})

test('doctor names a server without a list, tools that wait, and a secret that is gone', async () => {
  const origin = new URL(server.url).origin
  await line(`secrets shared set DOCTOR_KEY --origin ${origin}`, { stdin: 'a key of the server' })
  for (const { id } of JSON.parse((await line('upstreams ls --json')).out)) {
    await line(`upstreams rm ${id} --yes`)
  }
  expect((await line('doctor')).out).toMatch(/^ok +upstreams +there is no MCP server$/m)
  await register('sick', '--bearer DOCTOR_KEY')
  const fine = await line('doctor')
  expect(fine.out).toMatch(/^ok +upstreams +1 MCP server; no call of a tool is held$/m)

  await line('secrets shared rm DOCTOR_KEY --yes')
  expect((await line('doctor')).out).toContain(
    `sick is refreshed with DOCTOR_KEY, which is not set: skillgate secrets shared set DOCTOR_KEY --origin ${origin}.`,
  )
  await line(`secrets shared set DOCTOR_KEY --origin ${origin}`, { stdin: 'a key of the server' })
  server.tools = [toolOf('read_file', { description: 'Reads more.' })]
  await line('upstreams refresh sick')
  expect((await line('doctor')).out).toMatch(
    /^WRONG +upstreams +1 tool waits at sick: skillgate upstreams show sick\.$/m,
  )
  server.down = 503
  for (let times = 0; times < 3; times += 1) await line('upstreams refresh sick')
  const stale = await line('doctor')
  expect([stale.code, stale.out]).toEqual([
    1,
    expect.stringContaining('sick gives no list (The upstream answered 503.)'),
  ])
  expect((await line('upstreams show sick')).out).toMatch(/^state +stale$/m)
})

test('ids of upstreams are completed', async () => {
  await register('typed')
  const words = ['__complete', '--', 'upstreams', 'show', 'ty']
  const completed = await runLine(words, { home, env: variablesOf(twin) })
  expect(completed.out).toBe('typed\n')
})

test('a deletion says how many skills go, and removes them', async () => {
  await register('gone')
  const asked = await line('upstreams rm gone')
  expect(asked.err).toContain('Delete upstream gone and its 3 skills?')
  expect((await line('upstreams rm gone --yes')).code).toBe(0)
  expect((await line('upstreams show gone')).code).toBe(1)
})
