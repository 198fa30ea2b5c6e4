/**
 * `skillgate connect` in a clone of somebody else's: no file of the person is read or replaced through a link, for
 * any client. And keys: in files for the owner alone, in no copy, and in nothing that is printed.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../../cli/clients/client.ts'
import { CLIENTS } from '../../cli/clients/clients.ts'
import { formatDiff } from '../../cli/clients/config-diff.ts'
import { toPrograms } from '../../cli/terminal/process-shell.ts'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../local/start-twin.ts'
import { runLine } from './test-shell.ts'

let twin: Twin
let home = ''
let cwd = ''

beforeAll(async () => {
  const options = { ...DEFAULT_OPTIONS, port: 0, memory: true, dynamodbEndpoint: undefined }
  twin = await startTwin(options, { call: () => {}, note: () => {} })
})
afterAll(() => twin.stop())
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-safety-'))
  cwd = join(home, 'clone')
  mkdirSync(cwd)
  return () => rmSync(home, { recursive: true, force: true })
})

function run(line: string) {
  const env = { SKILLGATE_URL: twin.origin, SKILLGATE_KEY: twin.credentials.key }
  return runLine(line.split(' '), {
    home,
    cwd,
    env,
    programs: toPrograms({ PATH: join(home, 'bin') }),
  })
}

function fileOf(client: Client, scope: 'project' | 'user'): string {
  const place = client.places.find((one) => one.scope === scope)
  return place?.paths({ env: {}, home, cwd, platform: 'linux' })[0] ?? ''
}

/** An empty configuration, which would be replaced if it were found. */
const EMPTY = { json: '{}', toml: '', yaml: '' } as const
const OF_PROJECTS = CLIENTS.filter(({ places }) => places.some(({ scope }) => scope === 'project'))

describe.each(OF_PROJECTS.map((client) => [client.id, client] as const))(
  'a clone with %s',
  (id, client) => {
    const line = `connect ${id} --scope project`
    let victim = ''
    beforeEach(() => {
      victim = join(home, 'victim')
      writeFileSync(victim, EMPTY[client.format])
      mkdirSync(dirname(fileOf(client, 'project')), { recursive: true })
    })

    test.each(['', ' --print', ' --remove'])(
      'a file that is a link out of the clone is refused by connect%s, and what it leads to stays',
      async (more) => {
        symlinkSync(victim, fileOf(client, 'project'))
        const { code, err, out } = await run(line + more)
        expect([code, out]).toEqual([1, ''])
        expect(err).toContain(
          `${fileOf(client, 'project')} is a link out of the project, to ${victim}.\nNothing was changed.`,
        )
        expect(readFileSync(victim, 'utf8')).toBe(EMPTY[client.format])
        expect(readdirSync(home).sort()).toEqual(['clone', 'victim'])
      },
    )

    test('a link to a file that is not there is refused, and none is made', async () => {
      symlinkSync(join(home, 'missing'), fileOf(client, 'project'))
      const { code, err } = await run(line)
      expect([code, err]).toEqual([
        1,
        expect.stringContaining('is a link to a file that is not there'),
      ])
      expect(existsSync(join(home, 'missing'))).toBe(false)
    })

    test('a copy that is a link is refused, and what it leads to stays', async () => {
      const file = fileOf(client, 'project')
      writeFileSync(file, EMPTY[client.format])
      symlinkSync(victim, `${file}.skillgate-backup`)
      const { code, err } = await run(line)
      expect([code, err]).toEqual([1, expect.stringContaining('is a link')])
      expect(readFileSync(file, 'utf8')).toBe(EMPTY[client.format])
      expect(readFileSync(victim, 'utf8')).toBe(EMPTY[client.format])
    })

    test('links under the names of temporary files are not followed', async () => {
      const file = fileOf(client, 'project')
      symlinkSync(victim, `${file}.${process.pid}.new`)
      symlinkSync(victim, `${file}.new`)
      expect(await run(line)).toMatchObject({ code: 0 })
      expect(readFileSync(file, 'utf8')).toContain(twin.origin)
      expect(readFileSync(victim, 'utf8')).toBe(EMPTY[client.format])
    })

    test('the list says that a file is refused', async () => {
      symlinkSync(victim, fileOf(client, 'project'))
      const rows = JSON.parse((await run('connect --list --json')).out)
      expect(rows).toContainEqual({
        client: id,
        scope: 'project',
        state: 'refused',
        file: fileOf(client, 'project'),
      })
    })
  },
)

describe('folders of a clone', () => {
  test('a folder that is a link out of it is refused, and nothing is made behind it', async () => {
    mkdirSync(join(home, 'behind'))
    symlinkSync(join(home, 'behind'), join(cwd, '.cursor'))
    const { code, err } = await run('connect cursor --scope project')
    expect([code, err]).toEqual([1, expect.stringContaining('is a link out of the project')])
    expect(readdirSync(join(home, 'behind'))).toEqual([])
  })

  test('a link to a place in the same project is followed', async () => {
    mkdirSync(join(cwd, 'config'))
    symlinkSync('config', join(cwd, '.cursor'))
    expect(await run('connect cursor --scope project')).toMatchObject({ code: 0 })
    expect(readFileSync(join(cwd, 'config/mcp.json'), 'utf8')).toContain(twin.origin)
  })

  test('a folder whose name begins like the project is outside of it', async () => {
    mkdirSync(`${cwd}-other`)
    symlinkSync('../clone-other', join(cwd, '.cursor'))
    expect(await run('connect cursor --scope project')).toMatchObject({ code: 1 })
    expect(readdirSync(`${cwd}-other`)).toEqual([])
  })

  test('a file in place of a folder, and a folder in place of a file, are refused', async () => {
    writeFileSync(join(cwd, '.cursor'), '')
    expect((await run('connect cursor --scope project')).err).toContain('is not a folder')
    mkdirSync(join(cwd, '.mcp.json'))
    expect((await run('connect claude-code --scope project')).err).toContain('has to be a file')
  })
})

describe.each(CLIENTS.map((client) => [client.id, client] as const))(
  'the key in the file of %s',
  (id, client) => {
    const { format } = client

    test('the key is for the owner alone, even if others could read the file, and is in no copy after --remove', async () => {
      const file = fileOf(client, 'user')
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, EMPTY[format])
      chmodSync(file, 0o644)
      const { key } = twin.credentials
      const first = await run(`connect ${id} --key-in-file`)
      expect(first.err).toContain(
        `Others could read ${file}; it holds a key, and now only you can.`,
      )
      expect(readFileSync(file, 'utf8')).toContain(key)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      chmodSync(file, 0o644)
      expect((await run(`connect ${id} --key-in-file`)).err).toContain(
        'has it already.\nOthers could',
      )
      expect(statSync(file).mode & 0o777).toBe(0o600)
      // A second change keeps a copy of a text that has the key.
      await run(`connect ${id} --key-in-file --name other`)
      await run(`connect ${id} --key-in-file`)
      const copy = `${file}.skillgate-backup`
      expect(statSync(copy).mode & 0o777).toBe(0o600)
      await run(`connect ${id} --name other --remove`)
      expect(await run(`connect ${id} --remove`)).toMatchObject({ code: 0 })
      for (const name of readdirSync(dirname(file))) {
        const path = join(dirname(file), name)
        if (statSync(path).isFile()) expect(readFileSync(path, 'utf8')).not.toContain(key)
      }
    })

    test('the key is not in what is printed, and neither are the tokens of other servers', async () => {
      const file = fileOf(client, 'user')
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, NEIGHBOURS[format])
      const printed: string[] = []
      for (const more of [' --key-in-file', '', ' --remove']) {
        printed.push((await run(`connect ${id}${more}`)).err)
      }
      const all = printed.join('')
      expect(all).not.toMatch(/tok-|hunter2/)
      expect(all).not.toContain(twin.credentials.key)
      expect(all).toContain(`${twin.origin}/mcp`)
    })
  },
)

const NEIGHBOURS = {
  json: `{
  // "Authorization": "Bearer tok-comment"
  "neighbour": {
    "url": "https://user:hunter2@example.com/?api_key=tok-query",
    "headers": { "Authorization": "Bearer tok-inline" },
    "env": {
      "LINEAR": "tok-env"
    },
    "args": [
      "--token=tok-argument",
      "tok-item"
    ], "pin": "tok-pin"
  }
}
`,
  toml: `# token = "tok-comment"
[neighbour]
url = "https://user:hunter2@example.com/?api_key=tok-query"
args = ["--token", "tok-argument"]
env = { LINEAR = "tok-inline" }
text = """
tok-text
tok-base64==
"""
[neighbour.headers]
Authorization = "Bearer tok-header"
`,
  yaml: `# token: tok-comment
neighbour:
  uri: https://user:hunter2@example.com/?api_key=tok-query
  headers: { Authorization: Bearer tok-inline }
  envs:
    LINEAR: tok-env
  args:
    - --token=tok-argument
    - tok-item
  text: |
    tok-text
`,
} as const

describe('a difference', () => {
  test('in a file of one line shows none of it but what is new and open', () => {
    const before = '{"a":{"env":{"T":"tok-a"}}}'
    expect(formatDiff(before, '{"a":{"env":{"T":"tok-a"}},"b":{"key":"tok-b"}}', new Set())).toBe(
      '- …\n+ …\n',
    )
  })

  test('shows open values, names and brackets, and masks all others', () => {
    const after = '{\n  "type": "http",\n  "url": "https://a.example",\n  "key": "tok"\n}\n'
    expect(formatDiff('{\n}\n', after, new Set(['http']))).toBe(
      '  {\n+   "type": "http",\n+   "url": …,\n+   "key": …\n  }\n',
    )
  })
})

test('a key in a file of a git repository is warned of', async () => {
  mkdirSync(join(home, '.git'))
  const { err } = await run('connect cursor --key-in-file')
  expect(err).toContain('.cursor/mcp.json is in a git repository: keep it out of commits')
})
