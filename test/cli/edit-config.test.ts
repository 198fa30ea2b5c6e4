/** Edits of clients' files: one server changes, comments and everything else stay, and broken files are refused. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editConfig } from '../../cli/clients/edit-config.ts'

const SERVER = {
  url: 'http://127.0.0.1:8787/mcp',
  headers: { Authorization: 'Bearer $KEY' },
}
const PATH = ['mcpServers', 'skillgate']

function put(
  format: 'json' | 'toml' | 'yaml',
  text: string,
  path: readonly string[] = PATH,
  value: object | undefined = SERVER,
) {
  return editConfig(format, text, { path, value })
}

function textOf(result: ReturnType<typeof put>): string {
  if (!result.ok) throw new Error(result.error)
  return result.value
}

describe('JSON', () => {
  test('a file keeps comments, order and indentation, and the server can be taken out again', () => {
    const before = `{
    // mine
    "theme": "dark",
    "mcpServers": {
        "other": {
            "command": "x" // stays
        }
    },
}
`
    const after = textOf(put('json', before))
    expect(after).toContain('    // mine\n    "theme": "dark",')
    expect(after).toContain('// stays')
    expect(after).toContain(
      '        "skillgate": {\n            "url": "http://127.0.0.1:8787/mcp"',
    )
    expect(textOf(put('json', after))).toBe(after)
    const removed = textOf(editConfig('json', after, { path: PATH, value: undefined }))
    expect(removed).not.toContain('skillgate')
    expect(removed).toContain('// stays')
  })

  test('a file that is missing or empty is begun', () => {
    expect(JSON.parse(textOf(put('json', '')))).toEqual({ mcpServers: { skillgate: SERVER } })
    expect(JSON.parse(textOf(put('json', '\n')))).toEqual({ mcpServers: { skillgate: SERVER } })
  })

  test.each([
    ['{"mcpServers":', 'is not valid JSON: line 1'],
    ['{\n"a": 1,\n"b" 2}', 'is not valid JSON: line 3'],
    ['[]', 'is not an object'],
    ['{"mcpServers":[]}', 'has something else than an object at mcpServers'],
  ])('%s is refused: it %s', (text, error) => {
    expect(put('json', text)).toEqual({ ok: false, error })
  })

  test('an edit changes nothing but the server in any file', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (file) => {
        const { mcpServers: _, ...others } = file
        const after = textOf(put('json', JSON.stringify(others, null, 2)))
        expect(JSON.parse(after)).toEqual(
          JSON.parse(JSON.stringify({ ...others, mcpServers: { skillgate: SERVER } })),
        )
      }),
    )
  })
})

describe('TOML', () => {
  const path = ['mcp_servers', 'skillgate']
  const entry = { url: 'http://127.0.0.1:8787/mcp', bearer_token_env_var: 'SKILLGATE_KEY' }
  const before = `# mine
model = "o9" # stays

[mcp_servers.other]
command = "x"

[mcp_servers.skillgate]
url = "http://old"

[mcp_servers.skillgate.http_headers]
X = "y"

[profiles.a] # after it
model = "z"
`

  test('an edit replaces one table with its inner tables, and keeps comments', () => {
    const after = textOf(put('toml', before, path, entry))
    expect(after).toBe(`# mine
model = "o9" # stays

[mcp_servers.other]
command = "x"

[profiles.a] # after it
model = "z"

[mcp_servers.skillgate]
url = "http://127.0.0.1:8787/mcp"
bearer_token_env_var = "SKILLGATE_KEY"
`)
    expect(textOf(put('toml', after, path, entry))).toBe(after)
    expect(textOf(editConfig('toml', after, { path, value: undefined }))).not.toContain('skillgate')
  })

  test('an edit refuses a broken file, and one where the server is written in another way', () => {
    expect(put('toml', 'a = ', path, entry)).toMatchObject({
      ok: false,
      error: expect.stringContaining('is not valid TOML'),
    })
    const inline =
      'mcp_servers = { skillgate = { url = "http://old" }, other = { command = "x" } }\n'
    expect(put('toml', inline, path, entry)).toMatchObject({
      ok: false,
      error: expect.stringContaining('by hand'),
    })
  })

  test('an edit refuses to cut a text that only looks like a table', () => {
    const text = 'a = """\n[mcp_servers.skillgate]\nstill text\n"""\n'
    expect(put('toml', text, path, entry)).toMatchObject({
      ok: false,
      error: expect.stringContaining('by hand'),
    })
  })
})

describe('YAML', () => {
  test('an edit keeps comments, and refuses a broken file', () => {
    const before = '# mine\nGOOSE_MODEL: x # stays\nextensions:\n  other:\n    enabled: true\n'
    const after = textOf(
      put('yaml', before, ['extensions', 'skillgate'], { type: 'streamable_http', enabled: true }),
    )
    expect(after).toBe(`${before}  skillgate:\n    type: streamable_http\n    enabled: true\n`)
    expect(put('yaml', 'a: [', ['extensions', 'x'])).toMatchObject({
      ok: false,
      error: expect.stringContaining('is not valid YAML'),
    })
  })
})
