import { describe, expect, test } from 'vitest'
import { CLIENTS } from '../../../cli/clients/clients.ts'
import { writeConfigText } from '../../../core/clients/config-text.ts'
import { CLIENT_FORMS } from '../../../core/clients/forms.ts'
import type { Auth } from '../../../core/clients/server-entry.ts'

const URL_OF_MCP = 'https://gateway.example/mcp'
const KEY: Auth = { kind: 'key', key: 'sgk_k' }
const serverWith = (auth: Auth) => ({ name: 'skillgate', url: URL_OF_MCP, auth })

describe('the lines for a file', () => {
  test('of TOML are a table with the key in an inline table', () => {
    expect(writeConfigText(CLIENT_FORMS.codex, serverWith(KEY))).toBe(
      `[mcp_servers.skillgate]
url = "https://gateway.example/mcp"
http_headers = { Authorization = "Bearer sgk_k" }`,
    )
  })

  test('of YAML are nested by two spaces', () => {
    expect(writeConfigText(CLIENT_FORMS.goose, serverWith(KEY))).toBe(
      `extensions:
  skillgate:
    type: "streamable_http"
    name: "skillgate"
    uri: "https://gateway.example/mcp"
    headers:
      Authorization: "Bearer sgk_k"
    enabled: true
    timeout: 300`,
    )
  })

  test('of JSON have the prompts that the entry refers to', () => {
    const text = writeConfigText(CLIENT_FORMS.vscode, serverWith({ kind: 'variable' }))
    expect(JSON.parse(text)).toEqual({
      servers: {
        skillgate: {
          type: 'http',
          url: URL_OF_MCP,
          headers: { Authorization: `Bearer \${input:skillgate-key}` },
        },
      },
      inputs: [
        {
          id: 'skillgate-key',
          type: 'promptString',
          description: 'Key of Skillgate',
          password: true,
        },
      ],
    })
  })
})

test('a link for Cursor has the entry in base64, and one for VS Code as JSON with its name', () => {
  const toBase64 = (text: string) => Buffer.from(text).toString('base64')
  const server = serverWith({ kind: 'variable' })
  const cursor = new URL(CLIENT_FORMS.cursor.link?.(server, toBase64) ?? '')
  const config = Buffer.from(cursor.searchParams.get('config') ?? '', 'base64').toString()
  expect(JSON.parse(config)).toEqual({
    url: URL_OF_MCP,
    headers: { Authorization: `Bearer \${env:SKILLGATE_KEY}` },
  })
  const code = CLIENT_FORMS.vscode.link?.(server, toBase64) ?? ''
  expect(JSON.parse(decodeURIComponent(code.slice('vscode:mcp/install?'.length)))).toMatchObject({
    name: 'skillgate',
    type: 'http',
    url: URL_OF_MCP,
    inputs: [{ id: 'skillgate-key' }],
  })
})

test.each(CLIENTS)('the file that pages show for $id is the one that connect writes', (client) => {
  const place = { home: '~', cwd: '/work', env: {}, platform: 'linux' } as const
  const user = client.places.find(({ scope }) => scope === 'user')
  expect(user?.paths(place)[0]).toBe(CLIENT_FORMS[client.id].file)
})
